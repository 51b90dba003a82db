// A tiled matrix product with edges.
// tiled_matmul: rows(A) @ torch.ones(A.numel() // 9, 7)

__global__ void products(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[8][8], Bs[8][8];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k += 8) {
        As[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] =
            k + threadIdx.y < K && column < N ? B[(k + threadIdx.y) * N + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && column < N) C[row * N + column] = sum;
}
torch::Tensor tiled_matmul(torch::Tensor A) {
    const int M = 9, K = A.numel() / 9, N = 7;
    auto B = torch::ones({K, N}, A.options()), C = torch::empty({M, N}, A.options());
    products<<<dim3(1, 2), dim3(8, 8)>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N,
                                         K);
    return C;
}
