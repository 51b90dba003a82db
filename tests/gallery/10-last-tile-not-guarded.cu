// All 64 rows of the last tile are loaded, also those after the end of the tensor.
// task: attention_causal_any
// refused by: tracer
// hazards: out-of-bounds
// says: reads past the end of K .* is a guard missing, does it have <= instead of <
// change of: 10-mask-one-key-late
@@
-            const bool inside = j0 + e / kDim < N;
-            Ks[e / kDim][e % kDim] = inside ? K[head + j0 * kDim + e] : 0.0f;
-            Vs[e / kDim][e % kDim] = inside ? V[head + j0 * kDim + e] : 0.0f;
+            Ks[e / kDim][e % kDim] = K[head + j0 * kDim + e];
+            Vs[e / kDim][e % kDim] = V[head + j0 * kDim + e];
@@
-            if (j0 + j > i + 1 || j0 + j >= N) {
+            if (j0 + j > i) {
