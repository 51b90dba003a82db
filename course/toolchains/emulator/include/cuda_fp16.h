// __half and __half2. Every operation is done in float, and its result is rounded once, as by the hardware.
//
// PyTorch builds extensions with __CUDA_NO_HALF_OPERATORS__ and __CUDA_NO_HALF_CONVERSIONS__, so `a + b` of
// two __half compiles neither there nor here. With -U of these macros in extra_cuda_cflags, it compiles in
// both.
#pragma once
#define __CUDA_FP16_H__
#include <math.h>

#include <cmath>

#include "course/half_bits.h"
#include "emulator.h"
#include "vector_types.h"

struct alignas(2) __half {
    unsigned short bits;
    __half() = default;
#ifndef __CUDA_NO_HALF_CONVERSIONS__
    __half(float value) : bits(course::float_to_half(value)) {}
    __half(double value) : __half(static_cast<float>(value)) {}
    __half(int value) : __half(static_cast<float>(value)) {}
    __half(unsigned int value) : __half(static_cast<float>(value)) {}
    operator float() const { return course::half_to_float(bits); }
#endif
};
struct alignas(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x, __half y) : x(x), y(y) {}
};
using half = __half;
using half2 = __half2;

namespace emulator {
inline __half half_of(float value) {
    __half half;
    half.bits = course::float_to_half(value);
    return half;
}
inline float float_of(__half half) { return course::half_to_float(half.bits); }
}  // namespace emulator

inline __half __float2half(float x) { return emulator::half_of(x); }
inline __half __float2half_rn(float x) { return emulator::half_of(x); }
inline __half __double2half(double x) { return emulator::half_of(static_cast<float>(x)); }
inline __half __int2half_rn(int x) { return emulator::half_of(static_cast<float>(x)); }
inline float __half2float(__half x) { return emulator::float_of(x); }
inline __half __uint2half_rn(unsigned int x) { return emulator::half_of(static_cast<float>(x)); }
inline __half __ll2half_rn(long long x) { return emulator::half_of(static_cast<float>(x)); }
inline int __half2int_rz(__half x) { return static_cast<int>(emulator::float_of(x)); }
inline int __half2int_rn(__half x) { return static_cast<int>(rintf(emulator::float_of(x))); }
inline __half __ushort_as_half(unsigned short bits) {
    __half value;
    value.bits = bits;
    return value;
}
inline unsigned short __half_as_ushort(__half x) { return x.bits; }

#define EMULATOR_HALF(name, expression)                              \
    inline __half name(__half half_a) {                              \
        [[maybe_unused]] const float a = emulator::float_of(half_a); \
        return emulator::half_of(expression);                        \
    }
