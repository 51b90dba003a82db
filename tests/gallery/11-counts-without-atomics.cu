// Each thread increases a count by += instead of an atomic operation.
// task: histogram
// refused by: emulator
// hazards: race
// says: a race on the new tensor .* give each element to one thread, or use atomicAdd
// change of: solution 11-private
@@
-    __shared__ int own[kBins];  // the block's own histogram
     const int t = threadIdx.x;
     const int64_t step = static_cast<int64_t>(gridDim.x) * kThreads;  // threads of all blocks
-    own[t] = 0;
-    __syncthreads();  // every count is 0
     for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + t; i < N; i += step) {
-        atomicAdd(&own[X[i]], 1);
+        counts[X[i]] += 1;
     }
-    __syncthreads();  // every element is counted
-    add(&counts[t], own[t]);
