// The output is contiguous, but the matrix is read in the order of its memory.
// task: scalar_multiply_layouts
// says: A was read in the order of its memory, but A is not contiguous
// change of: 07-float-only
@@
-    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
-    auto C = torch::empty_like(A);
+    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "A must be a float32 tensor on the GPU");
+    auto C = torch::empty(A.sizes(), A.options());
