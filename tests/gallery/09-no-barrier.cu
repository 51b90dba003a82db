// There is no barrier after the wait, so a thread may read elements whose copies by other threads have not ended.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: race
// says: writes \(asynchronously\) what line \d+ .* reads in another thread; .* a __syncthreads\(\) is needed between
#include <ATen/cuda/CUDAContext.h>
#include <cuda_pipeline.h>
#include <torch/extension.h>

constexpr int kTile = 128;            // rows and columns of C that a block makes
constexpr int kDepth = 8;             // values of k in a step
constexpr int kStages = 3;            // tiles in shared memory: one in use, the others being copied
constexpr int kMine = 8;              // rows and columns of C that a thread makes, in groups of kVector
constexpr int kVector = 4;            // floats in a float4
constexpr int kPad = 4;               // floats after each row of Bs, against bank conflicts
constexpr int kSide = kTile / kMine;  // threads of a block in x, and in y
constexpr int kThreads = kSide * kSide;
constexpr int kBlocks = 2;  // blocks that a multiprocessor should hold: 65536 registers / (2 * 256) are 128 per thread

// The float4 at this address, which must be a multiple of 16.
__device__ float4& four(float* place) { return *reinterpret_cast<float4*>(place); }
__device__ const float4& four(const float* place) { return *reinterpret_cast<const float4*>(place); }

__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    __shared__ __align__(16) float As[kStages][kDepth][kTile];         // As[slot][k][i]
    __shared__ __align__(16) float Bs[kStages][kDepth][kTile + kPad];  // Bs[slot][k][j]
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kSide + tx;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    const int64_t steps = K / kDepth;

    // Starts this thread's copies of a step's tiles: one float4 of A, and single floats of B to transposed places.
    const auto copy = [&](int64_t step, int slot) {
        if (step < steps) {
            const int k_A = t / (kTile / kVector), i_A = t % (kTile / kVector) * kVector;
            const int k_B = t % kDepth, j_B = t / kDepth;
            const int64_t k0 = step * kDepth;
            __pipeline_memcpy_async(&As[slot][k_A][i_A], &A[(k0 + k_A) * M + i0 + i_A], sizeof(float4));
#pragma unroll
            for (int j = j_B; j < kTile; j += kThreads / kDepth) {
                __pipeline_memcpy_async(&Bs[slot][k_B][j], &B[(j0 + j) * K + k0 + k_B], sizeof(float));
            }
        }
        __pipeline_commit();  // one batch per step, even an empty one, so that batches can be counted
    };

    float sum[kMine][kMine] = {};
    // Adds the products of the tiles in `slot`.
    const auto multiply = [&](int slot) {
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float a[kMine], b[kMine];
#pragma unroll
            for (int n = 0; n < kMine; n += kVector) {
                four(&a[n]) = four(&As[slot][k][ty * kVector + n * kSide]);
                four(&b[n]) = four(&Bs[slot][k][tx * kVector + n * kSide]);
            }
#pragma unroll
            for (int r = 0; r < kMine; ++r) {
#pragma unroll
                for (int c = 0; c < kMine; ++c) {
                    sum[r][c] += a[r] * b[c];
                }
            }
        }
    };

    for (int step = 0; step < kStages - 1; ++step) {
        copy(step, step);
    }
    int slot = 0;
    for (int64_t step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kStages - 2);  // all but the last of this thread's batches have arrived
        copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
        multiply(slot);
        slot = slot + 1 == kStages ? 0 : slot + 1;
    }
#pragma unroll
    for (int r = 0; r < kMine; ++r) {
        const int64_t i = i0 + ty * kVector + r / kVector * kVector * kSide + r % kVector;
#pragma unroll
        for (int n = 0; n < kMine; n += kVector) {
            four(&C[i * N + j0 + tx * kVector + n * kSide]) = four(&sum[r][n]);
        }
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.dim() == 2 && B.dim() == 2, "A and B must be matrices");
    TORCH_CHECK(A.size(0) == B.size(1), "A has ", A.size(0), " rows but B has ", B.size(1), " columns");
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32,
                "A and B must be float32");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    TORCH_CHECK(M % kTile == 0 && N % kTile == 0 && K % kDepth == 0, "M and N must be multiples of ", kTile,
                " and K of ", kDepth);
    TORCH_CHECK(reinterpret_cast<uintptr_t>(A.data_ptr<float>()) % sizeof(float4) == 0 &&
                    reinterpret_cast<uintptr_t>(B.data_ptr<float>()) % sizeof(float4) == 0,
                "A and B must begin at a multiple of 16 bytes");
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) {
        return C;
    }
    const dim3 threads(kSide, kSide);
    const dim3 blocks(N / kTile, M / kTile);
    TORCH_CHECK(blocks.y <= 65535, "C has too many rows");
    matmul_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
