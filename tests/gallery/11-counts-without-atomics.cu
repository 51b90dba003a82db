// Each thread increases a count by += instead of an atomic operation.
// task: histogram
// hazards: race
// says: a race on the new tensor .* give each element to one thread, or use atomicAdd
// change of: 11-own-not-cleared
@@
-    __shared__ int own[256];
-...
-    atomicAdd((unsigned long long*)&counts[t], (unsigned long long)own[t]);
+    int t = threadIdx.x;
+    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) counts[X[i]] += 1;
