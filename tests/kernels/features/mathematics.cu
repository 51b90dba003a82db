// Functions of floats, in the order of the rows of the result, and functions of integers.
#include <torch/extension.h>

#define STORE(value) *out = value, out += n

__global__ void mathematics(const float* a, const float* b, float* c, int n) {
    const int i = threadIdx.x;
    const float x = a[i], y = b[i];
    float* out = c + i;
    STORE(expf(x));
    STORE(logf(x));
    STORE(sqrtf(x));
    STORE(rsqrtf(x));
    STORE(tanhf(x));
    STORE(sinf(x));
    STORE(cosf(x));
    STORE(erff(x));
    STORE(log1pf(x));
    STORE(fabsf(x));
    STORE(floorf(x));
    STORE(ceilf(x));
    STORE(exp2f(x));
    STORE(log2f(x));
    STORE(expm1f(x));
    STORE(__expf(x));
    STORE(__logf(x));
    STORE(__sinf(x));
    STORE(__cosf(x));
    STORE(__frsqrt_rn(x));
    STORE(__frcp_rn(x));
    STORE(__log2f(x));
    STORE(__log10f(x));
    STORE(__saturatef(x));
    STORE(abs(x));
    STORE(exp(x));
    STORE(sqrt(x));
    STORE(tanh(x));
    STORE(fabs(x));
    STORE(rsqrt(x));
    STORE(normcdff(x));
    STORE(rcbrtf(x));
    STORE(fmaxf(x, y));
    STORE(fminf(x, y));
    STORE(powf(x, y));
    STORE(__powf(x, y));
    STORE(fmodf(x, y));
    STORE(__fdividef(x, y));
    STORE(max(x, y));
    STORE(min(x, y));
    STORE(atan2f(x, y));
    STORE(hypotf(x, y));
    STORE(__fadd_rn(x, y));
    STORE(__fmul_rn(x, y));
    STORE(fdividef(x, y));
    STORE(pow(x, y));
    STORE(fmax(x, y));
    STORE(copysignf(x, y));
}

torch::Tensor maths(torch::Tensor A, torch::Tensor B, int64_t functions) {
    auto C = torch::empty({functions, A.numel()}, A.options());
    mathematics<<<1, A.numel()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void integers(int* c) {
    int k = 0;
    c[k++] = __popc(0xF0F0u), c[k++] = __clz(1), c[k++] = __clz(0), c[k++] = __ffs(8), c[k++] = __ffs(0);
    c[k++] = __popcll(~0ull), c[k++] = __clzll(1), c[k++] = static_cast<int>(__brev(1u));
    c[k++] = __mul24(-3, 5), c[k++] = __umulhi(0x80000000u, 4u), c[k++] = min(3, 5), c[k++] = max(-3, -5);
    c[k++] = max(7u, 5), c[k++] = min(1LL << 40, 9LL), c[k++] = abs(-9), c[k++] = __float2int_rn(2.5f);
    c[k++] = __float2int_rz(-2.7f), c[k++] = __float_as_int(1.0f),
    c[k++] = __funnelshift_l(0x80000000u, 1u, 1);
    float s, t;
    sincosf(0.0f, &s, &t);
    c[k++] = static_cast<int>(s + t), c[k++] = isnan(NAN) && isinf(INFINITY) && !isfinite(-INFINITY);
    c[k++] = __ldg(c) + static_cast<int>(warpSize), c[k++] = INT_MAX == 2147483647;
    c[k++] = __byte_perm(0x33221100u, 0x77665544u, 0x0426u),
    c[k++] = __byte_perm(0x33221180u, 0u, 0xFFFF0128u);
}

torch::Tensor integer_maths() {
    auto C = torch::empty({25}, torch::dtype(torch::kInt).device(torch::kCUDA));
    integers<<<1, 1>>>(C.data_ptr<int>());
    return C;
}
