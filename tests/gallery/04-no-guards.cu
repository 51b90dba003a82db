// Neither the loads nor the store has a guard.
// task: tiled_matmul
// refused by: emulator
// hazards: out-of-bounds
// says: wrote elements past the end of the new tensor .* reads past the end of A .* is a guard missing
// change of: solution 04-jk
@@
-        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
-        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
+        As[ty][tx] = A[(k0 + ty) * M + i0 + tx];
+        Bs[ty][tx] = B[(j0 + ty) * K + k0 + tx];
@@
-    if (i0 + ty < M && j0 + tx < N) {
-        C[(i0 + ty) * N + j0 + tx] = sum;
-    }
+    C[(i0 + ty) * N + j0 + tx] = sum;
