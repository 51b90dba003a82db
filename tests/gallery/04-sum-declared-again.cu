// The loop declares a second sum, so the first sum stays 0.
// task: tiled_matmul
// says: Every element is 0: the kernel stores an empty sum
// change of: solution 04-jk
@@
+        float sum = 0.0f;
         for (int k = 0; k < kTile; ++k) {
