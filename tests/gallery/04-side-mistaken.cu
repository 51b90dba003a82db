// The rows of a thread are kMine apart where they are loaded, and kSide apart where they are stored.
// says: A thread stores rows that are 16 apart, but those that it loads are 8 apart, as with the factor kMine in place of kSide
// change of: 04-one-block
@@
-                a[n] = As[k][ty + n * kSide];
+                a[n] = As[k][ty + n * kMine];
@@
-    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
