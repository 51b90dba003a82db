// c10::Half: storage in 16 bits, with arithmetic in float, as in PyTorch.
#pragma once
#include "course/half_bits.h"

namespace c10 {

struct alignas(2) Half {
    uint16_t x;

    Half() = default;
    C10_HOST_DEVICE Half(float value) : x(course::float_to_half(value)) {}
    C10_HOST_DEVICE operator float() const { return course::half_to_float(x); }
#ifdef __CUDA_FP16_H__
    C10_HOST_DEVICE Half(const __half& value) { memcpy(&x, &value, sizeof x); }
    C10_HOST_DEVICE operator __half() const {
        __half value;
        memcpy(&value, &x, sizeof x);
        return value;
    }
#endif
};

#ifdef __CUDA_ARCH__
#define COURSE_LDG(Type)                                \
    __device__ inline Type __ldg(const Type* address) { \
        Type value;                                     \
        value.x = ::__ldg(&address->x);                 \
        return value;                                   \
    }
#else  // the emulator's __half takes any type
#define COURSE_LDG(Type)
#endif
COURSE_LDG(Half)

#define COURSE_OPERATOR_IN_FLOAT(Type, op)                                                             \
    C10_HOST_DEVICE inline Type operator op(const Type& a, const Type& b) {                            \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline float operator op(Type a, float b) { return static_cast<float>(a) op b; }   \
    C10_HOST_DEVICE inline float operator op(float a, Type b) { return a op static_cast<float>(b); }   \
    C10_HOST_DEVICE inline double operator op(Type a, double b) { return static_cast<float>(a) op b; } \
    C10_HOST_DEVICE inline double operator op(double a, Type b) { return a op static_cast<float>(b); } \
    C10_HOST_DEVICE inline Type operator op(Type a, int b) {                                           \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline Type operator op(int a, Type b) {                                           \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline Type& operator op##=(Type& a, const Type& b) {                              \
        a = a op b;                                                                                    \
        return a;                                                                                      \
    }
#define COURSE_ARITHMETIC_IN_FLOAT(Type) \
    COURSE_OPERATOR_IN_FLOAT(Type, +)    \
    COURSE_OPERATOR_IN_FLOAT(Type, -)    \
    COURSE_OPERATOR_IN_FLOAT(Type, *)    \
    COURSE_OPERATOR_IN_FLOAT(Type, /)    \
    C10_HOST_DEVICE inline Type operator-(const Type& a) { return -static_cast<float>(a); }
COURSE_ARITHMETIC_IN_FLOAT(Half)

}  // namespace c10

namespace at {
using c10::Half;
}
