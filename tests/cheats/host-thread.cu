// Threads of the host add; a kernel only copies the sums.
// hazards: library-call
// says: The answer calls \w*thread\w*, which no kernel or wrapper of this course needs
// stopped by: allowed symbols, host work
// change of: host-loop
@@
+#include <thread>
 #include <vector>
@@
-    for (int64_t i = 0; i < N; i++) a[i] += b[i];
+    std::thread([&] {
+        for (int64_t i = 0; i < N; i++) a[i] += b[i];
+    }).join();
