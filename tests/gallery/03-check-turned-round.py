# The wrapper's check compares the numbers of rows of A and of B.
# says: RuntimeError: A has \d+ rows but B has \d+ rows
# change of: 03-a-transposed-in-forward
@@
-    TORCH_CHECK(A.size(0) == B.size(1), "A has ", A.size(0), " rows but B has ", B.size(1), " columns");
+    TORCH_CHECK(A.size(0) == B.size(0), "A has ", A.size(0), " rows but B has ", B.size(0), " rows");
@@
-        return module.transposed_matmul(A.T, B)
+        return module.transposed_matmul(A, B)
