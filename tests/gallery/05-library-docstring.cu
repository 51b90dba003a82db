// m.def of TORCH_LIBRARY is given a docstring, which only m.def of PYBIND11_MODULE accepts.
// says: m.def of TORCH_LIBRARY takes a name or a schema, then the function
// change of: 05-fmaxf-loses-nan
@@
-        C[i] = fmaxf(A[i], 0.0f);
+        C[i] = A[i] < 0.0f ? 0.0f : A[i];
@@
     return C;
 }

+TORCH_LIBRARY(relu_ops, m) {
+    m.def("relu", &relu_forward, "ReLU of a float32 tensor");
+}
+
