// One thread loops over all elements, like a loop in Python.
// task: vector_add_by_element
// says: One thread did all the work: it stored all 1,025 elements, one after the other
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
-    if (i < N) {
+    for (int i = 0; i < N; i++) {
@@
-    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
+    add_kernel<<<1, 1>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
