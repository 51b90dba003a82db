// All four elements of the stored float4 are .x.
// says: four elements holds its first element four times: only .x was stored
// change of: 05-tail-missing
@@
-        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.y), relu(a.z), relu(a.w));
+        reinterpret_cast<float4*>(C)[i] = make_float4(relu(a.x), relu(a.x), relu(a.x), relu(a.x));
