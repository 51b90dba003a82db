// CUDA's vector types, with its alignments.
#pragma once
#include "emulator.h"

// Without the type of three, since emulator.h has uint3.
#define EMULATOR_VECTOR_BUT_3(type, base, align2, align4)                          \
    struct base##1 {                                                               \
        type x;                                                                    \
    };                                                                             \
    struct alignas(align2) base##2 {                                               \
        type x, y;                                                                 \
    };                                                                             \
    struct alignas(align4) base##4 {                                               \
        type x, y, z, w;                                                           \
    };                                                                             \
    constexpr base##1 make_##base##1(type x) { return {x}; }                       \
    constexpr base##2 make_##base##2(type x, type y) { return {x, y}; }            \
    constexpr base##3 make_##base##3(type x, type y, type z) { return {x, y, z}; } \
    constexpr base##4 make_##base##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define EMULATOR_VECTOR(type, base, align2, align4) \
    struct base##3 {                                \
        type x, y, z;                               \
    };                                              \
    EMULATOR_VECTOR_BUT_3(type, base, align2, align4)

EMULATOR_VECTOR(signed char, char, 2, 4)
EMULATOR_VECTOR(unsigned char, uchar, 2, 4)
EMULATOR_VECTOR(short, short, 4, 8)
EMULATOR_VECTOR(unsigned short, ushort, 4, 8)
EMULATOR_VECTOR(int, int, 8, 16)
EMULATOR_VECTOR_BUT_3(unsigned int, uint, 8, 16)
EMULATOR_VECTOR(long, long, 16, 16)
EMULATOR_VECTOR(unsigned long, ulong, 16, 16)
EMULATOR_VECTOR(long long, longlong, 16, 16)
EMULATOR_VECTOR(unsigned long long, ulonglong, 16, 16)
EMULATOR_VECTOR(float, float, 8, 16)
EMULATOR_VECTOR(double, double, 16, 16)
#undef EMULATOR_VECTOR
#undef EMULATOR_VECTOR_BUT_3
