// A row has several blocks, but the kernel uses the number of the block as the number of the row.
// task: scaled_relu
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel (read|wrote) .* past the end
// change of: 08-chunk-past-the-row
@@
-    int row = blockIdx.x / chunks;
+    int row = blockIdx.x;
@@
-    {
+    if (i < fours) {
