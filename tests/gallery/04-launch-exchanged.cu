// The number of blocks and the number of threads are exchanged in the launch.
// task: tiled_matmul_padded
// refused by: emulator, nvcc
// says: the number of blocks comes first, but line .* passes threads first
#include <course/checks.h>

constexpr int kTile = 16;  // rows and columns of a tile, and of a block

template <int kPad>
__global__ void tiled_matmul_kernel(const float* __restrict__ A, const float* __restrict__ B,
                                    float* __restrict__ C, int64_t M, int64_t N, int64_t K) {
    __shared__ float As[kTile][kTile];  // As[k][i]
    __shared__ float Bs[kTile][kTile + kPad];  // Bs[j][k]
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    float sum = 0.0f;
    for (int64_t k0 = 0; k0 < K; k0 += kTile) {
        As[ty][tx] = k0 + ty < K && i0 + tx < M ? A[(k0 + ty) * M + i0 + tx] : 0.0f;
        Bs[ty][tx] = j0 + ty < N && k0 + tx < K ? B[(j0 + ty) * K + k0 + tx] : 0.0f;
        __syncthreads();  // no thread uses the tiles before they are complete
        for (int k = 0; k < kTile; ++k) {
            sum += As[k][ty] * Bs[tx][k];
        }
        __syncthreads();  // no thread overwrites the tiles before all have used them
    }
    if (i0 + ty < M && j0 + tx < N) {
        C[(i0 + ty) * N + j0 + tx] = sum;
    }
}

template <int kPad>
torch::Tensor launch(const torch::Tensor& A, const torch::Tensor& B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    course::check_shape({B, "B"}, {B.size(0), A.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) {
        return C;
    }
    const dim3 threads(kTile, kTile);
    const dim3 blocks(course::cdiv(N, kTile), course::cdiv(M, kTile));
    tiled_matmul_kernel<kPad><<<threads, blocks, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}

static torch::Tensor unpadded(torch::Tensor A, torch::Tensor B) { return launch<0>(A, B); }

torch::Tensor padded(torch::Tensor A, torch::Tensor B) { return launch<1>(A, B); }
