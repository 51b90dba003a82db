// __half and __half2.
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

namespace emulator {
// The float next to `value` + `rest`, where `rest` is less than half of the last place of `value`. It is odd
// unless it is exact, so rounding it to 16 bits gives what rounding the exact sum once would give.
inline float to_odd(double value, double rest = 0) {
    const float nearest = static_cast<float>(value);
    const uint32_t bits = course::bits_of_float(nearest);
    const double left = value == nearest ? rest : value - nearest;
    if (left == 0 || (bits & 1) || (bits & 0x7F800000u) == 0x7F800000u) return nearest;
    return course::float_of_bits(std::signbit(left) == std::signbit(nearest) ? bits + 1 : bits - 1);
}
}  // namespace emulator

#define TYPE16 __half
#define PAIR16 __half2
#define NAME16 half
#define CONVERTS16 !defined(__CUDA_NO_HALF_CONVERSIONS__)
#define OPERATES16 !defined(__CUDA_NO_HALF_OPERATORS__)
#define PAIR_OPERATES16 !defined(__CUDA_NO_HALF2_OPERATORS__)
#include "short_floats.h"
using half = __half;
using half2 = __half2;
