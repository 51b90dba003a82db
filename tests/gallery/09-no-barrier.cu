// There is no barrier after the wait, so a thread may read elements whose copies by other threads have not ended.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: race
// says: writes \(asynchronously\) what line \d+ .* reads in another thread; .* a __syncthreads\(\) is needed between
// change of: solution 09-pipelined
@@
-        __syncthreads();  // so have those of all threads, and all have used the slot that is filled next
@@
-torch::Tensor waiting(torch::Tensor A, torch::Tensor B) { return launch<true>(A, B); }
-
