// Each product replaces the sum of the products before it.
// task: linear_bfloat16
// refused by: emulator, nvcc
// says: C has only the last step of 16 values of k: each product must be added
// change of: 09-registers-exchanged
@@
-            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
@@
-        course::mma_bfloat16(d, a, b, d);
+        const float zeros[4] = {};
+        course::mma_bfloat16(d, a, b, zeros);
