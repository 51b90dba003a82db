// The wait leaves one batch too many in flight: the batch that is used next.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: race
// says: reads what line \d+ .* writes \(asynchronously\) before waiting for the copy
// change of: solution 09-pipelined
@@
-        __pipeline_wait_prior(kStages - 2);  // this thread's copies of this step have arrived
+        __pipeline_wait_prior(kStages - 1);  // this thread's copies of this step have arrived
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
