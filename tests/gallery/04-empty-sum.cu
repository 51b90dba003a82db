// If K is 0, the wrapper returns early, but leaves old data in the output, which must be all zeros.
// task: tiled_matmul
// says: K=0: .*No element of the output was ever written
// change of: solution 04-jk
@@
-    if (C.numel() == 0) {
+    if (C.numel() * K == 0) {
