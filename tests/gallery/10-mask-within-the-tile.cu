// The mask compares a key's place in its tile, not its number, with the query's place in its block.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: The mask compares key and query within their tiles: add the number of the tile's first key
// change of: 10-mask-one-key-late
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j > threadIdx.x) {
