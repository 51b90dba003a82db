// The wrapper checks none of its inputs.
// refused by: emulator, nvcc
// says: The wrapper (accepted these inputs but must refuse them: check every input.s is_cuda\(\)|must refuse these inputs.* a tensor on the host)
// change of: 00-n-not-declared
@@
-    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
-...
-    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
@@
+    const int64_t N = A.numel();
+    if (N == 0) return C;
     axpy_kernel<<<(N + 255) / 256, 256>>>(
