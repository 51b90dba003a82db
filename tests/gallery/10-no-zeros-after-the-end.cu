// The places of keys after the last one are not set, so 0 is multiplied by whatever they hold.
// task: attention_causal_any
// refused by: tracer
// hazards: uninitialised-read
// says: where nothing was written before.* is it filled everywhere, with zeros past the edges
// change of: solution 10-causal
@@
-            Ks[e / kFours][e % kFours] = inside ? K[(head + j0) * kFours + e] : zero;
-            Vs[e / kFours][e % kFours] = inside ? V[(head + j0) * kFours + e] : zero;
+            if (inside) {
+                Ks[e / kFours][e % kFours] = K[(head + j0) * kFours + e];
+                Vs[e / kFours][e % kFours] = V[(head + j0) * kFours + e];
+            }
