// Only the store has a guard, so threads past the last row and column read past the end of A and B.
// task: transposed_matmul
// refused by: tracer
// says: reads? past the end of
// change of: 03-row-of-n-elements
@@
+    float sum = 0;
+    for (int k = 0; k < K; k++) {
+        sum += A[k * M + i] * B[j * K + k];
+    }
     if (i < M && j < N) {
@@
-        float sum = 0;
-...
-        }
