// Each thread takes two neighbouring vectors, so the vectors of neighbouring threads are 32 bytes apart.
// says: sectors of 32 bytes from global memory, but 768 are enough
// change of: 07-four-of-any-type
@@
-    if (i < vectors) {
-        Vector<T, kWidth> v = reinterpret_cast<const Vector<T, kWidth>*>(A)[i];
+    for (int64_t r = 2 * i; r < vectors && r < 2 * i + 2; ++r) {
+        Vector<T, kWidth> v = reinterpret_cast<const Vector<T, kWidth>*>(A)[r];
@@
-        reinterpret_cast<Vector<T, kWidth>*>(C)[i] = v;
-    } else if (i < vectors + n % kWidth) {
-        const int64_t e = vectors * kWidth + i - vectors;
+        reinterpret_cast<Vector<T, kWidth>*>(C)[r] = v;
+    }
+    if (i < n % kWidth) {
+        const int64_t e = vectors * kWidth + i;
@@
-        constexpr int kWidth = 4;
+        constexpr int kWidth = 16 / sizeof(scalar_t);
