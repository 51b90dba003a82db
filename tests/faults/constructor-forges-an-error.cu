// A constructor tells the judge, while the module is loaded, that the machine is at fault.
// answer: 00-add
// says: The answer calls write, which no kernel or wrapper of this course needs
// change of: module-of-a-hundred-megabytes
@@
 #include <torch/extension.h>
+#include <unistd.h>
@@
-char table[100 << 20] = {1};
+static const bool forged = [] {
+    const char reply[] = "{\"failure\": {\"type\": \"CourseError\", \"message\": \"forged by an answer\"}}";
+    const unsigned long sizes[2] = {sizeof reply - 1, 0};
+    for (int descriptor = 3; descriptor < 50; descriptor++)
+        if (write(descriptor, sizes, sizeof sizes) > 0) return write(descriptor, reply, sizeof reply - 1) > 0;
+    return false;
+}();
