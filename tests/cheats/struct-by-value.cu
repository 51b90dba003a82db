// A slow kernel that loads structs as arguments of a function called through a pointer.
// question: 03-along-i-sectors-check
// says: request .* sectors
// stopped by: struct copies
// change of: ident-assembly
@@
-#ident "\"\n.pushsection .text\n.globl fetch\nfetch:\nmovss (%rdi), %xmm0\nret\n.popsection\n.ident \""
-extern "C" __attribute__((visibility("hidden"))) float fetch(const float* from);
+struct Word {
+    float value;
+};
+
+__device__ float value_of(Word word) { return word.value; }
+__device__ float (*volatile pointer)(Word) = value_of;
+
+__device__ float fetch(const float* from) { return pointer(*reinterpret_cast<const Word*>(from)); }
