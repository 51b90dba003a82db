// Each thread loads one float, but the question asks for one float4.
// says: Line \d+ .* requests the most, .* Let each thread access 16 bytes at once, as a float4
// change of: 05-tail-missing
@@
-    if (i < N / 4) {
-        float4 a = reinterpret_cast<const float4*>(A)[i];
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+    if (i < N) {
+        C[i] = relu(A[i]);
@@
-    relu_kernel<<<(N + 1023) / 1024, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
+    relu_kernel<<<(N + 127) / 128, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
