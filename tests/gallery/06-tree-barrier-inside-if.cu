// The barrier of the tree is inside the if.
// task: row_scaling_dots
// refused by: emulator
// hazards: divergent-barrier
// says: is reached by 128 of the block's 256 threads; the others skip the if in line
// change of: 06-tree-barrier-after-each-step
@@
+    __syncthreads();
     for (int half = kThreads / 2; half > 0; half /= 2) {
@@
+            __syncthreads();
         }
@@
-        __syncthreads();
