// The load has no mask, so a lane reads past the end of its row.
// task: softmax_by_warp
// refused by: emulator
// says: the tile must have -INFINITY, whose exponential is 0
// change of: solution 13-warp
@@
-        x[k] = j < N ? X[row * N + j] : -INFINITY;
+        x[k] = X[row * N + j];
