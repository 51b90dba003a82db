// The next copy starts before the barrier, and writes to a place that other threads still read.
// task: fast_matmul_whole_tiles
// refused by: tracer
// says: between the last use of that memory and the copy
// change of: solution 09-pipelined
@@
-        __syncthreads();  // so have those of all threads, and all have used the slot that is filled next
         copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
+        __syncthreads();
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
