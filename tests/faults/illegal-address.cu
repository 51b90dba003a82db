// The kernel writes to an address far outside all memory.
// answer: 00-add
// says: the kernel touched address .*, which belongs to no tensor: an index far out of bounds
// change of: include-without-end
@@
-#include "/dev/zero"
@@
-        C[i] = A[i] + B[i];
+        C[i - (int64_t(1) << 40)] = A[i] + B[i];
