// The wrapper accepts tensors that are not contiguous, but the kernel reads them as if they were contiguous.
// task: transposed_matmul_checked
// says: must refuse them: check every input's is_contiguous\(\)
// change of: 03-row-of-n-elements
@@
-            sum += A[k * M + i] * B[j * N + k];
+            sum += A[k * M + i] * B[j * K + k];
@@
+    TORCH_CHECK(A.dim() == 2 && B.dim() == 2 && A.size(0) == B.size(1), "A must have a row for each column of B");
+    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
     int K = A.size(0), M = A.size(1), N = B.size(0);
