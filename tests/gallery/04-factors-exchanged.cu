// Each sum gets the product of the wrong row and column, a[c] * b[r].
// says: r and c are exchanged: a belongs to a row of sum\[r\]\[c\] and b to its column, so the product is a\[r\] \* b\[c\]
// change of: 04-one-block
@@
-                    sum[r][c] += a[r] * b[c];
+                    sum[r][c] += a[c] * b[r];
@@
-    matmul_kernel<<<1, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
+    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
