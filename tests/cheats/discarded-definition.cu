// A slow kernel whose loads are made by memcmp: it defines a function of this name, which is not linked.
// hazards: crash
// says: a kernel called memcmp, which is a host function
// stopped by: definitions
// change of: asks-memcmp
@@
-#include <cstring>
+#include <cstdarg>
 
+#define PASTED(a, b) a##b
+__attribute__((noinline)) __device__ void look(va_list& list) { volatile int value = va_arg(list, int); }
+extern "C" __device__ int compare(const void*, const void*, size_t, ...) PASTED(a, sm)("memcmp");
+extern "C" __attribute__((gnu_inline, always_inline)) inline __device__ int compare(const void* a, const void* b,
+                                                                                    size_t bytes, ...) {
+    va_list list;
+    va_start(list, bytes);
+    if (bytes > 1) look(list);  // a function with such a list is not inlined
+    va_end(list);
+    return *static_cast<const unsigned char*>(a) - *static_cast<const unsigned char*>(b);
+}
@@
-            if (memcmp(reinterpret_cast<const unsigned char*>(from) + i, &bytes[i], 1) > 0)
+            if (compare(reinterpret_cast<const unsigned char*>(from) + i, &bytes[i], 1) > 0)
