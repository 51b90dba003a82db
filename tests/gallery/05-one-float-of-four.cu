// There is one thread per float4, but each thread computes only one float.
// says: Only the first quarter of the elements was written: there is one thread per float4
// change of: 05-tail-missing
@@
-        float4 a = reinterpret_cast<const float4*>(A)[i];
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+        C[i] = relu(A[i]);
