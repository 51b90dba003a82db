// The wrapper throws a number, which is not an exception.
// answer: 00-add
// says: The call raised RuntimeError: Caught an unknown exception
// change of: include-without-end
@@
-#include "/dev/zero"
@@
+    if (A.numel() > 0) throw 1;
     auto C = torch::empty_like(A);
