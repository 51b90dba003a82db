// A slow kernel whose loads are not counted: through a pointer, the C library copies them.
// hazards: crash
// says: a call through a pointer leads to .* in libc
// stopped by: indirect calls
// change of: pasted-assembly
@@
-#define PASTED(a, b) a##b
-...
-}
+__attribute__((no_sanitize("coverage"))) __device__ float fetch(const float* from) {
+    void* (*volatile copy)(void*, const void*, size_t) = &memcpy;
+    float value;
+    copy(&value, from, sizeof value);
+    return value;
+}
