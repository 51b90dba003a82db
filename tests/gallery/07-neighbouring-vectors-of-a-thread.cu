// Each thread takes two neighbouring vectors, so the vectors of neighbouring threads are 32 bytes apart.
// task: scalar_multiply_vectors
// says: sectors of 32 bytes from global memory, but 768 are enough
// change of: solution 07-vectors
@@
-    if (i < vectors) {
-        Elements v = reinterpret_cast<const Elements*>(A)[i];
+    for (int64_t r = 2 * i; r < vectors && r < 2 * i + 2; ++r) {
+        Elements v = reinterpret_cast<const Elements*>(A)[r];
@@
-        reinterpret_cast<Elements*>(C)[i] = v;
-    } else if (i < vectors + n % kWidth) {
-        const int64_t e = vectors * kWidth + (i - vectors);  // element of the tail
+        reinterpret_cast<Elements*>(C)[r] = v;
+    }
+    if (i < n % kWidth) {
+        const int64_t e = vectors * kWidth + i;  // element of the tail
