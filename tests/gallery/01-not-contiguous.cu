// The wrapper accepts tensors that are not contiguous, but the kernel reads them as if they were contiguous.
// task: row_scaling_checked
// says: must refuse them: check every input's is_contiguous\(\)
// change of: 01-adds
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e / N] * B[e];
@@
-    auto C = torch::empty_like(B);
+    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
+    TORCH_CHECK(A.dim() == 1 && B.dim() == 2 && A.size(0) == B.size(0), "A must have an element for each row of B");
+    auto C = torch::empty(B.sizes(), B.options());
