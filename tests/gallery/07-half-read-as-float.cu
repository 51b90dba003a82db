// A cast avoids the check of data_ptr, so memory of any type is read as floats.
// hazards: out-of-bounds
// says: A is (half|double), and its memory was read as float
// change of: 07-float-only
@@
-    scale_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), s, C.data_ptr<float>(), n);
+    scale_kernel<<<(n + 255) / 256, 256>>>(static_cast<float*>(A.data_ptr()), s, static_cast<float*>(C.data_ptr()), n);
