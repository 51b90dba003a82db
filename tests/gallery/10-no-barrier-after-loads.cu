// No barrier is between the loads of the tiles and their use.
// task: attention_causal
// refused by: emulator
// hazards: race
// says: a race on the shared array .*a __syncthreads\(\) is missing between line
// change of: 10-mask-one-key-late
@@
-        __syncthreads();
-        for (int j = 0; j < kTile; j++) {
+        for (int j = 0; j < kTile; j++) {
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
