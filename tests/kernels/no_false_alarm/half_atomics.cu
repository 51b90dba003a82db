// Atomic additions of __half and __half2, and of bfloat16's types; sums of whole numbers are exact in any order.
// half_atomics: A.sum().expand(3)
// bfloat16_atomics: A.sum().expand(3)
// input: A.round()
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void add_halves(const float* a, __half* c, __half2* pairs, int n) {
    if (threadIdx.x >= n) return;
    atomicAdd(c, __float2half(a[threadIdx.x]));
    atomicAdd(pairs, __float2half2_rn(a[threadIdx.x]));
}
torch::Tensor half_atomics(torch::Tensor A) {
    auto C = torch::zeros({3}, A.options().dtype(torch::kHalf));
    auto* c = reinterpret_cast<__half*>(C.data_ptr<at::Half>());
    add_halves<<<1, 128>>>(A.data_ptr<float>(), c + 2, reinterpret_cast<__half2*>(c), A.numel());
    return C;
}

__global__ void add_bfloat16(const float* a, __nv_bfloat16* c, __nv_bfloat162* pairs, int n) {
    if (threadIdx.x >= n) return;
    atomicAdd(c, __float2bfloat16(a[threadIdx.x]));
    atomicAdd(pairs, __float2bfloat162_rn(a[threadIdx.x]));
}
torch::Tensor bfloat16_atomics(torch::Tensor A) {
    auto C = torch::zeros({3}, A.options().dtype(torch::kBFloat16));
    auto* c = reinterpret_cast<__nv_bfloat16*>(C.data_ptr<at::BFloat16>());
    add_bfloat16<<<1, 128>>>(A.data_ptr<float>(), c + 2, reinterpret_cast<__nv_bfloat162*>(c), A.numel());
    return C;
}
