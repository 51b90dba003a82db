// Each thread computes the rows ty, ty + 16, ..., but stores to eight successive rows.
// task: fast_matmul_whole_tiles
// refused by: emulator, nvcc
// says: Rows of C are exchanged with other rows, and columns with other columns
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kTile = 128;            // rows and columns of C that a block makes
constexpr int kDepth = 8;             // values of k in a step
constexpr int kMine = 8;              // rows and columns of C that a thread makes
constexpr int kSide = kTile / kMine;  // threads of a block in x, and in y

__global__ void __launch_bounds__(kSide * kSide)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    __shared__ float As[kDepth][kTile];  // As[k][i]
    __shared__ float Bs[kDepth][kTile];  // Bs[k][j]
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kSide + tx;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    float sum[kMine][kMine] = {};
    for (int64_t k0 = 0; k0 < K; k0 += kDepth) {
        for (int e = t; e < kDepth * kTile; e += kSide * kSide) {
            As[e / kTile][e % kTile] = A[(k0 + e / kTile) * M + i0 + e % kTile];
            Bs[e % kDepth][e / kDepth] = B[(j0 + e / kDepth) * K + k0 + e % kDepth];
        }
        __syncthreads();  // no thread uses the tiles before they are complete
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float a[kMine], b[kMine];
#pragma unroll
            for (int n = 0; n < kMine; ++n) {
                a[n] = As[k][ty + n * kSide];
                b[n] = Bs[k][tx + n * kSide];
            }
#pragma unroll
            for (int r = 0; r < kMine; ++r) {
#pragma unroll
                for (int c = 0; c < kMine; ++c) {
                    sum[r][c] += a[r] * b[c];
                }
            }
        }
        __syncthreads();  // no thread overwrites the tiles before all have used them
    }
#pragma unroll
    for (int r = 0; r < kMine; ++r) {
#pragma unroll
        for (int c = 0; c < kMine; ++c) {
            C[(i0 + ty * kMine + r) * N + j0 + tx * kMine + c] = sum[r][c];
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
