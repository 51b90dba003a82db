// The block counts before all threads have set the private histogram to 0.
// hazards: race
// says: a race on the shared array own.* changes \(atomically\) .* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: 11-own-not-cleared
@@
-    int t = threadIdx.x;
+    int t = threadIdx.x;
+    own[t] = 0;
