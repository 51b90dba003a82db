// Functions of floats, in the order of the rows of the result, and functions of integers.

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
    STORE(erfinvf(x / 4));
    STORE(erfcinvf(x / 2));
    STORE(normcdfinvf(x / 4));
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
    STORE(rhypotf(x, y));
    STORE(norm3df(x, y, x));
    STORE(rnorm3df(x, y, x));
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
    c[k++] = __dp4a(0x01FF0203, 0x7F020304, 5), c[k++] = __dp4a(0x01FF0203u, 0x7F020304u, 5u);
    c[k++] = __mul64hi(-1LL << 62, 8LL), c[k++] = __umul64hi(~0ull, 16ull);
    c[k++] = __sad(INT_MIN, INT_MAX, 3u), c[k++] = __usad(1u, ~0u, 3u);
    c[k++] = __hadd(-3, 0), c[k++] = __rhadd(-3, 0), c[k++] = __hadd(INT_MAX, INT_MAX - 2);
    c[k++] = __uhadd(~0u, 1u), c[k++] = __urhadd(~0u, 2u);
    c[k++] = __vadd4(0x01FF7F80u, 0x01020304u), c[k++] = __vsub2(0x00010002u, 0x00020001u);
    c[k++] = __vabsdiffu4(0x01FF0000u, 0x02000100u), c[k++] = __vcmpeq4(0x01020304u, 0x01FF03FFu);
    c[k++] = __vmaxs4(0x80017F00u, 0x0100FF01u), c[k++] = __vcmpgtu4(0x80010203u, 0x01010104u);
    c[k++] = __hiloint2double(0x40080000, 0) == 3.0, c[k++] = __double2loint(-3.0) + __double2hiint(3.0);
    c[k++] = __double2int_rz(-1.5), c[k++] = __float2ll_rz(-3e9f) / 3, c[k++] = __float2uint_ru(1.25f);
    c[k++] = __float2int_rn(3e10f), c[k++] = __float2int_rz(-INFINITY), c[k++] = __float2uint_rz(-1.0f);
    c[k++] = __float2int_rz(NAN), c[k++] = __double2int_rz(NAN), c[k++] = __double2int_rd(-1.5);
    c[k++] = __ll2float_rn(3LL) == 3.0f, c[k++] = __ull2double_rn(1ull << 63) == 9223372036854775808.0;
    int mine = 4;
    __shared__ int ours;
    __stwt(&ours, 5), __stwb(c + 100, 6);
    c[k++] = __ldlu(&ours) + __ldcv(c + 100),
    c[k++] = __isGlobal(c) && !__isGlobal(&ours) && !__isGlobal(&mine);
    c[k++] = __isShared(&ours) && !__isShared(c) && !__isShared(&mine) && __isLocal(&mine);
    const clock_t before = clock();
    c[k++] = clock() > before && clock64() > before;
}

torch::Tensor integer_maths() {
    auto C = torch::empty({101}, torch::dtype(torch::kInt).device(torch::kCUDA));
    integers<<<1, 1>>>(C.data_ptr<int>());
    return C;
}
