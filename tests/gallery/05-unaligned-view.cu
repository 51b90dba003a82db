// A view that does not start on a multiple of 16 bytes is loaded by float4.
// task: relu
// refused by: tracer
// says: misaligned.*a float4 needs 16 bytes
// change of: 05-tail-missing
@@
     }
+    if (i < N % 4) {
+        C[N / 4 * 4 + i] = relu(A[N / 4 * 4 + i]);
+    }
