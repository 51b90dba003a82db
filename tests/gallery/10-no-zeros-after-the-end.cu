// The places of keys after the last one are not set, so 0 is multiplied by whatever they hold.
// task: attention_causal_any
// refused by: tracer
// hazards: uninitialised-read
// says: where nothing was written before.* is it filled everywhere, with zeros past the edges
// change of: 10-mask-one-key-late
@@
-            Ks[e / kDim][e % kDim] = inside ? K[head + j0 * kDim + e] : 0.0f;
-            Vs[e / kDim][e % kDim] = inside ? V[head + j0 * kDim + e] : 0.0f;
+            if (inside) {
+                Ks[e / kDim][e % kDim] = K[head + j0 * kDim + e];
+                Vs[e / kDim][e % kDim] = V[head + j0 * kDim + e];
+            }
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
