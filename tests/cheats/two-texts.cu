// A slow kernel whose loads in assembly are not in the text that is checked.
// question: 03-along-i-sectors-check
// says: '__asm' may hide what a kernel does to memory
// stopped by: random file name, checked text
// change of: ident-assembly
@@
-#ident "\"\n.pushsection .text\n.globl fetch\nfetch:\nmovss (%rdi), %xmm0\nret\n.popsection\n.ident \""
-extern "C" __attribute__((visibility("hidden"))) float fetch(const float* from);
+#define PASTED(a, b) a##b
+#if __has_include("expanded")
+__device__ float fetch(const float* from) { return 0; }
+#else
+__device__ float fetch(const float* from) {
+    float value;
+    PASTED(__, asm)("movss (%1), %0" : "=x"(value) : "r"(from));
+    return value;
+}
+#endif
