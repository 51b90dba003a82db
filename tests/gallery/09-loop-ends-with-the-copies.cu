// The loop ends with the last copy, so the tiles that are still being copied are never multiplied.
// task: fast_matmul_whole_tiles
// says: last two steps of 8 are missing
// change of: solution 09-pipelined
@@
-    for (int64_t step = 0; step < steps; ++step) {
+    for (int64_t step = 0; step < steps - (kStages - 1); ++step) {
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
