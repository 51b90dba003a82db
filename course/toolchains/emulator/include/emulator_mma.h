// The product that a warp's tensor core makes of small matrices, as the instruction `mma` of PTX.
#pragma once
#include "course/half_bits.h"
#include "emulator.h"

EMULATOR_INLINE_ALL
namespace emulator {

enum class Factor { kHalf, kBfloat16, kTf32 };

// Element `i` of a register with two factors of 16 bits, or with one in TF32, whose last 13 bits do not
// count.
inline float factor(Factor kind, uint32_t bits, int i) {
    if (kind == Factor::kHalf) return course::half_to_float(static_cast<uint16_t>(bits >> 16 * i));
    if (kind == Factor::kBfloat16) return from_bits<float>(i ? bits & 0xFFFF0000u : bits << 16);
    return from_bits<float>(bits & 0xFFFFE000u);
}

// d = a b + c, where a has 16 rows and d 8 columns. With g = lane / 4 and h = lane % 4, registers 0 and 1 of
// a have rows g and g + 8, and those of b column g. They begin with the factors at k = 2 h (in TF32, h).
// Registers 2 and 3 of a, and 1 of b, have the second half of all k. d and c have (g, 2 h), (g, 2 h + 1),
// (g + 8, 2 h), (g + 8, 2 h + 1).
inline void mma(Factor kind, float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                const float (&c)[4], int line) {
    const int g = static_cast<int>(lane()) / 4, h = static_cast<int>(lane()) % 4;
    const int each = kind == Factor::kTf32 ? 1 : 2;
    float rows[2][16], columns[2][16];
    for (int q = 0; q < 4; ++q) {
        for (int half = 0; half < 2; ++half) {
            const uint64_t mine = static_cast<uint64_t>(a[2 * half + 1]) << 32 | a[2 * half];
            const uint64_t both = shuffle(WarpOp::kIndex, line, ~0u, mine, 4 * g + q);
            for (int i = 0; i < each; ++i) {
                const int k = each * (q + 4 * half) + i;
                rows[0][k] = factor(kind, static_cast<uint32_t>(both), i);
                rows[1][k] = factor(kind, static_cast<uint32_t>(both >> 32), i);
            }
        }
        for (int n = 0; n < 2; ++n) {
            const uint64_t mine = static_cast<uint64_t>(b[1]) << 32 | b[0];
            const uint64_t both = shuffle(WarpOp::kIndex, line, ~0u, mine, 4 * (2 * h + n) + q);
            for (int i = 0; i < each; ++i) {
                columns[n][each * q + i] = factor(kind, static_cast<uint32_t>(both), i);
                columns[n][each * (q + 4) + i] = factor(kind, static_cast<uint32_t>(both >> 32), i);
            }
        }
    }
    const int at_once = kind == Factor::kTf32 ? 4 : 16;
    for (int n = 0; n < 4; ++n) {
        float sum = c[n];
        for (int first = 0; first < 8 * each; first += at_once) {
            Factors factors = {};
            for (int k = 0; k < at_once; ++k) {
                factors.a[k] = rows[n / 2][first + k];
                factors.b[k] = columns[n % 2][first + k];
            }
            sum = add_products(factors, sum);
        }
        d[n] = sum;
    }
}

}  // namespace emulator
EMULATOR_INLINE_END
