// A slow kernel whose loads are not counted: it reads them as elements of a variable, far outside of it.
// says: request .* sectors
// stopped by: checked indices
// change of: pasted-assembly
@@
-#define PASTED(a, b) a##b
-...
-}
+__attribute__((no_sanitize("bounds"))) __device__ float fetch(const float* from) {
+    float here[1] = {};
+    return here[from - here];
+}
