// The product of two small matrices by a warp's tensor core: inline PTX on a GPU of compute capability 8.0 or
// later, and C++ in the emulator.
//
//     d = a b + c,  where a is 16 x K, b is K x 8, and c and d are 16 x 8
//
// K is 16 for mma_half and mma_bfloat16, and a register of 32 bits has two elements, the lower one first. K
// is 8 for mma_tf32, and a register has one. With g = lane / 4, h = lane % 4, a lane has (row, column)
//
//     of a  (g, 2 h), (g + 8, 2 h), (g, 2 h + 8), (g + 8, 2 h + 8), each with the next column
//           TF32: (g, h), (g + 8, h), (g, h + 4), (g + 8, h + 4)
//     of b  (2 h, g), (2 h + 8, g), each with the next row; TF32: (h, g), (h + 4, g)
//     of c  (g, 2 h), (g, 2 h + 1), (g + 8, 2 h), (g + 8, 2 h + 1)
#pragma once
#include <cstdint>

#ifdef COURSE_EMULATOR
#include "emulator_mma.h"
#define COURSE_MMA(name, kind, instruction)                                               \
    EMULATOR_INLINE void name(float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2], \
                              const float(&c)[4], EMULATOR_LINE) {                        \
        emulator::mma(emulator::Factor::kind, d, a, b, c, line);                          \
    }
#else
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "course/mma.h needs a GPU of compute capability 8.0 or later: set COURSE_TOOLCHAIN=emulator"
#endif
#define COURSE_MMA(name, kind, instruction)                                                             \
    __device__ inline void name(float(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2],             \
                                const float(&c)[4]) {                                                   \
        asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                   \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),     \
                       "f"(c[1]), "f"(c[2]), "f"(c[3]));                                                \
    }
#endif

namespace course {

COURSE_MMA(mma_half, kHalf, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
COURSE_MMA(mma_bfloat16, kBfloat16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
COURSE_MMA(mma_tf32, kTf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")

}  // namespace course
#undef COURSE_MMA
