// The index does not use the block's number, so every block adds the same 256 elements.
// says: every block stored the same 256 elements: the index leaves out blockIdx.x \* blockDim.x
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = threadIdx.x;
