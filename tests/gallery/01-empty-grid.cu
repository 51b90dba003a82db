// For an empty matrix, the grid has no blocks: the wrapper has a launch check, but does not return early.
// hazards: bad-launch
// says: no blocks.*(: return early when there is nothing to do|cannot be launched)|a grid needs at least one block
// change of: 01-adds
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e / N] * B[e];
@@
-    if (M * N == 0) return C;
@@
+    C10_CUDA_KERNEL_LAUNCH_CHECK();
     return C;
