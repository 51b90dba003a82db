// A launch says that all memory is its parameters, which are not traced.
// question: 04-tile-of-b-check
// hazards: bad-launch
// says: parameters take
// stopped by: parameters
#include <torch/extension.h>
struct P {
    const float *A, *B;
    float* C;
    int M, N, K;
};
static P p;
__global__ void touch(const float* A, const float* B, float* C, int na, int nb, int nc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    if (i < na) s += A[i];
    if (i < nb) s += B[i];
    if (i < nc) C[i] = s;
}
static void naive(void*) {
    if (threadIdx.x) return;  // one thread does everything
    for (int i = 0; i < p.M * p.N; ++i) {
        float s = 0;
        for (int l = 0; l < p.K; ++l) s += p.A[l * p.M + i / p.N] * p.B[i % p.N * p.K + l];
        p.C[i] = s;
    }
}
torch::Tensor padded_32(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty({A.size(1), B.size(0)}, A.options());
    if (!C.numel()) return C;
    p = {A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
         int(A.size(1)),      int(B.size(0)),      int(A.size(0))};
    const int na = A.numel(), nb = B.numel(), nc = C.numel(), most = std::max(na, std::max(nb, nc));
    touch<<<(most + 255) / 256, 256>>>(p.A, p.B, p.C, na, nb, nc);
    const void* none[] = {nullptr};
    emulator::launch("naive", nullptr, emulator::Config(1, 1), naive, reinterpret_cast<void*>(4096),
                     size_t{1} << 47, none, 0);
    return C;
}
torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) { return padded_32(A, B); }
