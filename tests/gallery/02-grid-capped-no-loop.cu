// The grid has only as many blocks as the GPU can hold at once, but the kernel has no loop.
// says: from element 270336 on was never written: there are too few threads .* each thread needs a loop with the step gridDim
// change of: 02-starts-at-the-thread
@@
-    for (int64_t e = threadIdx.x; e < n; e += static_cast<int64_t>(gridDim.x) * blockDim.x) {
+    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
+    if (e < n) {
