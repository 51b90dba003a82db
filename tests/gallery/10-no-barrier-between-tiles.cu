// No barrier is between the last use of a tile and the loads of the next tile.
// task: attention_causal
// refused by: emulator
// hazards: race
// says: a race on the shared array .*a __syncthreads\(\) is missing after line .*, before line \d+ runs again
// change of: 10-mask-one-key-late
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
@@
-        __syncthreads();
-    }
-    if (i < N) {
+    }
+    if (i < N) {
