// A tile of 64 x 64 elements has one thread per element, so a block has 4096 threads.
// hazards: bad-launch
// says: (has 4096 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
// change of: 04-b-not-transposed
@@
-#define TILE 16
+#define TILE 64
@@
-        Bs[ty][tx] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
+        Bs[tx][ty] = k0 + tx < K && blockIdx.x * TILE + ty < N ? B[(blockIdx.x * TILE + ty) * K + k0 + tx] : 0.0f;
@@
+    C10_CUDA_KERNEL_LAUNCH_CHECK();
     return C;
