# forward calls a module that another cell of the notebook has built.
# says: name 'fused' is not defined .* each answer cell is judged alone
# change of: 00-forward-adds
@@
-        return s * A + B
+        return fused.axpy(s, A, B)
