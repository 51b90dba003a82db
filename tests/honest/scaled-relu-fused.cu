// One fused kernel on a two-dimensional grid, with std::optional results of checks.
// task: scaled_relu
#include <torch/extension.h>
#include <optional>
#include <string>

static std::optional<std::string> problem(const torch::Tensor& A, const torch::Tensor& B) {
    if (!A.is_cuda() || !B.is_cuda()) return "A and B must be on the GPU";
    if (A.scalar_type() != torch::kFloat32 || B.scalar_type() != torch::kFloat32) return "A and B must be float32";
    if (A.dim() != 1 || B.dim() != 2 || A.size(0) != B.size(0)) return "A must have an element for each row of B";
    if (!A.is_contiguous() || !B.is_contiguous()) return "A and B must be contiguous";
    return std::nullopt;
}

__global__ void scaled_relu_kernel(const float* A, const float* B, float* C, float s, int M, int N) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = blockIdx.y; i < M; i += gridDim.y) {
        if (j < N) {
            const float x = A[i] * B[i * N + j] * s;
            C[i * N + j] = x < 0.0f ? 0.0f : x;
        }
    }
}

torch::Tensor scaled_relu(torch::Tensor A, torch::Tensor B, double s) {
    if (const auto text = problem(A, B)) TORCH_CHECK(false, *text);
    auto C = torch::empty_like(B);
    const int M = B.size(0), N = B.size(1);
    if (C.numel()) {
        const dim3 grid((N + 127) / 128, std::min(M, 32));
        scaled_relu_kernel<<<grid, 128>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), s, M, N);
    }
    return C;
}
