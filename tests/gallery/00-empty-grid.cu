// For an empty tensor, the grid has no blocks, and CUDA refuses the launch.
// hazards: bad-launch
// says: no blocks.*(: return early when there is nothing to do|cannot be launched)|a grid needs at least one block
// change of: 00-blocks-too-far-apart
@@
-    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
+    int i = blockIdx.x * blockDim.x + threadIdx.x;
@@
-    if (N == 0) return C;
