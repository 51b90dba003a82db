// Each lane has neighbouring places, so neighbouring lanes are far apart.
// task: softmax_by_warp
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: solution 13-warp
@@
-        const int j = k * kWarp + lane;
+        const int j = lane * kEach + k;
         x[k] = j < N ? X[row * N + j] : -INFINITY;
@@
-        const int j = k * kWarp + lane;
+        const int j = lane * kEach + k;
         if (j < N) {
