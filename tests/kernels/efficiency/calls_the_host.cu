// A kernel that calls a function of the host, which a test puts in the place of CALL.
#include <torch/extension.h>

#include <cstring>
namespace std {
size_t _Fnv_hash_bytes(const void*, size_t, size_t);
}
__device__ size_t (*volatile pointer)(const void*, size_t, size_t) = &std::_Hash_bytes;
__device__ float (*volatile sine)(float) = &sinf;
__global__ void kernel(const float* a, float* c) {
    const int i = threadIdx.x;
    c[i] = sine(a[i]) + (CALL == 0);  // what the device has can be called through a pointer
}
torch::Tensor called(torch::Tensor A) {
    auto C = torch::empty_like(A);
    if (strncmp("a", "b", 1) == 0) return C;
    kernel<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
