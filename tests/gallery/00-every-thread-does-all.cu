// Every thread loops over all elements.
// task: vector_add_by_element
// says: Each of 1,280 threads did all the work: element 0 of C was stored 1,280 times\. Remove the loop over all elements
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
-    if (i < N) {
+    for (int i = 0; i < N; i++) {
