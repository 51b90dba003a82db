// All 64 rows of the last tile are loaded, also those after the end of the tensor.
// task: attention_causal_any
// refused by: tracer
// hazards: out-of-bounds
// says: reads past the end of K .* is a guard missing, or the index wrong
// change of: solution 10-causal
@@
-            const bool inside = j0 + e / kFours < N;
-            Ks[e / kFours][e % kFours] = inside ? K[(head + j0) * kFours + e] : zero;
-            Vs[e / kFours][e % kFours] = inside ? V[(head + j0) * kFours + e] : zero;
+            Ks[e / kFours][e % kFours] = K[(head + j0) * kFours + e];
+            Vs[e / kFours][e % kFours] = V[(head + j0) * kFours + e];
