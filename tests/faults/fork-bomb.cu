// Every process starts another, for ever.
// answer: 00-add
// says: The answer calls fork, which no kernel or wrapper of this course needs
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <unistd.h>
@@
+    while (true) fork();
     auto C = torch::empty_like(A);
