// ReLU is applied before the multiplication by s, but s may be negative.
// task: scaled_relu
// refused by: emulator, nvcc
// says: ReLU came before the multiplication by s
// change of: 08-fmaxf-loses-nan
@@
-        C[e] = fmaxf(A[e / N] * B[e] * s, 0.0f);
+        C[e] = s * relu(A[e / N] * B[e]);
