// The factor kSide is forgotten in the index of a thread's columns.
// says: A thread stores columns that are 16 apart, but those that it loads are 8 successive ones, as with an index like ty \+ n, which lacks the factor kSide
// change of: 04-one-block
@@
-                b[n] = Bs[k][tx + n * kSide];
+                b[n] = Bs[k][tx + n];
@@
-    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
