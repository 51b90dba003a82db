// C's assert is given a message, which only Python's assert accepts.
// says: assert takes one argument and no message; TORCH_CHECK
// change of: 01-adds
@@
 #include <torch/extension.h>
+
+#include <cassert>
@@
-        C[e] = A[e / N] + B[e];
+        C[e] = A[e / N] * B[e];
@@
+    assert(A.size(0) == B.size(0), "A must have an element for each row of B");
     auto C = torch::empty_like(B);
