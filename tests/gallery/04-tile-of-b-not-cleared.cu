// The places of B's tile that lie past the edges of B are not set to 0.
// refused by: tracer
// says: reads the shared array Bs where nothing was written before, .*is it filled everywhere, with zeros past the edges
// change of: 04-b-unguarded
@@
-        Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        if (j0 + ty < N && k0 + tx < K) {
+            Bs[tx][ty] = B[(j0 + ty) * K + k0 + tx];
+        }
