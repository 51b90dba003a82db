// The threads read the sum of the elements before the last thread has stored it.
// refused by: emulator
// hazards: race
// says: a race on the shared array total.* a __syncthreads\(\) is missing between line \d+ and line \d+
// change of: 11-chunks-on-their-own
@@
-    float sum = 0;
+    float sum = before[blockIdx.x];
@@
-        __syncthreads();
         sum = total;
