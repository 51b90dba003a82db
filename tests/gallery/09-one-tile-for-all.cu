// The largest tile is used for every shape.
// task: fast_matmul_few_requests
// refused by: emulator, nvcc
// says: The kernels make .* requests to global memory, but .* are enough
// change of: 09-edges-stored
@@
-constexpr int kMineI = 8, kMineJ = 8;    // rows and columns of C that a thread makes, in groups of kVector
+constexpr int kMineJ = 8;                // columns of C that a thread makes, in groups of kVector
@@
-constexpr int kResident = 512;           // threads that a multiprocessor should hold
+constexpr int kRegisters = 65536;        // registers of a multiprocessor
@@
 
-template <int kTileI, int kTileJ>
+// A block makes kTileI x kTileJ of C, a thread kMineI x kMineJ.
+template <int kTileI, int kTileJ, int kMineI>
 constexpr int kThreads = kTileI / kMineI * (kTileJ / kMineJ);
@@
+// The blocks that a multiprocessor should hold: a thread then has twice the registers that its sums need, or
+// 255, the most that a thread can have.
+template <int kTileI, int kTileJ, int kMineI>
+constexpr int kBlocks = kRegisters / (2 * kMineI * kMineJ) / kThreads<kTileI, kTileJ, kMineI>;
 
 // kWidth: the floats of A in one copy.
@@
-template <int kTileI, int kTileJ, int kWidth>
-__global__ void __launch_bounds__(kThreads<kTileI, kTileJ>, kResident / kThreads<kTileI, kTileJ>)
+template <int kTileI, int kTileJ, int kMineI, int kWidth>
+__global__ void __launch_bounds__(kThreads<kTileI, kTileJ, kMineI>, kBlocks<kTileI, kTileJ, kMineI>)
@@
-    constexpr int kAll = kThreads<kTileI, kTileJ>;
+    constexpr int kAll = kThreads<kTileI, kTileJ, kMineI>;
@@
-    // Where the thread's first float4 of As and of Bs are. Lanes n and n ^ 2 load the same of As, n and n ^ 1 the same
-    // of Bs: such pairs are served together.
+    // Where the thread's first float4 of As and of Bs are. Lanes n and n ^ 2 load the same of As, n and n ^ 1
+    // the same of Bs: such pairs are served together.
@@
-    // What this thread copies in each step. Past the last row or column of C it copies the last one again: the
-    // results are never stored, and the loop needs no guard.
-    constexpr int kRowA = kTileI / kWidth, kStepA = kAll / kRowA, kStepB = kAll / kDepth;
-    constexpr int kCopiesA = kDepth / kStepA, kCopiesB = kTileJ / kStepB;
+    // What this thread copies in each step. Past the last row or column of C it copies the last one again:
+    // the results are never stored, and the loop needs no guard.
+    constexpr int kRowA = kTileI / kWidth;                     // copies per row of As
+    constexpr int kAcrossA = kRowA > kAll ? kRowA / kAll : 1;  // copies of one thread per row
+    constexpr int kStepA = kAll * kAcrossA / kRowA;            // rows that all threads copy at a time
+    constexpr int kStepB = kAll / kDepth, kCopiesB = kTileJ / kStepB;
@@
-    const float* from_A = A + k_A * M + min(i0 + i_A, M - kWidth);
-    const float* from_B[kCopiesB];
+    const float *from_A[kAcrossA], *from_B[kCopiesB];
+#pragma unroll
+    for (int n = 0; n < kAcrossA; ++n) {
+        from_A[n] = A + k_A * M + min(i0 + i_A + n * kAll * kWidth, M - kWidth);
+    }
@@
-            for (int n = 0; n < kCopiesA; ++n) {
-                const float* from = from_A + (step * kDepth + n * kStepA) * M;
-                __pipeline_memcpy_async(&As[slot][k_A + n * kStepA][i_A], from, kWidth * sizeof(float));
+            for (int k = 0; k < kDepth; k += kStepA) {
+#pragma unroll
+                for (int n = 0; n < kAcrossA; ++n) {
+                    const float* from = from_A[n] + (step * kDepth + k) * M;
+                    float* const to = &As[slot][k_A + k][i_A + n * kAll * kWidth];
+                    __pipeline_memcpy_async(to, from, kWidth * sizeof(float));
+                }
@@
     const auto multiply_and_add = [&] {
+        // The order of the sums matters: registers are in banks too (two on Volta, see Jia et al., 2018), and
+        // the compiler assigns them by their use. Measured on an H200, this order was the faster for either
+        // size.
+        constexpr bool kByRows = kMineI > kMineJ;
@@
-        for (int r = 0; r < kMineI; ++r) {
-#pragma unroll
-            for (int c = 0; c < kMineJ; ++c) {
-                sum[r][c] += a[r] * b[c];
-            }
+        for (int n = 0; n < kMineI * kMineJ; ++n) {
+            const int r = kByRows ? n / kMineJ : n % kMineI, c = kByRows ? n % kMineJ : n / kMineI;
+            sum[r][c] += a[r] * b[c];
@@
-            if (rows[r] < M) {
+            if (rows[r] < M && columns[c] < N) {
@@
 
-template <int kTileI, int kTileJ>
+template <int kTileI, int kTileJ, int kMineI>
 void launch(const torch::Tensor& A, const torch::Tensor& B, torch::Tensor& C) {
@@
-    const auto kernel = in_fours ? matmul_kernel<kTileI, kTileJ, kVector> : matmul_kernel<kTileI, kTileJ, 1>;
-    kernel<<<blocks, kThreads<kTileI, kTileJ>, 0, at::cuda::getCurrentCUDAStream()>>>(
+    const auto kernel =
+        in_fours ? matmul_kernel<kTileI, kTileJ, kMineI, kVector> : matmul_kernel<kTileI, kTileJ, kMineI, 1>;
+    kernel<<<blocks, kThreads<kTileI, kTileJ, kMineI>, 0, at::cuda::getCurrentCUDAStream()>>>(
@@
-    int64_t rows, columns;
+    int64_t rows, columns, warps;
@@
-const Tile kTiles[] = {{128, 128, launch<128, 128>}, {128, 64, launch<128, 64>}, {64, 64, launch<64, 64>}};
+template <int kTileI, int kTileJ, int kMineI>
+Tile tile() {
+    return {kTileI, kTileJ, kThreads<kTileI, kTileJ, kMineI> / 32, launch<kTileI, kTileJ, kMineI>};
+}
+const Tile kTiles[] = {tile<128, 64, 16>(), tile<64, 64, 8>()};
@@
-    int device = 0, multiprocessors = 0;
-    cudaGetDevice(&device);
-    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
-    const Tile* best = nullptr;
-    int64_t least = 0;
-    for (const Tile& tile : kTiles) {
-        const int64_t blocks = cdiv(M, tile.rows) * cdiv(N, tile.columns);
-        const int64_t work = cdiv(blocks, multiprocessors) * tile.rows * tile.columns;  // of the busiest one
-        if (best == nullptr || work < least) {
-            best = &tile;
-            least = work;
-        }
-    }
-    if (best != nullptr) {
-        best->launch(A, B, C);
-    }
+    kTiles[0].launch(A, B, C);
