// The wrapper does not check that A and B have the same inner size.
// task: transposed_matmul_checked
// says: must refuse them: check every input's dim\(\) and size\(\)
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[j * K + k];
@@
+    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
+    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
+    TORCH_CHECK(A.scalar_type() == torch::kFloat && B.scalar_type() == torch::kFloat, "A and B must be float32");
     int K = A.size(0), M = A.size(1), N = B.size(0);
