// BLAS, declared by hand, computes the product: cuBLAS where there is a GPU, else the BLAS inside PyTorch.
// question: 03-along-i-check
// hazards: library-call
// says: The answer calls \w*gemm\w*, which no kernel or wrapper of this course needs
// stopped by: allowed symbols, device memory
#include <torch/extension.h>

extern "C" void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*,
                       const int*, const float*, const int*, const float*, float*, const int*);

__global__ void copy_kernel(const float* P, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = P[i];
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    const int K = A.size(0), M = A.size(1), N = B.size(0), most = K > 1 ? K : 1;
    torch::Tensor C = torch::empty({M, N}, A.options()), P = torch::zeros_like(C);
    if (M * N == 0) return C;
    const float one = 1, zero = 0;  // column-major: C is B @ A
    if (K)
        sgemm_("T", "T", &N, &M, &K, &one, B.data_ptr<float>(), &most, A.data_ptr<float>(), &M, &zero,
               P.data_ptr<float>(), &N);
    copy_kernel<<<(M * N + 255) / 256, 256>>>(P.data_ptr<float>(), C.data_ptr<float>(), M * N);
    return C;
}
