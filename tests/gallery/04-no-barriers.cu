// The kernel has no barrier, so no thread waits for another.
// refused by: emulator
// hazards: race
// says: a __syncthreads\(\) is missing between line 20 and line 22
// change of: 04-b-not-transposed
@@
-#define TILE 16
+#define TILE 32
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
-        __syncthreads();
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-        __syncthreads();
     }
