// The store has no mask, so a lane writes past the end of its row.
// task: softmax_by_warp
// refused by: emulator
// hazards: out-of-bounds
// says: writes past the end of the new tensor .*; is a guard missing, or the index wrong
// change of: 13-masked-places-are-zero
@@
-        x[k] = j < N ? X[row * N + j] : 0.0f;
+        x[k] = j < N ? X[row * N + j] : -INFINITY;
@@
-        if (j < N) {
-            Y[row * N + j] = x[k] / sum;
-        }
+        Y[row * N + j] = x[k] / sum;
