// No thread computes the elements after the last whole vector.
// refused by: emulator
// says: past the last multiple of
// change of: 07-four-of-any-type
@@
-    } else if (i < vectors + n % kWidth) {
-        const int64_t e = vectors * kWidth + i - vectors;
-        C[e] = static_cast<at::opmath_type<T>>(A[e]) * s;
-    }
+    }
@@
-        constexpr int kWidth = 4;
+        constexpr int kWidth = 16 / sizeof(scalar_t);
