// The host reads the tensors through a library's own code, and kernels only store its results.
// question: 04-tile-of-b-check
// hazards: host-access
// says: the wrapper uses .* through its device pointer
// stopped by: device memory
#include <torch/extension.h>

#include <string>
struct Chunk {
    float v[512];
};
__global__ void put(Chunk c, float* C, int n) {
    if (threadIdx.x < n) C[threadIdx.x] = c.v[threadIdx.x];
}
torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda() && A.scalar_type() == torch::kFloat32 &&
                B.scalar_type() == torch::kFloat32 && A.dim() == 2 && B.dim() == 2 &&
                A.size(0) == B.size(1) && A.is_contiguous() && B.is_contiguous());
    const int M = A.size(1), N = B.size(0), K = A.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (!C.numel()) return C;
    std::string sa, sb;
    sa.append(reinterpret_cast<const char*>(A.data_ptr<float>()), A.numel() * 4);
    sb.append(reinterpret_cast<const char*>(B.data_ptr<float>()), B.numel() * 4);
    const float* a = reinterpret_cast<const float*>(sa.data());
    const float* b = reinterpret_cast<const float*>(sb.data());
    Chunk c;
    for (int first = 0; first < M * N; first += 512) {
        const int n = std::min(512, M * N - first);
        for (int i = first; i < first + n; ++i) {
            float s = 0;
            for (int l = 0; l < K; ++l) s += a[l * M + i / N] * b[i % N * K + l];
            c.v[i - first] = s;
        }
        put<<<1, 512>>>(c, C.data_ptr<float>() + first, n);
    }
    return C;
}
