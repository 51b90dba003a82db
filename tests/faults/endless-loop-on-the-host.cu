// A loop of the wrapper never ends.
// answer: 00-add
// says: (ran for more than \d+ s: an endless loop|Nothing came back within \d+ s.*: look for a loop that never ends)
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
+    volatile int64_t blocks = 0;
+    while (blocks * 256 < A.numel()) blocks = blocks * 2;
     auto C = torch::empty_like(A);
