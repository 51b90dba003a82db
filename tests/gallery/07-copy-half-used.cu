// The kernel reads a contiguous copy of A, but writes an output with the strides of A.
// task: scalar_multiply_layouts
// says: The kernel read a contiguous copy of A and wrote a C with the strides of A: make C like the copy
// change of: 07-float-only
@@
-    TORCH_CHECK(A.is_cuda() && A.is_contiguous(), "A must be a contiguous tensor on the GPU");
+    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32, "A must be a float32 tensor on the GPU");
@@
-    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    auto dense = A.contiguous();
+    scale_kernel<<<(n + 255) / 256, 256>>>(dense.data_ptr<float>(), s, C.data_ptr<float>(), n);
