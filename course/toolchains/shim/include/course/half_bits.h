// Conversion between binary16 and binary32, shared by c10::Half and the emulator's __half.
#pragma once
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define C10_HOST_DEVICE __host__ __device__
#else
#define C10_HOST_DEVICE
#endif
#define C10_DEVICE C10_HOST_DEVICE

namespace course {

// IEEE 754 binary16 to binary32: exact.
C10_HOST_DEVICE inline float half_to_float(uint16_t half) {
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1Fu;
    uint32_t fraction = half & 0x3FFu;
    uint32_t bits;
    if (exponent == 0x1F) {
        bits = sign | 0x7F800000u | (fraction << 13);
    } else if (exponent != 0) {
        bits = sign | ((exponent + 112) << 23) | (fraction << 13);
    } else if (fraction == 0) {
        bits = sign;
    } else {  // subnormal in half, normal in float
        exponent = 113;
        while ((fraction & 0x400u) == 0) {
            fraction <<= 1;
            --exponent;
        }
        bits = sign | (exponent << 23) | ((fraction & 0x3FFu) << 13);
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// IEEE 754 binary32 to binary16, to nearest, ties to even.
C10_HOST_DEVICE inline uint16_t float_to_half(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return sign | 0x7E00u;   // NaN
    if (magnitude >= 0x477FF000u) return sign | 0x7C00u;  // rounds to infinity
    if (magnitude < 0x33000001u) return sign;             // rounds to zero
    const uint32_t exponent = magnitude >> 23;
    uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
    uint32_t shift = 13;
    uint32_t base = 0;
    if (exponent < 113) {
        shift = 126 - exponent;  // subnormal in half
    } else {
        base = (exponent - 113) << 10;  // the implicit one adds the missing 1 << 10
    }
    const uint32_t kept = significand >> shift;
    const uint32_t rest = significand & ((1u << shift) - 1);
    const uint32_t tie = 1u << (shift - 1);
    const uint32_t up = rest > tie || (rest == tie && (kept & 1u));
    return static_cast<uint16_t>(sign | (base + kept + up));
}

}  // namespace course
