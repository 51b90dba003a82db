// CUDA's built-in device functions and the whole runtime: what nvcc itself includes in every .cu file.
#pragma once
// These and not <cmath> and <cstdlib>: abs, isnan and the like of a float are global functions in CUDA.
#include <math.h>
#include <stdlib.h>

#include <climits>
#include <cstdio>

#include "cuda_runtime_api.h"
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
inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
inline int __float2int_rz(float x) { return static_cast<int>(x); }
inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
inline unsigned int __float2uint_rn(float x) { return static_cast<unsigned int>(rintf(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline long long clock64() {
    static long long ticks = 0;
    return ++ticks;
}

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
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stcg)
#undef EMULATOR_LOAD
#undef EMULATOR_STORE

// Each returns the old value. The types are CUDA's. There is no function for int64_t (long): cast it to
// unsigned long long.
#define EMULATOR_ATOMIC(name, type, changed)                                                                 \
    EMULATOR_INLINE type name(type* address, type value) {                                                   \
        return emulator::atomic_change(address, [=]([[maybe_unused]] type old) -> type { return changed; }); \
    }
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
#define EMULATOR_EXCHANGE(type)                                                              \
    EMULATOR_INLINE type atomicExch(type* address, type value) {                             \
        return emulator::atomic_change<false>(address, [=](type) -> type { return value; }); \
    }
EMULATOR_EXCHANGE(int)
EMULATOR_EXCHANGE(unsigned int)
EMULATOR_EXCHANGE(unsigned long long)
EMULATOR_EXCHANGE(float)
#undef EMULATOR_EXCHANGE
#undef EMULATOR_ATOMIC_OF_INTEGERS
#define EMULATOR_CAS(type)                                                                                \
    EMULATOR_INLINE type atomicCAS(type* address, type expected, type value) {                            \
        return emulator::atomic_change(address, [=](type old) { return old == expected ? value : old; }); \
    }
EMULATOR_CAS(int)
EMULATOR_CAS(unsigned int)
EMULATOR_CAS(unsigned long long)
EMULATOR_CAS(unsigned short)
#undef EMULATOR_CAS
