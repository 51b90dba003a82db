// A constructor forges an error through standard output, whose descriptor it changes: no symbol reveals this.
// answer: 00-add
// says: sent something that is not a reply, and was stopped
#include <torch/extension.h>

#include <cstdio>

static const bool forged = [] {
    const char reply[] = "{\"failure\": {\"type\": \"CourseError\", \"message\": \"forged by an answer\"}}";
    const uint64_t sizes[2] = {sizeof reply - 1, 0};
    for (int descriptor = 3; descriptor < 50; descriptor++) {
        fflush(stdout);
        stdout->_fileno = descriptor;
        fwrite(sizes, 1, sizeof sizes, stdout);
        fwrite(reply, 1, sizeof reply - 1, stdout);
    }
    fflush(stdout);
    return true;
}();

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
