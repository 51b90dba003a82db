// A recursion of the wrapper has no end.
// answer: 00-add
// says: the wrapper used more stack than there is: endless recursion
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+
+volatile int64_t deepest = 0;
+
+int64_t halved(int64_t n) {
+    deepest = deepest + 1;
+    return halved(n / 2) + deepest;
+}
@@
+    TORCH_CHECK(halved(A.numel()) >= 0);
     auto C = torch::empty_like(A);
