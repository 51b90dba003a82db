// The wrapper calls abort().
// answer: 00-add
// says: the wrapper called abort\(\)
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <cstdlib>
@@
+    if (A.numel() > 0) abort();
     auto C = torch::empty_like(A);
