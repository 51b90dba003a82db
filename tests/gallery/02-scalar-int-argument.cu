// The wrapper's parameter for the scalar is an integer, but Python passes a float.
// says: incompatible function arguments: it takes \(Tensor, int\), but was called with \(Tensor, float\)
// change of: 02-adds
@@
-        C[e] = A[e] + s;
+        C[e] = A[e] * s;
@@
-torch::Tensor scale(torch::Tensor A, double s) {
+torch::Tensor scale(torch::Tensor A, int64_t s) {
