// The result has the shape of the vector A instead of the shape of B.
// task: row_scaling_limit
// refused by: emulator
// hazards: bad-launch, out-of-bounds
// says: past the end of the new tensor of shape \(\d+,\): element
// change of: solution 05-rows
@@
-    torch::Tensor C = torch::empty_like(B);
+    torch::Tensor C = torch::empty_like(A);
