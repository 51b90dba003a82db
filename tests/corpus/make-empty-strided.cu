// An output stored by columns.
// call: by_columns(A)
// gives: torch.empty_strided((3, 4), (1, 3)).copy_(A)
#include <torch/extension.h>

__global__ void by_columns_kernel(const float* A, float* C, int M, int N) {
    C[threadIdx.y + threadIdx.x * M] = A[threadIdx.y * N + threadIdx.x];
}

torch::Tensor by_columns(torch::Tensor A) {
    const int64_t M = A.size(0), N = A.size(1);
    auto C = torch::empty_strided({M, N}, {1, M}, A.options());
    by_columns_kernel<<<1, dim3(N, M)>>>(A.data_ptr<float>(), C.data_ptr<float>(), M, N);
    return C;
}
