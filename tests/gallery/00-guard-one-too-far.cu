// The guard lets one thread too many through.
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote one element past the end of the new tensor .* does a guard have <= instead of <
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
-    if (i < N) {
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
+    if (i <= N) {
