// 4 x 4 outputs per thread in registers, from shared tiles of 32 x 32 x 8.
// task: tiled_matmul
#include <torch/extension.h>

constexpr int BM = 32, BN = 32, BK = 8, TM = 4, TN = 4;

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[BK][BM];
    __shared__ float Bs[BK][BN + 1];
    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN), tc = tid % (BN / TN);
    float acc[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BK * BM; e += blockDim.x) {
            const int k = e / BM, m = e % BM, gm = blockIdx.y * BM + m;
            As[k][m] = (k0 + k < K && gm < M) ? A[(k0 + k) * M + gm] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += blockDim.x) {
            const int n = e / BK, k = e % BK, gn = blockIdx.x * BN + n;
            Bs[k][n] = (k0 + k < K && gn < N) ? B[gn * K + k0 + k] : 0.f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            const int row = blockIdx.y * BM + tr * TM + i, col = blockIdx.x * BN + tc * TN + j;
            if (row < M && col < N) C[row * N + col] = acc[i][j];
        }
    }
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (C.numel()) {
        const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
        matmul_kernel<<<grid, (BM / TM) * (BN / TN)>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                                        M, N, K);
    }
    return C;
}
