// The wrapper asks for a tensor of four terabytes.
// answer: 00-add
// says: PyTorch refused the memory for a new tensor
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
+    auto scratch = torch::empty({int64_t(1) << 40}, A.options());
     auto C = torch::empty_like(A);
