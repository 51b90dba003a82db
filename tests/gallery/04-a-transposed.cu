// The tile of A is read with its two indices exchanged.
// says: The tile of A is transposed: within each 32 x 32 tile
// change of: 04-b-not-transposed
@@
-#define TILE 16
+#define TILE 32
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-            sum += As[k][ty] * Bs[k][tx];
+            sum += As[ty][k] * Bs[k][tx];
