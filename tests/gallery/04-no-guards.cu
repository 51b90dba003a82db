// Neither the loads nor the store has a guard.
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor .* reads past the end of A .* is a guard missing
// change of: 04-b-unguarded
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
+        As[ty][tx] = A[(k0 + ty) * M + i0 + tx];
@@
-    if (i0 + ty < M && j0 + tx < N) {
-        C[(i0 + ty) * N + j0 + tx] = sum;
-    }
+    C[(i0 + ty) * N + j0 + tx] = sum;
