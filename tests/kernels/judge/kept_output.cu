// Adds into a tensor that is kept for the next call of the same size.
#include <torch/extension.h>

#include <map>

__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    int n = A.numel();
    static std::map<int, torch::Tensor> kept;
    if (!kept.count(n)) kept[n] = torch::empty({n}, A.options());
    torch::Tensor C = kept[n];
    if (n)
        add_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                             n);
    return C;
}
