// Kernel 3 does not add the sum of the chunks before its own.
// task: cumsum
// says: Each 4096 elements are scanned on their own: the sum of all elements before them must be added
// change of: solution 11-scan
@@
-    float sum = before[blockIdx.x];
+    float sum = 0.0f;
