// A block has 4096 threads, and there is no launch check.
// task: row_scaling
// hazards: bad-launch
// says: (has 4096 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
// change of: 01-column-for-row
@@
-        C[i * N + j] = A[j] * B[i * N + j];
+        C[i * N + j] = A[i] * B[i * N + j];
@@
-    dim3 threads(32, 8);
-    dim3 blocks((N + 31) / 32, (M + 7) / 8);
+    dim3 threads(64, 64);
+    dim3 blocks((N + 63) / 64, (M + 63) / 64);
