// The private histogram is added to the result before all threads have counted.
// hazards: race
// says: a race on the shared array own.* changes \(atomically\) .* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: 11-own-not-cleared
@@
-    int t = threadIdx.x;
+    int t = threadIdx.x;
+    own[t] = 0;
+    __syncthreads();
@@
-    __syncthreads();
     atomicAdd((unsigned long long*)&counts[t], (unsigned long long)own[t]);
