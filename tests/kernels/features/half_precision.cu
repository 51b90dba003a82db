// Conversions, arithmetic and dispatch with the two floats of 16 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What has other names for the two types.
#define NAMES(Names, one, two, name)                                                                   \
    struct Names {                                                                                     \
        using One = one;                                                                               \
        using Two = two;                                                                               \
        static __device__ float widened(One x) { return __##name##2float(x); }                         \
        static __device__ One narrowed(float x) { return __float2##name(x); }                          \
        static __device__ One rounded(double x) { return __double2##name(x); }                         \
        static __device__ int whole(One x) { return __##name##2int_rz(x); }                            \
        static __device__ One from_whole(int x) { return __int2##name##_rn(x); }                       \
        static __device__ Two joined(One a, One b) { return __halves2##name##2(a, b); }                \
        static __device__ Two twice(One a) { return __##name##2##name##2(a); }                         \
        static __device__ Two twice(float a) { return __float2##name##2_rn(a); }                       \
        static __device__ Two pair(float2 v) { return __float22##name##2_rn(v); }                      \
        static __device__ float2 floats(Two v) { return __##name##22float2(v); }                       \
        static __device__ One low(Two v) { return __low2##name(v); }                                   \
        static __device__ One high(Two v) { return __high2##name(v); }                                 \
        static __device__ One same_bits(One x) { return __ushort_as_##name(__##name##_as_ushort(x)); } \
    };
NAMES(OfHalf, __half, __half2, half)
NAMES(OfBfloat16, __nv_bfloat16, __nv_bfloat162, bfloat16)
template <class T>
using NamesOf = std::conditional_t<std::is_same_v<T, at::Half>, OfHalf, OfBfloat16>;
template <class T>
auto* pointer(const torch::Tensor& A) {
    return reinterpret_cast<typename NamesOf<T>::One*>(A.data_ptr<T>());
}

template <class Names>
__global__ void to_float(const typename Names::One* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = Names::widened(Names::same_bits(a[i]));
}

template <class Names>
__global__ void from_float(const float* a, typename Names::One* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = Names::narrowed(a[i]);
}

torch::Tensor widened(torch::Tensor A) {
    auto C = torch::empty_like(A, A.options().dtype(torch::kFloat));
    AT_DISPATCH_REDUCED_FLOATING_TYPES(A.scalar_type(), "widened", [&] {
        to_float<NamesOf<scalar_t>>
            <<<(A.numel() + 255) / 256, 256>>>(pointer<scalar_t>(A), C.data_ptr<float>(), A.numel());
    });
    return C;
}

torch::Tensor narrowed(torch::Tensor A, torch::Tensor like) {
    auto C = torch::empty_like(A, like.options());
    AT_DISPATCH_REDUCED_FLOATING_TYPES(C.scalar_type(), "narrowed", [&] {
        from_float<NamesOf<scalar_t>>
            <<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), pointer<scalar_t>(C), A.numel());
    });
    return C;
}

template <class Names>
__global__ void short_arithmetic(const typename Names::One* a, const typename Names::One* b,
                                 typename Names::One* c, int* tests, int n) {
    using Two = typename Names::Two;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hadd(a[i], b[i]);
    c[n + i] = __hsub(a[i], b[i]);
    c[2 * n + i] = __hmul(a[i], b[i]);
    c[3 * n + i] = __hdiv(a[i], b[i]);
    c[4 * n + i] = __hfma(a[i], b[i], a[i]);
    c[5 * n + i] = hexp(__hneg(__habs(a[i])));
    tests[i] = __hlt(a[i], b[i]) | __hge(a[i], b[i]) << 1 | __heq(a[i], a[i]) << 2 | __hisnan(a[i]) << 3;
    const Two sum = __hadd2(Names::joined(a[i], b[i]), Names::twice(a[i]));
    const Two fused = __hfma2(sum, sum, Names::twice(1.0f));
    c[6 * n + i] = Names::low(sum);
    c[7 * n + i] = Names::high(fused);
    c[8 * n + i] = Names::rounded(1.0 / (1 + i));
    c[9 * n + i] = Names::from_whole(Names::whole(Names::narrowed(i / 4.0f)));
    const float2 floats = Names::floats(h2sqrt(__hmax2(Names::pair({1.0f * i, 9.0f}), Names::twice(4.0f))));
    c[10 * n + i] = __shfl_xor_sync(0xFFFFFFFF, Names::narrowed(floats.x + floats.y), 1);
}

std::vector<torch::Tensor> halves(torch::Tensor A, torch::Tensor B) {
    const int n = A.numel();
    auto C = torch::empty({11, n}, A.options());
    auto T = torch::empty({n}, A.options().dtype(torch::kInt));
    AT_DISPATCH_REDUCED_FLOATING_TYPES(A.scalar_type(), "halves", [&] {
        short_arithmetic<NamesOf<scalar_t>><<<(n + 255) / 256, 256>>>(
            pointer<scalar_t>(A), pointer<scalar_t>(B), pointer<scalar_t>(C), T.data_ptr<int>(), n);
    });
    return {C, T};
}

// PyTorch's flags leave the operators of this type, and none of __half's.
__global__ void bfloat16_operators(const __nv_bfloat16* a, const __nv_bfloat162* b, __nv_bfloat162* c) {
    const __nv_bfloat16 x = a[threadIdx.x], y = x * x + x;
    c[threadIdx.x] = b[threadIdx.x];
    if (x != __float2bfloat16(0)) c[threadIdx.x] *= __bfloat162bfloat162(-y / x);
}

torch::Tensor operated(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(B);
    auto* b = reinterpret_cast<const __nv_bfloat162*>(B.data_ptr<at::BFloat16>());
    bfloat16_operators<<<1, A.numel()>>>(pointer<at::BFloat16>(A), b, (__nv_bfloat162*)C.data_ptr());
    return C;
}

template <typename scalar_t>
__global__ void scale(const scalar_t* a, scalar_t* c, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = static_cast<scalar_t>(static_cast<float>(a[i]) * factor) + a[i] * scalar_t(2);
}

torch::Tensor scaled(torch::Tensor A, double factor) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND2(torch::kHalf, torch::kBFloat16, A.scalar_type(), "scaled", [&] {
        scale<scalar_t><<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(),
                                                          factor, A.numel());
    });
    return C;
}
