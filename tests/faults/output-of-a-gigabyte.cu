// The wrapper prints a gigabyte.
// answer: 00-add
// says: The code printed more than 64 MiB, and was stopped
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <cstdio>
+#include <string>
@@
+    std::string line(1 << 20, 'x');
+    for (int k = 0; k < 1024; k++) puts(line.c_str());
     auto C = torch::empty_like(A);
