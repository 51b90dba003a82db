// Each lane has neighbouring places, so neighbouring lanes are far apart.
// task: softmax_by_warp
// refused by: emulator, nvcc
// says: Let neighbouring threads of a warp access neighbouring elements
// change of: 13-masked-places-are-zero
@@
-        const int j = k * kWarp + lane;
-        x[k] = j < N ? X[row * N + j] : 0.0f;
+        const int j = lane * kEach + k;
+        x[k] = j < N ? X[row * N + j] : -INFINITY;
@@
-        const int j = k * kWarp + lane;
-        if (j < N) {
+        const int j = lane * kEach + k;
+        if (j < N) {
