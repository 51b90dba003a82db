// The number of float4s is divided by 4 a second time, so the grid covers only a quarter of the float4s.
// says: Each thread stored 4 elements, so only 9,216 of 32,827 elements were stored: the grid needs more blocks
// change of: 05-tail-missing
@@
-    relu_kernel<<<(N + 1023) / 1024, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
+    relu_kernel<<<((N + 3) / 4 + 1023) / 1024, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
