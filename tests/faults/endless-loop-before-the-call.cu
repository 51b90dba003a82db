// Code that runs when the module is loaded never ends.
// answer: 00-add
// says: Nothing came back within .* a loop that never ends
// change of: array-of-a-terabyte
@@
-char table[1ull << 40] = {1};
+
+struct Table {
+    volatile int filled = 0;
+    Table() {
+        while (filled >= 0) filled = filled & 255;
+    }
+} table;
