// The guard checks only the row, so threads past the last column access the next row.
// refused by: emulator
// hazards: out-of-bounds
// says: a kernel wrote (one element|elements) past the end .* or leave out a dimension.* line 15 .* reads past the end of B
// change of: 01-blocks-exchanged
@@
-    if (i < M && j < N) {
+    if (i < M) {
@@
-    const dim3 blocks(course::cdiv(M, kRows), course::cdiv(N, kColumns));
+    const dim3 blocks(course::cdiv(N, kColumns), course::cdiv(M, kRows));
