// The dispatch macro includes half, but not bfloat16.
// says: "scale" not implemented for .BFloat16.
// change of: 07-half-not-dispatched
@@
-    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
+    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "scale", [&] {
