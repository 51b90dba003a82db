// The index is the product of the block's number and the thread's number.
// says: they stored only [\d,]+ different elements: element 0 of C was stored by [\d,]+ threads
// change of: 00-no-launch
@@
-    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
+    const int64_t i = static_cast<int64_t>(blockIdx.x) * threadIdx.x;
@@
+    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
     return C;
