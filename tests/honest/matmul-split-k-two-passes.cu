// Split-K with a workspace of partial products and a second kernel that adds them.
// task: transposed_matmul
#include <torch/extension.h>

__global__ void partial(const float* A, const float* B, float* parts, int M, int N, int K, int each) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= M || j >= N) return;
    float sum = 0;
    for (int k = blockIdx.z * each; k < min(K, ((int)blockIdx.z + 1) * each); ++k) sum += A[k * M + i] * B[j * K + k];
    parts[(blockIdx.z * M + i) * N + j] = sum;
}
__global__ void add_parts(const float* parts, float* C, int count, int splits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
    for (int s = 0; s < splits; ++s) sum += parts[s * count + i];
    C[i] = sum;
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0), splits = 4, each = (K + splits - 1) / splits;
    auto C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    auto parts = torch::empty({splits, M, N}, A.options());
    partial<<<dim3((N + 15) / 16, (M + 15) / 16, splits), dim3(16, 16)>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), parts.data_ptr<float>(), M, N, K, each);
    add_parts<<<(M * N + 255) / 256, 256>>>(parts.data_ptr<float>(), C.data_ptr<float>(), M * N, splits);
    return C;
}
