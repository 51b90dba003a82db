// The wrapper writes through a null pointer.
// answer: 00-add
// says: the wrapper used a null pointer
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
+    volatile float* first = nullptr;
+    *first = 1;
     auto C = torch::empty_like(A);
