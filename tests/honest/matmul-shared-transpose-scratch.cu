// A transpose through shared memory into a temporary of cudaMallocAsync, then the product.
// task: transposed_matmul
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int rows, int columns) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void rows_times_rows(const float* At, const float* B, float* C, int M, int N, int K) {
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (i >= M || j >= N) return;
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += At[i * K + k] * B[j * K + k];
    C[i * N + j] = sum;
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (!C.numel()) return C;
    auto stream = at::cuda::getCurrentCUDAStream().stream();
    float* At = nullptr;
    if (K) {
        AT_CUDA_CHECK(cudaMallocAsync(&At, sizeof(float) * M * K, stream));
        const dim3 grid((M + 31) / 32, (K + 31) / 32), block(TILE_DIM, BLOCK_ROWS);
        transpose<<<grid, block, 0, stream>>>(At, A.data_ptr<float>(), K, M);
    }
    rows_times_rows<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(At, B.data_ptr<float>(),
                                                                                   C.data_ptr<float>(), M, N, K);
    if (At) cudaFreeAsync(At, stream);
    return C;
}
