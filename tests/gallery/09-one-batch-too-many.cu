// The wait leaves one batch too many in flight: the batch that is used next.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: race
// says: reads what line \d+ .* writes \(asynchronously\) before waiting for the copy
// change of: 09-no-barrier
@@
-        __pipeline_wait_prior(kStages - 2);  // all but the last of this thread's batches have arrived
+        __pipeline_wait_prior(kStages - 1);  // all but the last two of this thread's batches have arrived
+        __syncthreads();  // all threads' copies of this step have arrived, and all are done with the step before
