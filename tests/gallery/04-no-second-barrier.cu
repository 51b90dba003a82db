// The barrier at the end of each step is missing, so a tile is overwritten while other threads use it.
// refused by: emulator
// hazards: race
// says: a __syncthreads\(\) is missing after line 23, before line 19 runs again
// change of: 04-b-not-transposed
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
-        __syncthreads();
     }
