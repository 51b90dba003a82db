// CUDA's built-in device functions and the whole runtime: what nvcc itself includes in every .cu file.
#pragma once
// These and not <cmath> and <cstdlib>: abs, isnan and the like of a float are global functions in CUDA.
#include <math.h>
#include <stdlib.h>

#include <climits>
#include <cstdio>

#include "cuda_runtime_api.h"
#include "ptx.h"
#include "vector_types.h"

// With -fno-builtin, these would be calls of the C library.
#define EMULATOR_IN_PLACE(type, name)                                                         \
    extern "C" inline __attribute__((gnu_inline, always_inline)) type name(type x) noexcept { \
        return __builtin_##name(x);                                                           \
    }
EMULATOR_IN_PLACE(float, sqrtf)
EMULATOR_IN_PLACE(double, sqrt)
EMULATOR_IN_PLACE(float, fabsf)
EMULATOR_IN_PLACE(double, fabs)
EMULATOR_IN_PLACE(int, abs)
#undef EMULATOR_IN_PLACE

// The emulator's own assert.h, here and wherever it is included.
#include <cassert>

// min and max for every pair of arithmetic types, as CUDA has them.
#define EMULATOR_MIN_MAX(type)                                \
    inline type min(type a, type b) { return b < a ? b : a; } \
    inline type max(type a, type b) { return a < b ? b : a; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned int)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
#undef EMULATOR_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline unsigned int min(int a, unsigned int b) { return min(static_cast<unsigned int>(a), b); }
inline unsigned int min(unsigned int a, int b) { return min(a, static_cast<unsigned int>(b)); }
inline unsigned int max(int a, unsigned int b) { return max(static_cast<unsigned int>(a), b); }
inline unsigned int max(unsigned int a, int b) { return max(a, static_cast<unsigned int>(b)); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float sinpif(float x) { return sinf(3.14159265358979f * x); }
inline float cospif(float x) { return cosf(3.14159265358979f * x); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
namespace emulator {
template <class... T>
double norm(T... x) {
    return sqrt(((static_cast<double>(x) * x) + ...));
}
// The y with erf(y) = x, from 0 <= x < 1 and from `left` = 1 - x, by Halley's method. It begins with S.
// Winitzki's approximation, "A handy approximation for the error function and its inverse" (2008).
inline double inverse_erf(double x, double left) {
    if (!(left > 0 && x >= 0)) return left == 0 ? INFINITY : NAN;
    const double logarithm = log(left * (1 + x)), middle = 2 / (M_PI * 0.147) + logarithm / 2;
    double y = sqrt(sqrt(middle * middle - logarithm / 0.147) - middle);
    for (int step = 0; step < 4; ++step) {
        const double off = x < 0.5 ? x - erf(y) : erfc(y) - left;
        y += off / (M_2_SQRTPI * exp(-y * y) - off * y);
    }
    return y;
}
}  // namespace emulator
inline float norm3df(float x, float y, float z) { return static_cast<float>(emulator::norm(x, y, z)); }
inline float norm4df(float x, float y, float z, float w) {
    return static_cast<float>(emulator::norm(x, y, z, w));
}
inline float rhypotf(float x, float y) { return static_cast<float>(1.0 / emulator::norm(x, y)); }
inline float rnorm3df(float x, float y, float z) { return static_cast<float>(1.0 / emulator::norm(x, y, z)); }
inline double erfinv(double x) { return copysign(emulator::inverse_erf(fabs(x), 1 - fabs(x)), x); }
inline double erfcinv(double x) {
    return x < 1 ? emulator::inverse_erf(1 - x, x) : -emulator::inverse_erf(x - 1, 2 - x);
}
inline float erfinvf(float x) { return static_cast<float>(erfinv(x)); }
inline float erfcinvf(float x) { return static_cast<float>(erfcinv(x)); }
inline float normcdfinvf(float x) { return static_cast<float>(-M_SQRT2 * erfcinv(2.0 * x)); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float saturate(float x) { return __saturatef(x); }

// Fast intrinsics. They are computed exactly here, but less accurately by the hardware.
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float fdividef(float a, float b) { return a / b; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// Bits and integers.
inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned int __brev(unsigned int x) {
    unsigned int reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= ((x >> bit) & 1u) << (31 - bit);
    return reversed;
}
// Byte k of the result is the byte of y:x that bits 4k to 4k + 2 of `selector` number. nvcc masks bit 4k + 3,
// with which the instruction prmt would repeat the byte's sign.
inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    const uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
    unsigned int result = 0;
    for (int k = 0; k < 4; ++k) {
        const unsigned int byte = selector >> 4 * k & 7u;
        result |= static_cast<unsigned int>(bytes >> 8 * byte & 0xFFu) << 8 * k;
    }
    return result;
}
inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<int64_t>(a) * b) >> 32); }
inline unsigned int __umulhi(unsigned int a, unsigned int b) {
    return static_cast<unsigned int>((static_cast<uint64_t>(a) * b) >> 32);
}
inline long long __mul64hi(long long a, long long b) { return static_cast<__int128>(a) * b >> 64; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned __int128>(a) * b >> 64;
}
inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return (a < b ? b - a : a - b) + c;
}
inline unsigned int __sad(int a, int b, unsigned int c) { return __usad(a ^ INT_MIN, b ^ INT_MIN, c); }
inline int __hadd(int a, int b) { return int64_t{a} + b >> 1; }
inline int __rhadd(int a, int b) { return int64_t{a} + b + 1 >> 1; }
inline unsigned int __uhadd(unsigned int a, unsigned int b) { return uint64_t{a} + b >> 1; }
inline unsigned int __urhadd(unsigned int a, unsigned int b) { return uint64_t{a} + b + 1 >> 1; }

