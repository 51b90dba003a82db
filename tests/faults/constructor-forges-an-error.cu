// A constructor tells the judge, while the module is loaded, that the machine is at fault.
// answer: 00-add
// says: The answer calls write, which no kernel or wrapper of this course needs
#include <torch/extension.h>
#include <unistd.h>

static const bool forged = [] {
    const char reply[] = "{\"failure\": {\"type\": \"CourseError\", \"message\": \"forged by an answer\"}}";
    const unsigned long sizes[2] = {sizeof reply - 1, 0};
    for (int descriptor = 3; descriptor < 50; descriptor++)
        if (write(descriptor, sizes, sizeof sizes) > 0) return write(descriptor, reply, sizeof reply - 1) > 0;
    return false;
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
