// The tile of B is not __shared__, so each thread has its own array.
// task: tiled_matmul
// says: Bs is not __shared__: line \d+ .* gives each thread its own array
// change of: solution 04-jk
@@
-    __shared__ float Bs[kTile][kTile + kPad];  // Bs[j][k]
+    float Bs[kTile][kTile + kPad];  // Bs[j][k]
