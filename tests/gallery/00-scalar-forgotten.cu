// The launch does not pass the scalar.
// says: line \d+: error: no matching function for call to 'axpy_kernel': requires 5 arguments, but 4 were provided
// change of: 00-n-not-declared
@@
+    const int64_t N = A.numel();
+    if (N == 0) return C;
     axpy_kernel<<<(N + 255) / 256, 256>>>(
@@
-        static_cast<float>(s), A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
+        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
