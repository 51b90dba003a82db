// The rows of Bs are padded by one float, so not all of them begin at a multiple of 16 bytes.
// task: fast_matmul_whole_tiles
// refused by: emulator
// hazards: misaligned
// says: a vector access to an address that is not a multiple of its size
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

constexpr int kTile = 128;            // rows and columns of C that a block makes
constexpr int kDepth = 8;             // values of k in a step
constexpr int kMine = 8;              // rows and columns of C that a thread makes, in groups of kVector
constexpr int kVector = 4;            // floats in a float4
constexpr int kSide = kTile / kMine;  // threads of a block in x, and in y

// The float4 at this address, which must be a multiple of 16.
__device__ float4& four(float* place) { return *reinterpret_cast<float4*>(place); }
__device__ const float4& four(const float* place) { return *reinterpret_cast<const float4*>(place); }

template <int kPad>
__global__ void __launch_bounds__(kSide * kSide)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    __shared__ __align__(16) float As[kDepth][kTile];         // As[k][i]
    __shared__ __align__(16) float Bs[kDepth][kTile + kPad];  // Bs[k][j]
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * kSide + tx;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    // The float4 that this thread loads of each tile: along i in A, along k in B.
    const int k_A = t / (kTile / kVector), i_A = t % (kTile / kVector) * kVector;
    const int j_B = t / (kDepth / kVector), k_B = t % (kDepth / kVector) * kVector;
    float sum[kMine][kMine] = {};
    for (int64_t k0 = 0; k0 < K; k0 += kDepth) {
        four(&As[k_A][i_A]) = four(&A[(k0 + k_A) * M + i0 + i_A]);
        const float4 b4 = four(&B[(j0 + j_B) * K + k0 + k_B]);
        Bs[k_B][j_B] = b4.x;
        Bs[k_B + 1][j_B] = b4.y;
        Bs[k_B + 2][j_B] = b4.z;
        Bs[k_B + 3][j_B] = b4.w;
        __syncthreads();  // no thread uses the tiles before they are complete
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float a[kMine], b[kMine];
#pragma unroll
            for (int n = 0; n < kMine; n += kVector) {
                four(&a[n]) = four(&As[k][ty * kVector + n * kSide]);
                four(&b[n]) = four(&Bs[k][tx * kVector + n * kSide]);
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
        const int64_t i = i0 + ty * kVector + r / kVector * kVector * kSide + r % kVector;
#pragma unroll
        for (int n = 0; n < kMine; n += kVector) {
            four(&C[i * N + j0 + tx * kVector + n * kSide]) = four(&sum[r][n]);
        }
    }
}

template <int kPad>
torch::Tensor launch(const torch::Tensor& A, const torch::Tensor& B) {
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
    matmul_kernel<kPad><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}

torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<1>(A, B); }
