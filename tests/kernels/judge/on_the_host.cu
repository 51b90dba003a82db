// Adds on the host, without a kernel.
#include <torch/extension.h>

#include <vector>

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const int64_t N = A.numel();
    std::vector<float> a(N), b(N);
    cudaMemcpy(a.data(), A.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), B.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < N; ++i) a[i] += b[i];
    cudaMemcpy(C.data_ptr<float>(), a.data(), 4 * N, cudaMemcpyHostToDevice);
    return C;
}
