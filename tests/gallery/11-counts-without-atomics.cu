// Each thread increases a count by += instead of an atomic operation.
// task: histogram
// refused by: emulator
// hazards: race
// says: a race on the new tensor .* give each element to one thread, or use atomicAdd
// change of: 11-own-not-cleared
@@
-    __shared__ int own[256];
-    int t = threadIdx.x;
-    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) atomicAdd(&own[X[i]], 1);
-    __syncthreads();
-    atomicAdd((unsigned long long*)&counts[t], (unsigned long long)own[t]);
+    int t = threadIdx.x;
+    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) counts[X[i]] += 1;
