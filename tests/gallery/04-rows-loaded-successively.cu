// Each thread loads eight successive rows and columns, but stores the rows ty, ty + 16, ...
// says: A thread stores rows and columns that are 16 apart, but those that it loads are 8 successive ones, as with an index like ty \* kMine \+ n
// change of: 04-one-block
@@
-                a[n] = As[k][ty + n * kSide];
-                b[n] = Bs[k][tx + n * kSide];
+                a[n] = As[k][ty * kMine + n];
+                b[n] = Bs[k][tx * kMine + n];
@@
-    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
