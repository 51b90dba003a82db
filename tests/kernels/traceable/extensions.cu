// Attributes, pragmas and builtins of GCC that nvcc takes and that hide no access.

// clang-format off
#include <ATen/cuda/CUDAContext.h>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>
#define TILE 32
#include <vector>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma nv_diag_suppress 177
#pragma STDC FP_CONTRACT OFF
_Pragma("GCC diagnostic ignored \"-Wunused-function\"")
struct __attribute__((aligned(16))) Four { float x, y, z, w; };
struct __align__(8) Two { float x, y; };
struct alignas(32) Eight { float v[8]; };
#pragma pack(push, 1)
struct Packed { char c; float x; };
#pragma pack(pop)
struct [[nodiscard]] Kept { int first, second; };
__device__ float optimize(float x) { return x + 1; }
__device__ float alias(float x) { return optimize(x); }
__device__ float noinline(float x) { return alias(x); }
__device__ float weak, packed, section;
__device__ __noinline__ float2 halves(Four f) { return make_float2(f.x + f.y, f.z + f.w); }
__attribute__((noinline)) __device__ float sum(Four f) { float2 h = halves(f); return h.x + h.y; }
__forceinline__ __device__ int bits(unsigned x) { return __builtin_popcount(x) + __builtin_clz(x | 1) + __popc(x); }
C10_HOST_DEVICE inline float twice(float x) { return 2 * x; }
[[maybe_unused]] static float unused() { return NAN + INFINITY + HUGE_VALF + FLT_MAX; }
[[noreturn]] void fail(const char* why) { TORCH_CHECK(false, why); throw 1; }
__global__ void __launch_bounds__(TILE) kernel(const Four* __restrict__ a, float* __restrict__ c, int n) {
    const int i = threadIdx.x;
    __builtin_assume(n > 0);
    __builtin_assume(i < n);
    if (__builtin_expect(i >= n, 0)) return;
    const Four* from = static_cast<const Four*>(__builtin_assume_aligned(a, 16));
    assert(i < n);
    float total = 0;
#pragma unroll
    for (int k = 0; k < 1; ++k) total += sum(from[i]);
#pragma unroll 4
    for (int k = 0; k < 4; ++k) total += noinline(twice(bits(k))) * 0;
    switch (n) {
        case 0: total = std::numeric_limits<float>::quiet_NaN(); [[fallthrough]];
        case 1: total = -1; break;
        default: if (isnan(total) || std::isinf(total)) [[unlikely]] __builtin_unreachable();
    }
    c[i] = total + offsetof(Kept, second) * 0 + CHAR_BIT * 0;
}
torch::Tensor run(torch::Tensor A) {
    if (__builtin_expect(A.numel() == 0, false)) fail("empty");
    TORCH_CHECK(A.is_contiguous(), "A must be contiguous");
    auto C = torch::empty({A.numel() / 4}, A.options());
    kernel<<<1, TILE>>>(reinterpret_cast<const Four*>(A.data_ptr<float>()), C.data_ptr<float>(), A.numel() / 4);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
#pragma GCC diagnostic pop
