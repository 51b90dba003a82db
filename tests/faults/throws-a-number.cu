// The wrapper throws a number, which is not an exception.
// answer: 00-add
// says: The call raised RuntimeError: Caught an unknown exception
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
@@
+    if (A.numel() > 0) throw 1;
     auto C = torch::empty_like(A);
