// The wrapper divides a whole number by zero.
// answer: 00-add
// says: the wrapper divided an integer by zero
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
+    volatile int64_t rows = A.dim() - 1;
+    TORCH_CHECK(A.numel() / rows >= 0);
     auto C = torch::empty_like(A);
