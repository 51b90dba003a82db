// Only .x of each float4 goes through relu.
// says: Of each group of four elements, only the first went through relu
// change of: 05-tail-missing
@@
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+        a.x = relu(a.x);
+        reinterpret_cast<float4*>(C)[i] = a;
