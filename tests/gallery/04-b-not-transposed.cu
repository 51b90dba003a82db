// The tile of B is stored in the same order as in B, but used as if it had been transposed.
// task: tiled_matmul
// refused by: emulator, nvcc
// says: The tile of B is used without its transpose
// first attempt: 04 tile of B, yes
// change of: 04-no-second-barrier
@@
-        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
         }
+        __syncthreads();
