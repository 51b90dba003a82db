// Only whole steps of 8 values of k are multiplied.
// task: fast_matmul
// refused by: emulator, nvcc
// says: The last K % 8 terms of each sum are missing
// change of: 09-edges-stored
@@
-    // The last K % kDepth values of k are too few for a tile: each thread loads what it needs.
-    for (int64_t k = steps * kDepth; k < K; ++k) {
-#pragma unroll
-        for (int r = 0; r < kMineI; ++r) {
-            a[r] = A[k * M + min(rows[r], M - 1)];
-        }
-#pragma unroll
-        for (int c = 0; c < kMineJ; ++c) {
-            b[c] = B[min(columns[c], N - 1) * K + k];
-        }
-        multiply_and_add();
-    }
@@
-            if (rows[r] < M) {
+            if (rows[r] < M && columns[c] < N) {
