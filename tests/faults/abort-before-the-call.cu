// The process is ended when the module is loaded.
// answer: 00-add
// says: ended by SIGABRT: abort.. was called
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+#include <cstdlib>
+
+struct Table {
+    Table() { abort(); }
+} table;
