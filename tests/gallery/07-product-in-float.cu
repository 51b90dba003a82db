// All types are multiplied in float, even double.
// says: Every element is right to about 24 bits only: something was computed in float
// change of: 07-half-not-dispatched
@@
-        C[e] = static_cast<T>(A[e] * s);
+        C[e] = static_cast<T>(static_cast<float>(A[e]) * static_cast<float>(s));
@@
-    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
-        scale_kernel<scalar_t>
-            <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<double>(s), C.data_ptr<scalar_t>(), n);
+    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] {
+        scale_kernel<scalar_t><<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), s, C.data_ptr<scalar_t>(), n);
