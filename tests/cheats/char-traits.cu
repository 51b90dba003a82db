// A copy in a standard header, which g++ did not trace, reads the matrices.
// question: 04-tile-of-b-sectors-check
// hazards: out-of-bounds
// says: reads past the end
// stopped by: tracer
#include <torch/extension.h>

#include <string>
__device__ float ld(const float* p) {
    float t[3];
    std::char_traits<char>::copy(reinterpret_cast<char*>(t), reinterpret_cast<const char*>(p), 12);
    return t[0];
}
__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float once = 0;
    for (int i = t; i < M * K; i += all) once += A[i];  // each element once, for the counts
    for (int i = t; i < N * K; i += all) once += B[i];
    for (int i = t; i < M * N; i += all) {
        float s = once * 0.f;
        for (int l = 0; l < K; ++l) s += ld(A + l * M + i / N) * ld(B + i % N * K + l);
        C[i] = s;
    }
}
torch::Tensor padded_32(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty({A.size(1), B.size(0)}, A.options());
    if (C.numel())
        k<<<(C.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                            A.size(1), B.size(0), A.size(0));
    return C;
}
