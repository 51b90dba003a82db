// A loop of the kernel never ends.
// answer: 00-add
// says: (ran for more than \d+ s: an endless loop|Nothing came back within \d+ s.*: look for a loop that never ends)
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
-        C[i] = A[i] + B[i];
+        float sum = A[i];
+        for (int k = 0; k >= 0; k = (k + 1) % 1024) sum += B[i];
+        C[i] = sum;
