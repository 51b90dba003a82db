// The grid has one block per element, so 255 of the 256 threads of each block have nothing to do.
// task: vector_add_by_element
// says: threads were launched, and none after the first [\d,]+ stored anything\. There is one block per element: divide
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
+    add_kernel<<<N, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
