// The keys are added up in place of the values.
// task: attention
// refused by: emulator, nvcc
// says: K is used in place of V in the sum of the values
// change of: 10-values-not-rescaled
@@
-        const float* v = V + (head + j) * kDim;
@@
-            out[d] += p * v[d];
+            out[d] = out[d] * keep + p * k[d];
