// A float4 is read at an address that is not a multiple of 16.
// hazard: misaligned
// says: a float4 or 8 halves need 16 bytes
#include <torch/extension.h>

__global__ void copy_quads(const float4* a, float4* c) { c[threadIdx.x] = a[threadIdx.x]; }

torch::Tensor misaligned(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_quads<<<1, 2>>>(reinterpret_cast<const float4*>(A.data_ptr<float>() + 1),
                         reinterpret_cast<float4*>(C.data_ptr<float>()));
    return C;
}
