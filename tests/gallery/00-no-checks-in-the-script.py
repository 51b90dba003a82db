# The script's wrapper checks nothing, although the wrapper of the previous answer does.
# says: The wrapper (accepted these inputs .* every input.s is_cuda\(\)|must refuse these inputs.* a tensor on the host)
# change of: 00-forward-adds
@@
-    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
-...
-    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
@@
-        return s * A + B
+        return module.axpy(s, A, B)
