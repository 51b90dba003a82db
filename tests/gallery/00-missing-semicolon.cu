// A semicolon is missing.
// refused by: emulator
// says: line \d+: error: a ; is missing at the end of this line
// change of: 00-no-launch
@@
-        C[i] = A[i] + B[i];
+        C[i] = A[i] + B[i]
@@
+    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
     return C;
