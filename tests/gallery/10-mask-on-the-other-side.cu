// The mask hides the keys before a query in place of those after it.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: Query 0 sees all keys of its tile, but may see only key 0: is the mask on the wrong side
// change of: 10-mask-one-key-late
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j < i || j0 + j >= N) {
