// The wrapper takes more and more memory.
// answer: 00-add
// says: (ended by SIGKILL, as happens when too much memory is used|std::bad_alloc)
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <string>
@@
+    std::string kept(1 << 20, 'x');
+    while (true) kept += kept;
     auto C = torch::empty_like(A);
