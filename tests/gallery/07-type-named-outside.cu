// The launch is outside the dispatch macro, so the name of its type is not declared there.
// refused by: emulator
// says: line \d+: error: use of undeclared identifier 'scalar_t'
// change of: 07-half-not-dispatched
@@
-    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
-...
-    });
+    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, A.scalar_type(), "scale", [&] { return; });
+    scale_kernel<scalar_t>
+        <<<(n + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), static_cast<double>(s), C.data_ptr<scalar_t>(), n);
