// Conversions between the two floats of 16 bits, binary16 and bfloat16, and binary32, for c10::Half,
// c10::BFloat16 and the emulator's __half and __nv_bfloat16. A GPU has an instruction for each; in C++ they
// take up to thirty, more than the kernel's own work.
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

C10_HOST_DEVICE inline float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
C10_HOST_DEVICE inline uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// IEEE 754 binary16 to binary32: exact.
C10_HOST_DEVICE inline float half_to_float(uint16_t half) {
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    constexpr uint32_t kBias = 112u << 23;  // between the exponents' biases
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
    const uint32_t magnitude = static_cast<uint32_t>(half & 0x7FFFu) << 13;
    if (magnitude >= 0x0F800000u) return float_of_bits(sign | 0x7F800000u | magnitude);  // infinity or NaN
    if (magnitude >= 0x00800000u) return float_of_bits(sign | (magnitude + kBias));
    // Subnormal in half: a fraction after a one, and without that one.
    constexpr uint32_t kOne = kBias + (1u << 23);
    const float value = float_of_bits(kOne | magnitude) - float_of_bits(kOne);
    return sign ? -value : value;
#endif
}

// IEEE 754 binary32 to binary16, to nearest, ties to even.
C10_HOST_DEVICE inline uint16_t float_to_half(float value) {
#ifdef __CUDA_ARCH__
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    const uint32_t bits = bits_of_float(value), magnitude = bits & 0x7FFFFFFFu;
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    if (magnitude > 0x7F800000u) return sign | 0x7E00u;   // NaN
    if (magnitude >= 0x477FF000u) return sign | 0x7C00u;  // rounds to infinity
    if (magnitude < 0x38800000u) {  // subnormal in half: the float that is added has its last bit there
        return sign | static_cast<uint16_t>(bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3F000000u);
    }
    const uint32_t odd = (magnitude >> 13) & 1u;
    return sign | static_cast<uint16_t>((magnitude - (112u << 23) + 0xFFFu + odd) >> 13);
#endif
}

// bfloat16 is the upper half of a float.
C10_HOST_DEVICE inline float bfloat16_to_float(uint16_t upper) {
    return float_of_bits(static_cast<uint32_t>(upper) << 16);
}

// To nearest, ties to even.
C10_HOST_DEVICE inline uint16_t float_to_bfloat16(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint16_t upper;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(upper) : "f"(value));
    return upper;
#else
    const uint32_t bits = bits_of_float(value), odd = (bits >> 16) & 1u;
    return static_cast<uint16_t>(value != value ? 0x7FFFu : (bits + 0x7FFFu + odd) >> 16);
#endif
}

}  // namespace course
