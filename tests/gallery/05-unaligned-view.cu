// A view that does not start on a multiple of 16 bytes is loaded by float4.
// task: relu
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
// change of: 05-tail-missing
@@
     }
+    if (i < N % 4) {
+        C[N / 4 * 4 + i] = relu(A[N / 4 * 4 + i]);
+    }
