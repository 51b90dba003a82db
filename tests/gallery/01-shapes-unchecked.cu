// The wrapper accepts a vector and a matrix whose sizes do not match.
// task: row_scaling_checked
// says: must refuse them: check every input's dim\(\) and size\(\)
// change of: 01-adds
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e / N] * B[e];
@@
-    auto C = torch::empty_like(B);
+    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
+    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
+    auto C = torch::empty(B.sizes(), B.options());
