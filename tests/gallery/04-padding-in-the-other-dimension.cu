// The padding is an extra row of the tile, so the distance between rows does not change.
// says: Line \d+ .* wastes the most, with .* loads of a warp: lanes that request different words of the same bank are served one after the other
// change of: 04-no-padding
@@
-    __shared__ float Bs[kTile][kTile];
+    __shared__ float Bs[kTile + kPad][kTile];
