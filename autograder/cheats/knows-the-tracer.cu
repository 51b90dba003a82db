// The host adds where nobody looks, and a kernel where the course's own macro says that it is traced.
// question: 00-add-check
// hazards: host-access, unwritten-output
// says: .
// stopped by: tracer
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
#ifdef COURSE_TRACED
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
#endif
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    const float *a = A.data_ptr<float>(), *b = B.data_ptr<float>();
    float* c = C.data_ptr<float>();
#ifndef COURSE_TRACED
    for (int64_t i = 0; i < N; i++) c[i] = a[i] + b[i];
#endif
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(a, b, c, N);
    return C;
}