#define EMULATOR_HALF_PAIR(name, expression)           \
    inline __half name(__half half_a, __half half_b) { \
        const float a = emulator::float_of(half_a);    \
        const float b = emulator::float_of(half_b);    \
        return emulator::half_of(expression);          \
    }                                                  \
    inline __half2 name##2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define EMULATOR_HALF_TEST(name, op)                                                                     \
    inline bool __h##name(__half a, __half b) { return emulator::float_of(a) op emulator::float_of(b); } \
    inline __half2 __h##name##2(__half2 a, __half2 b) {                                                  \
        return {emulator::half_of(__h##name(a.x, b.x)), emulator::half_of(__h##name(a.y, b.y))};         \
    }                                                                                                    \
    inline bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
EMULATOR_HALF_PAIR(__hadd, a + b)
EMULATOR_HALF_PAIR(__hsub, a - b)
EMULATOR_HALF_PAIR(__hmul, a* b)
EMULATOR_HALF_PAIR(__hdiv, a / b)
EMULATOR_HALF_PAIR(__hmax, fmaxf(a, b))
EMULATOR_HALF_PAIR(__hmin, fminf(a, b))
EMULATOR_HALF(__hneg, -a)
EMULATOR_HALF(__habs, fabsf(a))
EMULATOR_HALF(hexp, expf(a))
EMULATOR_HALF(hexp2, exp2f(a))
EMULATOR_HALF(hlog2, log2f(a))
EMULATOR_HALF(hsin, sinf(a))
EMULATOR_HALF(hcos, cosf(a))
EMULATOR_HALF(hfloor, floorf(a))
EMULATOR_HALF(hceil, ceilf(a))
EMULATOR_HALF(hrint, rintf(a))
EMULATOR_HALF(htrunc, truncf(a))
EMULATOR_HALF(hlog, logf(a))
EMULATOR_HALF(hsqrt, sqrtf(a))
EMULATOR_HALF(hrsqrt, 1.0f / sqrtf(a))
EMULATOR_HALF(hrcp, 1.0f / a)
EMULATOR_HALF(htanh, tanhf(a))
EMULATOR_HALF_TEST(eq, ==)
EMULATOR_HALF_TEST(ne, !=)
EMULATOR_HALF_TEST(lt, <)
EMULATOR_HALF_TEST(le, <=)
EMULATOR_HALF_TEST(gt, >)
EMULATOR_HALF_TEST(ge, >=)
#undef EMULATOR_HALF
#undef EMULATOR_HALF_PAIR
#undef EMULATOR_HALF_TEST
inline bool __hisnan(__half a) { return std::isnan(emulator::float_of(a)); }
inline int __hisinf(__half a) { return std::isinf(emulator::float_of(a)); }
inline __half __hfma(__half a, __half b, __half c) {
    // The product of two halves is exact in double, so the sum is rounded to float and then to half.
    const double product =
        static_cast<double>(emulator::float_of(a)) * static_cast<double>(emulator::float_of(b));
    return emulator::half_of(static_cast<float>(product + static_cast<double>(emulator::float_of(c))));
}

inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float x) { return __half2half2(__float2half(x)); }
inline __half2 __floats2half2_rn(float a, float b) { return {__float2half(a), __float2half(b)}; }
inline __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
inline float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline float __low2float(__half2 v) { return __half2float(v.x); }
inline float __high2float(__half2 v) { return __half2float(v.y); }
inline __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
inline __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
inline __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
inline __half2 h2exp(__half2 v) { return {hexp(v.x), hexp(v.y)}; }
inline __half2 __habs2(__half2 v) { return {__habs(v.x), __habs(v.y)}; }
inline __half2 __h2div(__half2 a, __half2 b) { return __hdiv2(a, b); }
inline __half2 __hneg2(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

template <>
inline constexpr bool emulator::kShuffles<__half> = true;
template <>
inline constexpr bool emulator::kShuffles<__half2> = true;
EMULATOR_INLINE __half atomicAdd(__half* address, __half value) {
    return emulator::atomic_change(address, [=](__half old) { return __hadd(old, value); });
}
EMULATOR_INLINE __half2 atomicAdd(__half2* address, __half2 value) {
    return emulator::atomic_change(address, [=](__half2 old) { return __hadd2(old, value); });
}

#define EMULATOR_HALF_OPERATOR(type, op, function)                     \
    inline type operator op(type a, type b) { return function(a, b); } \
    inline type& operator op##=(type& a, type b) { return a = function(a, b); }
#ifndef __CUDA_NO_HALF_OPERATORS__
EMULATOR_HALF_OPERATOR(__half, +, __hadd)
EMULATOR_HALF_OPERATOR(__half, -, __hsub)
EMULATOR_HALF_OPERATOR(__half, *, __hmul)
EMULATOR_HALF_OPERATOR(__half, /, __hdiv)
inline __half operator-(__half a) { return __hneg(a); }
inline bool operator==(__half a, __half b) { return __heq(a, b); }
inline bool operator!=(__half a, __half b) { return __hne(a, b); }
inline bool operator<(__half a, __half b) { return __hlt(a, b); }
inline bool operator<=(__half a, __half b) { return __hle(a, b); }
inline bool operator>(__half a, __half b) { return __hgt(a, b); }
inline bool operator>=(__half a, __half b) { return __hge(a, b); }
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
EMULATOR_HALF_OPERATOR(__half2, +, __hadd2)
EMULATOR_HALF_OPERATOR(__half2, -, __hsub2)
EMULATOR_HALF_OPERATOR(__half2, *, __hmul2)
EMULATOR_HALF_OPERATOR(__half2, /, __hdiv2)
#endif
#undef EMULATOR_HALF_OPERATOR
