// Code that runs when the module is loaded never ends.
// answer: 00-add
// says: Nothing came back within .* a loop that never ends
// change of: include-without-end
@@
-#include "/dev/zero"
+
+struct Table {
+    volatile int filled = 0;
+    Table() {
+        while (filled >= 0) filled = filled & 255;
+    }
+} table;
