// The host adds what a kernel has stored in a variable whose symbol is that of a compiler's own variable.
// hazards: out-of-bounds
// says: writes .* of the variable
// stopped by: tracer
// change of: host-reads-a-variable
@@
-__device__ Floats window;
+#define PASTED(a, b) a##b
+extern "C" {
+__device__ Floats window PASTED(a, sm)("_ZGVZ4showvE4none");
+}
