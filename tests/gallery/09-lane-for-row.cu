// The lane of a row is taken as lane % 8, not lane / 4.
// task: linear_bfloat16
// refused by: emulator, nvcc
// says: TODO
// change of: 09-registers-exchanged
@@
-    const int g = threadIdx.x / 4, h = threadIdx.x % 4;
+    const int g = threadIdx.x % 8, h = threadIdx.x / 8;
@@
-            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
+            a[n] = pair(&X[(i0 + g + n % 2 * 8) * K + k0 + 2 * h + n / 2 * 8]);
