// The index adds the block's number instead of the number of threads in the previous blocks.
// says: they stored only 295 different elements: .* Is the index blockIdx.x \* blockDim.x \+ threadIdx.x
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x + threadIdx.x;
