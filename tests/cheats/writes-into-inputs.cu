// Sets both inputs to 0, so that a reference computed from them afterwards is 0, like its own result.
// question: 00-add-check
// hazards: modified-input
// says: Every element is 0
// stopped by: own inputs, inputs compared
#include <torch/extension.h>

__global__ void clear_kernel(float* A, float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) A[i] = B[i] = C[i] = 0.0f;
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) clear_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
