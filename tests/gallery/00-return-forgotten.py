# forward calls the kernel and forgets to return the result.
# says: The output is nothing \(None\); expected a tensor of shape
# change of: 00-forward-adds
@@
-        return s * A + B
+        module.axpy(s, A, B)
