// A tiled matrix product with edges.

constexpr int T = 8;
__global__ void tiled(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[T][T], Bs[T][T];
    const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k += T) {
        As[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] =
            k + threadIdx.y < K && column < N ? B[(k + threadIdx.y) * N + column] : 0;
        __syncthreads();
        for (int l = 0; l < T; ++l) sum += As[threadIdx.y][l] * Bs[l][threadIdx.x];
        __syncthreads();
    }
    if (row < M && column < N) C[row * N + column] = sum;
}
torch::Tensor matmul(torch::Tensor A, torch::Tensor B) {
    const int M = A.size(0), K = A.size(1), N = B.size(1);
    auto C = torch::empty({M, N}, A.options());
    tiled<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                                  C.data_ptr<float>(), M, N, K);
    return C;
}
