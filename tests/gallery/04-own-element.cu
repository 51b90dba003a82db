// Each thread multiplies by the element of A that it has loaded, which belongs to another column.
// task: tiled_matmul_first_tile
// refused by: emulator, nvcc
// says: Each thread multiplies by the element of A that it has loaded itself
#include <course/checks.h>

constexpr int kTile = 16;  // rows and columns of a tile, and of a block

// K is at most kTile.
__global__ void one_tile_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                                int64_t M, int64_t N, int64_t K) {
    __shared__ float As[kTile][kTile];  // As[k][i]
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    const float a = ty < K && i0 + tx < M ? A[ty * M + i0 + tx] : 0.0f;  // outside of A there is nothing to load
    As[ty][tx] = a;
    __syncthreads();
    if (i0 + ty < M && j0 + tx < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) {
            const float b = B[(j0 + tx) * K + k];
            sum += a * b;
        }
        C[(i0 + ty) * N + j0 + tx] = sum;
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    course::check_shape({B, "B"}, {B.size(0), A.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    TORCH_CHECK(K <= kTile, "K must be at most ", kTile);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) {
        return C;
    }
    const dim3 threads(kTile, kTile);
    const dim3 blocks(course::cdiv(N, kTile), course::cdiv(M, kTile));
    one_tile_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
