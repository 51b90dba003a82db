// The places of B's tile that lie past the edges of B are not set to 0.
// task: tiled_matmul
// refused by: tracer
// says: reads the shared array Bs where nothing was written before, .*is it filled everywhere, with zeros past the edges
// change of: solution 04-jk
@@
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        if (j0 + ty < N && k0 + tx < K) {
+            Bs[ty][tx] = B[(j0 + ty) * K + k0 + tx];
+        }
