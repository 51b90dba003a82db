# The launch uses a name that no kernel has.
# refused by: emulator
# says: line \d+: error: use of undeclared identifier 'tiled_kernel'
# change of: 04-module-called
@@
-    tiled_matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
+    tiled_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
@@
-        return module(A, B)
+        return module.transposed_matmul(A, B)
