// The wrapper writes through a null pointer.
// answer: 00-add
// says: the wrapper used a null pointer
// change of: include-without-end
@@
-#include "/dev/zero"
@@
+    volatile float* first = nullptr;
+    *first = 1;
     auto C = torch::empty_like(A);
