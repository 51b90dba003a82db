// The process is ended when the module is loaded.
// answer: 00-add
// says: ended by SIGABRT: abort.. was called
// change of: include-without-end
@@
-#include "/dev/zero"
+#include <cstdlib>
+
+struct Table {
+    Table() { abort(); }
+} table;
