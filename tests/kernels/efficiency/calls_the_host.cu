// A kernel that calls a function of the host; a test replaces CALL with the call.
#include <torch/extension.h>

#include <cstring>
#include <string>
__device__ decltype(&std::__hash_memory) volatile pointer = &std::__hash_memory;
__device__ float (*volatile sine)(float) = &sinf;
__global__ void kernel(const float* a, float* c) {
    const int i = threadIdx.x;
    c[i] = sine(a[i]) + (CALL == 0);  // a device function can be called through a pointer
}
torch::Tensor called(torch::Tensor A) {
    auto C = torch::empty_like(A);
    if (strncmp("a", "b", 1) == 0) return C;
    kernel<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
