// A slow kernel whose loads the tracer does not count: it calls memmove by another name for the same symbol.
// says: 'asm' may hide what a kernel does to memory
// stopped by: names of symbols
// change of: pasted-assembly
@@
-#define PASTED(a, b) a##b
-...
-}
+#define PASTED(a, b) a##b
+extern "C" void* other(void* to, const void* from, size_t bytes) PASTED(a, sm)("\01memmove");
+__device__ float fetch(const float* from) {
+    float value;
+    other(&value, from, sizeof value);
+    return value;
+}
