// The kernel writes to an address far outside all memory.
// answer: 00-add
// says: the kernel touched address .*, which belongs to no tensor: an index far out of bounds
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
-        C[i] = A[i] + B[i];
+        C[i - (int64_t(1) << 40)] = A[i] + B[i];
