// The store has no mask, so a lane writes past the end of its row.
// task: softmax_by_warp
// refused by: emulator
// hazards: out-of-bounds
// says: writes past the end of the new tensor .*; is a guard missing, or the index wrong
// change of: solution 13-warp
@@
-        if (j < N) {
-            Y[row * N + j] = x[k] / sum;
-        }
+        Y[row * N + j] = x[k] / sum;
