// The wrapper writes a file without an end.
// answer: 00-add
// says: The answer calls fopen, which no kernel or wrapper of this course needs
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <cstdio>
+#include <string>
@@
+    std::string block(1 << 20, 'x');
+    FILE* file = fopen("scratch", "w");
+    while (file && fwrite(block.data(), 1, block.size(), file)) {}
     auto C = torch::empty_like(A);
