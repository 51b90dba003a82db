// A is read as if it were contiguous, but the wrapper checks only that B is contiguous.
// task: scaled_relu
// refused by: emulator, nvcc
// says: must refuse them: check every input's is_contiguous\(\) with TORCH_CHECK
// change of: 08-fmaxf-loses-nan
@@
-        C[e] = fmaxf(A[e / N] * B[e] * s, 0.0f);
+        C[e] = relu(A[e / N] * B[e] * s);
@@
-    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
+    TORCH_CHECK(A.is_cuda() && B.is_cuda() && B.is_contiguous(),
+                "A and B must be on the GPU, and B contiguous");
@@
-    fused_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), s, C.data_ptr<float>(), M, N);
+    fused_kernel<<<(M * N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), s,
+                                               C.data_ptr<float>(), M, N);
