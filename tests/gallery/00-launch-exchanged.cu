// The number of blocks and the number of threads per block are exchanged in the launch.
// task: vector_add_by_element
// refused by: remark
// says: The launch had 256 blocks of \d+ threads, .* are the two exchanged in <<<blocks, threads>>>
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
+    add_kernel<<<256, (N + 255) / 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
