// Conversions, arithmetic and dispatch with half precision.
#include <cuda_fp16.h>
#include <torch/extension.h>

__global__ void half_to_float(const __half* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __half2float(a[i]);
}

__global__ void float_to_half(const float* a, __half* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __float2half(a[i]);
}

const __half* half_pointer(const torch::Tensor& A) {
    return reinterpret_cast<const __half*>(A.data_ptr<at::Half>());
}
torch::Tensor widened(torch::Tensor A) {
    auto C = torch::empty_like(A, A.options().dtype(torch::kFloat));
    half_to_float<<<(A.numel() + 255) / 256, 256>>>(half_pointer(A), C.data_ptr<float>(), A.numel());
    return C;
}

torch::Tensor narrowed(torch::Tensor A) {
    auto C = torch::empty_like(A, A.options().dtype(torch::kHalf));
    float_to_half<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), (half*)C.data_ptr(), A.numel());
    return C;
}

__global__ void half_arithmetic(const half* a, const half* b, half* c, int* tests, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hadd(a[i], b[i]);
    c[n + i] = __hsub(a[i], b[i]);
    c[2 * n + i] = __hmul(a[i], b[i]);
    c[3 * n + i] = __hdiv(a[i], b[i]);
    c[4 * n + i] = __hfma(a[i], b[i], a[i]);
    c[5 * n + i] = hexp(__hneg(__habs(a[i])));
    tests[i] = __hlt(a[i], b[i]) | __hge(a[i], b[i]) << 1 | __heq(a[i], a[i]) << 2 | __hisnan(a[i]) << 3;
    const half2 sum = __hadd2(__halves2half2(a[i], b[i]), __half2half2(a[i]));
    const half2 fused = __hfma2(sum, sum, __float2half2_rn(1.0f));
    c[6 * n + i] = __low2half(sum);
    c[7 * n + i] = __high2half(fused);
}

std::vector<torch::Tensor> halves(torch::Tensor A, torch::Tensor B) {
    const int n = A.numel();
    auto C = torch::empty({8, n}, A.options());
    auto T = torch::empty({n}, A.options().dtype(torch::kInt));
    half_arithmetic<<<(n + 255) / 256, 256>>>(half_pointer(A), half_pointer(B), (half*)C.data_ptr<at::Half>(),
                                              T.data_ptr<int>(), n);
    return {C, T};
}

template <typename scalar_t>
__global__ void scale(const scalar_t* a, scalar_t* c, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = static_cast<scalar_t>(static_cast<float>(a[i]) * factor) + a[i] * scalar_t(2);
}

torch::Tensor scaled(torch::Tensor A, double factor) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "scaled", [&] {
        scale<scalar_t><<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(),
                                                          factor, A.numel());
    });
    return C;
}
