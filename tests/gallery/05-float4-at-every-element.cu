// Each thread loads a float4 at its own element, so three of four addresses are not aligned.
// task: relu_aligned
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
// change of: 05-fmaxf-loses-nan
@@
+__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }
+
 __global__ void relu_kernel(const float* A, float* C, int N) {
@@
-    if (i < N) {
-        C[i] = fmaxf(A[i], 0.0f);
+    if (i + 3 < N) {
+        float4 a = *reinterpret_cast<const float4*>(A + i);
+        *reinterpret_cast<float4*>(C + i) = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
