// The host adds what a kernel has printed: it reads the buffer of the C library.
// hazards: crash
// says: was ended by SIGSEGV
// stopped by: unbuffered printf
// change of: host-reads-a-variable
@@
-#include <string>
+#include <cstdio>
@@
-__device__ Floats window;
-
 __global__ void show(const float* from, int count) {
-    const int i = blockIdx.x * blockDim.x + threadIdx.x;
-    if (i < count) window.v[i] = from[i];
+    for (int i = 0; i < count; i++) printf("%08x", __float_as_uint(from[i]));
@@
-    std::string bytes;
-...
-    memcpy(&found, bytes.data(), sizeof found);
+    for (int at = 0; at < count; at += 128) {
+        const int some = std::min(128, count - at);
+        show<<<1, 1>>>(from + at, some);
+        stdout->_IO_write_ptr -= 8 * some;
+        for (int i = 0; i < 8 * some; i++) {
+            const char digit = stdout->_IO_write_ptr[i];
+            unsigned& bits = reinterpret_cast<unsigned*>(found.v)[at + i / 8];
+            bits = bits << 4 | (digit <= '9' ? digit - '0' : digit - 'a' + 10);
+        }
+    }
