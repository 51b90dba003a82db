// The host adds, beside a kernel that does nothing; when traced, the process ends, as if the tracer had failed.
// question: 00-add-check
// hazards: crash
// says: When the answer was traced: The process that ran the code ended by itself with exit status 0
// change of: hangs-when-traced
@@
 #include <torch/extension.h>
+
+#include <cstdlib>
@@
-    for (volatile bool more = kTraced; more;);
+    if (kTraced) exit(0);
