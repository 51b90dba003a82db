// The private histogram counts by a load and an exchange: what others count in between is lost.
// task: histogram_private
// refused by: emulator
// hazards: race
// says: replaces what line .* has read, and what other threads store in between is lost; read and change in one step, by atomicAdd
// change of: 11-own-not-cleared
@@
-    int t = threadIdx.x;
-    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) atomicAdd(&own[X[i]], 1);
+    int t = threadIdx.x;
+    own[t] = 0;
+    __syncthreads();
+    for (int64_t i = blockIdx.x * 256 + t; i < N; i += gridDim.x * 256) {
+        int old = own[X[i]];
+        atomicExch(&own[X[i]], old + 1);
+    }
