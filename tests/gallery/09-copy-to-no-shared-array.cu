// The array that the asynchronous copies fill is not __shared__.
// task: fast_matmul_whole_tiles
// refused by: emulator
// says: Bs is not __shared__: line
// change of: 09-no-barrier
@@
-#include <ATen/cuda/CUDAContext.h>
+#include <course/checks.h>
@@
-#include <torch/extension.h>
@@
-constexpr int kBlocks = 2;  // blocks that a multiprocessor should hold: 65536 registers / (2 * 256) are 128 per thread
+constexpr int kBlocks = 2;  // blocks that a multiprocessor should hold: 65536 / (2 * 256) are 128 registers per thread
@@
-    __shared__ __align__(16) float Bs[kStages][kDepth][kTile + kPad];  // Bs[slot][k][j]
+    __align__(16) float Bs[kStages][kDepth][kTile + kPad];  // Bs[slot][k][j]
@@
-        __pipeline_wait_prior(kStages - 2);  // all but the last of this thread's batches have arrived
+        __pipeline_wait_prior(kStages - 2);  // this thread's copies of this step have arrived
+        __syncthreads();  // all other threads' have too, and all have used the slot that is copied to next
@@
-    TORCH_CHECK(A.dim() == 2 && B.dim() == 2, "A and B must be matrices");
-    TORCH_CHECK(A.size(0) == B.size(1), "A has ", A.size(0), " rows but B has ", B.size(1), " columns");
-    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
-    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32,
-                "A and B must be float32");
-    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
+    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
+    course::check_dim({A, "A"}, 2);
+    course::check_shape({B, "B"}, {B.size(0), A.size(0)});
+    const at::cuda::OptionalCUDAGuard guard(device_of(A));
@@
-    TORCH_CHECK(blocks.y <= 65535, "C has too many rows");