// Operations on the bytes, or on the two halves, of an unsigned int.
namespace emulator {
template <class Part, class Change>
unsigned int by_parts(unsigned int a, unsigned int b, Change change) {
    unsigned int result = 0;
    for (size_t at = 0; at < 32; at += 8 * sizeof(Part)) {
        const int changed = change(int{static_cast<Part>(a >> at)}, int{static_cast<Part>(b >> at)});
        result |= (static_cast<unsigned int>(changed) & (~0u >> (32 - 8 * sizeof(Part)))) << at;
    }
    return result;
}
template <class Part, class Sum>
Sum dot(Sum sum, unsigned int a, unsigned int b) {
    by_parts<Part>(a, b, [&](int x, int y) { return sum += x * y, 0; });
    return sum;
}
}  // namespace emulator
#define EMULATOR_PARTS(name, Part, expression)                                                 \
    inline unsigned int __v##name(unsigned int a, unsigned int b) {                            \
        return emulator::by_parts<Part>(a, b, [](int x, int y) -> int { return expression; }); \
    }
EMULATOR_PARTS(add4, unsigned char, x + y)
EMULATOR_PARTS(sub4, unsigned char, x - y)
EMULATOR_PARTS(absdiffu4, unsigned char, abs(x - y))
EMULATOR_PARTS(minu4, unsigned char, min(x, y))
EMULATOR_PARTS(maxu4, unsigned char, max(x, y))
EMULATOR_PARTS(mins4, signed char, min(x, y))
EMULATOR_PARTS(maxs4, signed char, max(x, y))
EMULATOR_PARTS(cmpeq4, unsigned char, -(x == y))
EMULATOR_PARTS(cmpgtu4, unsigned char, -(x > y))
EMULATOR_PARTS(add2, unsigned short, x + y)
EMULATOR_PARTS(sub2, unsigned short, x - y)
#undef EMULATOR_PARTS
inline int __dp4a(int a, int b, int c) { return emulator::dot<signed char>(c, a, b); }
inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    return emulator::dot<unsigned char>(c, a, b);
}
inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
    return static_cast<unsigned int>(((static_cast<uint64_t>(hi) << 32 | lo) << (shift & 31)) >> 32);
}
inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
    return static_cast<unsigned int>((static_cast<uint64_t>(hi) << 32 | lo) >> (shift & 31));
}
inline int __float_as_int(float x) { return emulator::from_bits<int>(emulator::to_bits(x)); }
inline unsigned int __float_as_uint(float x) {
    return emulator::from_bits<unsigned int>(emulator::to_bits(x));
}
inline float __int_as_float(int x) { return emulator::from_bits<float>(emulator::to_bits(x)); }
inline float __uint_as_float(unsigned int x) { return emulator::from_bits<float>(emulator::to_bits(x)); }
inline long long __double_as_longlong(double x) {
    return emulator::from_bits<long long>(emulator::to_bits(x));
}
inline double __longlong_as_double(long long x) { return emulator::from_bits<double>(emulator::to_bits(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }

namespace emulator {
// As the hardware converts a number that has no place in T: to the nearest that has. NaN becomes 0, or if 64
// bits are involved, the highest bit alone (PTX ISA, "cvt").
template <class T, class Float>
T to_integer(Float x) {
    constexpr int kBits = 8 * sizeof(T);
    constexpr T kHighest = static_cast<T>(~0ull >> (64 - kBits + std::is_signed_v<T>)), kLowest = ~kHighest;
    if (x != x) return sizeof(T) + sizeof x > 8 ? static_cast<T>(1ull << (kBits - 1)) : 0;
    if (x >= static_cast<Float>(kHighest)) return kHighest;
    return x <= static_cast<Float>(kLowest) ? kLowest : static_cast<T>(x);
}
}  // namespace emulator
#define EMULATOR_TO_INTEGER(from, to, type)                                                   \
    inline type __##from##2##to##_rn(from x) { return emulator::to_integer<type>(rint(x)); }  \
    inline type __##from##2##to##_rz(from x) { return emulator::to_integer<type>(x); }        \
    inline type __##from##2##to##_rd(from x) { return emulator::to_integer<type>(floor(x)); } \
    inline type __##from##2##to##_ru(from x) { return emulator::to_integer<type>(ceil(x)); }
#define EMULATOR_CONVERSIONS(name, type)                                       \
    EMULATOR_TO_INTEGER(float, name, type)                                     \
    EMULATOR_TO_INTEGER(double, name, type)                                    \
    inline float __##name##2float_rn(type x) { return static_cast<float>(x); } \
    inline double __##name##2double_rn(type x) { return static_cast<double>(x); }
EMULATOR_CONVERSIONS(int, int)
EMULATOR_CONVERSIONS(uint, unsigned int)
EMULATOR_CONVERSIONS(ll, long long)
EMULATOR_CONVERSIONS(ull, unsigned long long)
#undef EMULATOR_CONVERSIONS
#undef EMULATOR_TO_INTEGER
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline long long clock64() { return emulator::ticks(); }
extern "C" EMULATOR_INLINE clock_t clock() noexcept { return static_cast<clock_t>(emulator::ticks()); }

// Loads and stores with a cache hint are loads and stores.
#define EMULATOR_LOAD(name)                    \
    template <class T>                         \
    EMULATOR_INLINE T name(const T* address) { \
        return *address;                       \
    }
#define EMULATOR_STORE(name)                                         \
    template <class T>                                               \
    EMULATOR_INLINE void name(T* address, emulator::Same<T> value) { \
        *address = value;                                            \
    }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldlu)
EMULATOR_LOAD(__ldcv)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stwt)
#undef EMULATOR_LOAD
#undef EMULATOR_STORE

