// A slow kernel; __builtin_apply, which is not traced, copies its input to the stack as arguments.
// question: 03-along-i-sectors-check
// says: '__builtin_apply' may hide what a kernel does to memory
// stopped by: traceable source
// change of: ident-assembly
@@
-#ident "\"\n.pushsection .text\n.globl fetch\nfetch:\nmovss (%rdi), %xmm0\nret\n.popsection\n.ident \""
-extern "C" __attribute__((visibility("hidden"))) float fetch(const float* from);
+struct Words {
+    float first, others[7];
+};
+
+__device__ void take(float* to, Words words) { *to = words.first; }
+
+__device__ float fetch(const float* from) {
+    float value;
+    const void* block[32];
+    for (const void*& each : block) each = &value;  // the registers, one of which is `to`
+    block[0] = from;                                // the arguments on the stack
+    __builtin_apply(reinterpret_cast<void (*)(...)>(take), block, sizeof(Words));
+    return value;
+}
