// The wrapper calls abort().
// answer: 00-add
// says: the wrapper called abort\(\)
// change of: include-without-end
@@
-#include "/dev/zero"
+#include <cstdlib>
@@
+    if (A.numel() > 0) abort();
     auto C = torch::empty_like(A);