// Each returns the old value. The types are CUDA's. There is no function for int64_t (long): cast it to
// unsigned long long.
#define EMULATOR_SCOPES(function, ...) \
    function(, false, __VA_ARGS__) function(_system, false, __VA_ARGS__) function(_block, true, __VA_ARGS__)
#define EMULATOR_ATOMIC_IN(scope, of_block, name, type, changed)                  \
    EMULATOR_INLINE type name##scope(type* address, type value) {                 \
        return emulator::atomic_change<true, of_block>(                           \
            address, [=]([[maybe_unused]] type old) -> type { return changed; }); \
    }
#define EMULATOR_ATOMIC(...) EMULATOR_SCOPES(EMULATOR_ATOMIC_IN, __VA_ARGS__)
#define EMULATOR_ATOMIC_OF_INTEGERS(name, changed) \
    EMULATOR_ATOMIC(name, int, changed)            \
    EMULATOR_ATOMIC(name, unsigned int, changed)   \
    EMULATOR_ATOMIC(name, unsigned long long, changed)
EMULATOR_ATOMIC_OF_INTEGERS(atomicAdd, old + value)
EMULATOR_ATOMIC(atomicAdd, float, old + value)
EMULATOR_ATOMIC(atomicAdd, double, old + value)
EMULATOR_ATOMIC(atomicSub, int, old - value)
EMULATOR_ATOMIC(atomicSub, unsigned int, old - value)
EMULATOR_ATOMIC_OF_INTEGERS(atomicMin, value < old ? value : old)
EMULATOR_ATOMIC(atomicMin, long long, value < old ? value : old)
EMULATOR_ATOMIC_OF_INTEGERS(atomicMax, old < value ? value : old)
EMULATOR_ATOMIC(atomicMax, long long, old < value ? value : old)
EMULATOR_ATOMIC_OF_INTEGERS(atomicAnd, old& value)
EMULATOR_ATOMIC_OF_INTEGERS(atomicOr, old | value)
EMULATOR_ATOMIC_OF_INTEGERS(atomicXor, old ^ value)
EMULATOR_ATOMIC(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
EMULATOR_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1u)
#undef EMULATOR_ATOMIC
#undef EMULATOR_ATOMIC_IN
#undef EMULATOR_ATOMIC_OF_INTEGERS
#define EMULATOR_EXCHANGE(scope, of_block, type)                                                       \
    EMULATOR_INLINE type atomicExch##scope(type* address, type value) {                                \
        return emulator::atomic_change<false, of_block>(address, [=](type) -> type { return value; }); \
    }
EMULATOR_SCOPES(EMULATOR_EXCHANGE, int)
EMULATOR_SCOPES(EMULATOR_EXCHANGE, unsigned int)
EMULATOR_SCOPES(EMULATOR_EXCHANGE, unsigned long long)
EMULATOR_SCOPES(EMULATOR_EXCHANGE, float)
#undef EMULATOR_EXCHANGE
#define EMULATOR_CAS(scope, of_block, type)                                           \
    EMULATOR_INLINE type atomicCAS##scope(type* address, type expected, type value) { \
        return emulator::atomic_change<true, of_block>(                               \
            address, [=](type old) { return old == expected ? value : old; });        \
    }
EMULATOR_SCOPES(EMULATOR_CAS, int)
EMULATOR_SCOPES(EMULATOR_CAS, unsigned int)
EMULATOR_SCOPES(EMULATOR_CAS, unsigned long long)
EMULATOR_SCOPES(EMULATOR_CAS, unsigned short)
#undef EMULATOR_CAS
#undef EMULATOR_SCOPES
