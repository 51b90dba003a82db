// c10::BFloat16: the upper half of a float, with arithmetic in float, as in PyTorch.
#pragma once
#include "c10/util/Half.h"

namespace c10 {

struct alignas(2) BFloat16 {
    uint16_t x;

    BFloat16() = default;
    C10_HOST_DEVICE BFloat16(float value) {
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const uint32_t to_nearest_even = 0x7FFFu + ((bits >> 16) & 1u);
        x = static_cast<uint16_t>(value != value ? 0x7FC0u : (bits + to_nearest_even) >> 16);
    }
    C10_HOST_DEVICE operator float() const {
        const uint32_t bits = static_cast<uint32_t>(x) << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
};
COURSE_ARITHMETIC_IN_FLOAT(BFloat16)
COURSE_LDG(BFloat16)

}  // namespace c10

namespace at {
using c10::BFloat16;
}
