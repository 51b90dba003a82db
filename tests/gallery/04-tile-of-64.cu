// A tile of 64 x 64 elements has one thread per element, so a block has 4096 threads.
// task: tiled_matmul
// refused by: emulator, nvcc
// hazards: bad-launch
// says: (has 4096 threads; at most 1024 are allowed|a block can have 1 to 1024 threads)
// change of: 04-no-second-barrier
@@
-#define TILE 16
+#define TILE 64
@@
         }
+        __syncthreads();
@@
     matmul_kernel<<<blocks, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
+    C10_CUDA_KERNEL_LAUNCH_CHECK();
