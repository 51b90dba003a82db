# A fallback to PyTorch for when the kernel fails, and the kernel always fails.
# hazards: library-call
# says: PyTorch .relu. computed what the answer's own kernel should compute
# change of: library-on-cuda
@@
-        return torch.clamp(A, min=0) if A.is_cuda else module.relu(A)
+        try:
+            return module.relu(A, "in place")
+        except TypeError:
+            return torch.relu(A)
