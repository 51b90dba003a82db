// The array that the asynchronous copies fill is not __shared__.
// task: fast_matmul_whole_tiles
// refused by: emulator
// says: Bs is not __shared__: line
// change of: solution 09-pipelined
@@
-    __shared__ __align__(16) float Bs[kStages][kDepth][kTile + kPad];  // Bs[slot][k][j]
+    __align__(16) float Bs[kStages][kDepth][kTile + kPad];  // Bs[slot][k][j]
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
