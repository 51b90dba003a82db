// c10::BFloat16: the upper half of a float, with arithmetic in float, as in PyTorch.
#pragma once
#include "c10/util/Half.h"

namespace c10 {

struct alignas(2) BFloat16 {
    uint16_t x;

    BFloat16() = default;
    C10_HOST_DEVICE BFloat16(float value) : x(course::float_to_bfloat16(value)) {}
    C10_HOST_DEVICE operator float() const { return course::bfloat16_to_float(x); }
#ifdef __CUDA_BF16_H__
    C10_HOST_DEVICE BFloat16(const __nv_bfloat16& value) { memcpy(&x, &value, sizeof x); }
    C10_HOST_DEVICE explicit operator __nv_bfloat16() const {
        __nv_bfloat16 value;
        memcpy(&value, &x, sizeof x);
        return value;
    }
#endif
};
COURSE_ARITHMETIC_IN_FLOAT(BFloat16)
COURSE_LDG(BFloat16)

}  // namespace c10

namespace at {
using c10::BFloat16;
}
