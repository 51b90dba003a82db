// The sums in registers are declared but never set to 0.
// task: fast_matmul_whole_tiles
// says: sum has no value when line \d+ .* first adds to it
// change of: solution 09-pipelined
@@
-    float sum[kMine][kMine] = {};
+    float sum[kMine][kMine];
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
