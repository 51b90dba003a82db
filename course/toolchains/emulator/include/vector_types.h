// CUDA's vector types, with its alignments.
#pragma once
#include "emulator.h"

#define EMULATOR_VECTOR(type, base, align2, align4)                                \
    struct base##1 {                                                               \
        type x;                                                                    \
    };                                                                             \
    struct alignas(align2) base##2 {                                               \
        type x, y;                                                                 \
    };                                                                             \
    struct base##3 {                                                               \
        type x, y, z;                                                              \
    };                                                                             \
    struct alignas(align4) base##4 {                                               \
        type x, y, z, w;                                                           \
    };                                                                             \
    constexpr base##1 make_##base##1(type x) { return {x}; }                       \
    constexpr base##2 make_##base##2(type x, type y) { return {x, y}; }            \
    constexpr base##3 make_##base##3(type x, type y, type z) { return {x, y, z}; } \
    constexpr base##4 make_##base##4(type x, type y, type z, type w) { return {x, y, z, w}; }

EMULATOR_VECTOR(signed char, char, 2, 4)
EMULATOR_VECTOR(unsigned char, uchar, 2, 4)
EMULATOR_VECTOR(short, short, 4, 8)
EMULATOR_VECTOR(unsigned short, ushort, 4, 8)
EMULATOR_VECTOR(int, int, 8, 16)
EMULATOR_VECTOR(long, long, 16, 16)
EMULATOR_VECTOR(unsigned long, ulong, 16, 16)
EMULATOR_VECTOR(long long, longlong, 16, 16)
EMULATOR_VECTOR(unsigned long long, ulonglong, 16, 16)
EMULATOR_VECTOR(float, float, 8, 16)
EMULATOR_VECTOR(double, double, 16, 16)
struct uint1 {
    unsigned int x;
};
struct alignas(8) uint2 {
    unsigned int x, y;
};
struct alignas(16) uint4 {
    unsigned int x, y, z, w;
};
constexpr uint1 make_uint1(unsigned int x) { return {x}; }
constexpr uint2 make_uint2(unsigned int x, unsigned int y) { return {x, y}; }
constexpr uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { return {x, y, z}; }
constexpr uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
    return {x, y, z, w};
}
#undef EMULATOR_VECTOR
