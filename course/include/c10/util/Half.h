// c10::Half: storage in 16 bits, arithmetic in float, as PyTorch's.
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

#define COURSE_HALF_OPERATOR(op)                                                                       \
    C10_HOST_DEVICE inline Half operator op(const Half& a, const Half& b) {                            \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline float operator op(Half a, float b) { return static_cast<float>(a) op b; }   \
    C10_HOST_DEVICE inline float operator op(float a, Half b) { return a op static_cast<float>(b); }   \
    C10_HOST_DEVICE inline double operator op(Half a, double b) { return static_cast<float>(a) op b; } \
    C10_HOST_DEVICE inline double operator op(double a, Half b) { return a op static_cast<float>(b); } \
    C10_HOST_DEVICE inline Half operator op(Half a, int b) {                                           \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline Half operator op(int a, Half b) {                                           \
        return static_cast<float>(a) op static_cast<float>(b);                                         \
    }                                                                                                  \
    C10_HOST_DEVICE inline Half& operator op##=(Half& a, const Half& b) {                              \
        a = a op b;                                                                                    \
        return a;                                                                                      \
    }
COURSE_HALF_OPERATOR(+)
COURSE_HALF_OPERATOR(-)
COURSE_HALF_OPERATOR(*)
COURSE_HALF_OPERATOR(/)
#undef COURSE_HALF_OPERATOR
C10_HOST_DEVICE inline Half operator-(const Half& a) { return -static_cast<float>(a); }

}  // namespace c10

namespace at {
using c10::Half;
}
