// A constructor forges an error through standard output, whose descriptor it changes: no symbol reveals this.
// answer: 00-add
// says: sent something that is not a reply, and was stopped
// change of: module-of-a-hundred-megabytes
@@
-char table[100 << 20] = {1};
+#include <cstdio>
+
+static const bool forged = [] {
+    const char reply[] = "{\"failure\": {\"type\": \"CourseError\", \"message\": \"forged by an answer\"}}";
+    const uint64_t sizes[2] = {sizeof reply - 1, 0};
+    for (int descriptor = 3; descriptor < 50; descriptor++) {
+        fflush(stdout);
+        stdout->_fileno = descriptor;
+        fwrite(sizes, 1, sizeof sizes, stdout);
+        fwrite(reply, 1, sizeof reply - 1, stdout);
+    }
+    fflush(stdout);
+    return true;
+}();
