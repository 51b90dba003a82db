// The output is made without A's options, so it is in the memory of the host.
// says: The output is in the memory of the host, but it must stay on the GPU|a pointer to the host's memory
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-    auto C = torch::empty_like(A);
+    auto C = torch::empty({A.size(0)});
