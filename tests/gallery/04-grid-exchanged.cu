// The grid's x counts blocks of rows, but the kernel uses x for columns.
// task: tiled_matmul
// says: The grid reaches \d+ elements in x and \d+ in y; .* Are x and y exchanged, in the number of blocks
// change of: solution 04-jk
@@
-    const dim3 blocks(course::cdiv(N, kTile), course::cdiv(M, kTile));
+    const dim3 blocks(course::cdiv(M, kTile), course::cdiv(N, kTile));
