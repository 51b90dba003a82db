// A slow kernel whose loads the tracer does not count: it calls memmove by another name for the same symbol.
// question: 03-along-i-check
// says: 'asm' may hide what a kernel does to memory
// stopped by: names of symbols
// change of: pasted-assembly
@@
-#define PASTED(a, b) a##b
-__device__ float fetch(const float* from) {
-    float value;
-    PASTED(a, sm)("movss (%1), %0" : "=x"(value) : "r"(from));
-    return value;
-}
+#define PASTED(a, b) a##b
+extern "C" void* other(void* to, const void* from, size_t bytes) PASTED(a, sm)("\01memmove");
+__device__ float fetch(const float* from) {
+    float value;
+    other(&value, from, sizeof value);
+    return value;
+}
