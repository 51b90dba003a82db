# Only the prototype has extern "C", so the prototype and the definition are two different functions.
# says: extern "C" on one side only
# change of: 01-broadcasting
@@
-    cpp_sources="torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B);",
+    cpp_sources='extern "C" torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B);',
@@
-        return A[:, None] * B
+        return module.scale_rows(A, B)
