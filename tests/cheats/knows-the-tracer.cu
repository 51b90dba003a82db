// The host adds, but if a copy that is not elided shows that it is traced, a kernel stores instead.
// question: 00-add-check
// says: elements of the output are wrong
// stopped by: values of traced calls
#include <torch/extension.h>

// The traced build elides no copies, so a source can tell that it is traced.
struct Moved {
    int times = 0;
    Moved() = default;
    Moved(Moved&& other) : times(other.times + 1) {}
};
static Moved moved() {
    Moved local;
    return local;
}
static const bool kTraced = moved().times > 0;

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N, bool traced) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (traced && i < N) C[i] = A[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    const float *a = A.data_ptr<float>(), *b = B.data_ptr<float>();
    float* c = C.data_ptr<float>();
    for (int64_t i = 0; !kTraced && i < N; i++) c[i] = a[i] + b[i];
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(a, b, c, N, kTraced);
    return C;
}
