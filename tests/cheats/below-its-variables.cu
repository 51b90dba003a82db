// Both matrices are kept below the variables of all threads, where no function clears anything.
// says: outside
// hazards: out-of-bounds
// stopped by: stack pointer
// change of: kept-on-the-stack
@@
-    float kept[16000];
+    float last, *kept = &last - 20000;
