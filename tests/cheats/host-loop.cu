// The host adds; a kernel only copies the sums.
// question: 00-add-check
// hazards: library-call
// says: The wrapper copied 160,088 bytes to the host and read them there
// stopped by: host work
#include <torch/extension.h>

#include <vector>

__global__ void copy_kernel(const float* S, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = S[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N == 0) return C;
    std::vector<float> a(N), b(N);
    cudaMemcpy(a.data(), A.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), B.data_ptr<float>(), 4 * N, cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < N; i++) a[i] += b[i];
    torch::Tensor S = torch::empty_like(A);
    cudaMemcpy(S.data_ptr<float>(), a.data(), 4 * N, cudaMemcpyHostToDevice);
    copy_kernel<<<(N + 255) / 256, 256>>>(S.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
