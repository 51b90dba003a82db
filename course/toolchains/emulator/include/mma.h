// Warp matrix products. The elements of a fragment, and what its loads and stores request from global memory,
// are those of an H200. A load of 16-bit elements from shared memory is one request there (LDSM) and four
// here, with as many wavefronts.
#pragma once
#include <type_traits>

#include "cuda_fp16.h"
#include "emulator_mma.h"
#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#endif

EMULATOR_INLINE_ALL
namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

// Rounds to the nearest number in TF32, and halves away from zero.
inline float __float_to_tf32(float x) {
    return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xFFFFE000u);
}

template <class T>
constexpr emulator::Factor kFactor = sizeof(T) == 2 ? emulator::Factor::kBfloat16 : emulator::Factor::kTf32;
template <>
inline constexpr emulator::Factor kFactor<__half> = emulator::Factor::kHalf;

// The hardware makes products with 16 rows and 8 columns. If M is 8, it makes the transposed product.
template <int M, int N, int K>
struct Shape {
    static_assert((M == 16 && N == 16 && (K == 16 || K == 8)) || (M == 32 && N == 8 && K == 16) ||
                      (M == 8 && N == 32 && K == 16),
                  "the emulator has fragments of 16x16x16, 32x8x16 and 8x32x16, and 16x16x8 in TF32");
    static constexpr bool kSwapped = M == 8;
    static constexpr int kLeft = kSwapped ? N : M, kRight = kSwapped ? M : N;
};

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment : Shape<M, N, K> {
    static_assert(std::is_same_v<T, precision::tf32> ? K == 8 : sizeof(T) == 2 && K == 16,
                  "the emulator multiplies fragments of half, __nv_bfloat16 and precision::tf32");
    using element_type = std::conditional_t<std::is_same_v<T, precision::tf32>, float, T>;
    static constexpr bool kIsLeft = std::is_same_v<Use, matrix_a> != Shape<M, N, K>::kSwapped;
    static constexpr bool kAlongK = std::is_same_v<Use, matrix_a> == std::is_same_v<Layout, row_major>;
    static constexpr int kWords = kIsLeft ? Shape<M, N, K>::kLeft / 4 : Shape<M, N, K>::kRight / 4;
    static constexpr int kEach = 4 / sizeof(element_type);
    // nvcc repeats elements of fragments of half.
    static constexpr int num_elements = std::is_same_v<T, __half> ? 16 : kWords * kEach;
    alignas(4) element_type x[num_elements];

    uint32_t word(int i) const {
        uint32_t bits;
        __builtin_memcpy(&bits, x + i * kEach, sizeof bits);
        return bits;
    }
};
template <int M, int N, int K, class T>
struct fragment<accumulator, M, N, K, T> : Shape<M, N, K> {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, __half>,
                  "in the emulator, an accumulator has float or half");
    using element_type = T;
    static constexpr int num_elements = 8;
    alignas(8) T x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class Value>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const Value& value) {
    for (auto& each : f.x) each = value;
}

template <class Use, int M, int N, int K, class T, class Layout, class Value>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const Value* from, unsigned stride,
                      EMULATOR_LINE) {
    using Fragment = fragment<Use, M, N, K, T, Layout>;
    static_assert(std::is_same_v<Value, typename Fragment::element_type>, "the pointer has another type");
    emulator::ballot(line, ~0u, 1);  // all lanes must come here
    const int g = static_cast<int>(emulator::lane()) / 4, h = static_cast<int>(emulator::lane()) % 4;
    constexpr int kEach = Fragment::kEach;
    for (int r = 0; r < Fragment::kWords; ++r) {
        const int outer = 8 * (Fragment::kIsLeft ? r % 2 + r / 4 * 2 : r / 2);
        const int k = K / 2 * (Fragment::kIsLeft ? r / 2 % 2 : r % 2);
        const auto word_at = [&](int row, int column) {
            return *reinterpret_cast<const uint32_t*>(from + static_cast<size_t>(row) * stride + column);
        };
        uint32_t bits;
        if (Fragment::kAlongK) {
            bits = word_at(outer + g, k + kEach * h);
        } else if (kEach == 1) {
            bits = word_at(k + h, outer + g);
        } else {  // lanes exchange the elements
            const uint32_t mine = word_at(k + g, outer + 2 * h);
            const uint32_t low = emulator::from_lane(line, ~0u, mine, 8 * h + g / 2);
            const uint32_t high = emulator::from_lane(line, ~0u, mine, 8 * h + 4 + g / 2);
            bits = (low >> g % 2 * 16 & 0xFFFFu) | high >> g % 2 * 16 << 16;
        }
        __builtin_memcpy(f.x + r * kEach, &bits, sizeof bits);
    }
    for (int i = Fragment::kWords * kEach; i < Fragment::num_elements; ++i)
        f.x[i] = f.x[i - Fragment::kWords * kEach];
}

template <class T>
struct alignas(2 * sizeof(T)) Pair {
    T first, second;
};
// Copies the pairs of elements of an accumulator from or to memory: where both are neighbours, at once.
template <bool kStore, class Fragment, class T>
void transfer(Fragment& f, T* memory, size_t stride, bool along, int line) {
    emulator::ballot(line, ~0u, 1);
    const size_t g = emulator::lane() / 4, h = emulator::lane() % 4;
    for (size_t pair = 0; pair < 4; ++pair) {
        const size_t left = g + 8 * (pair % (Fragment::kLeft / 8));
        const size_t right = 2 * h + 8 * (pair / (Fragment::kLeft / 8));
        T *const own = f.x + 2 * pair, *const there =
                                           memory + (along ? left * stride + right : right * stride + left);
        auto *const own_pair = reinterpret_cast<Pair<T>*>(own), *const there_pair =
                                                                    reinterpret_cast<Pair<T>*>(there);
        if (along) {
            kStore ? * there_pair = *own_pair : * own_pair = *there_pair;
        } else {
            kStore ? there[0] = own[0] : own[0] = there[0];
            kStore ? there[stride] = own[1] : own[1] = there[stride];
        }
    }
}
template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* from, unsigned stride, layout_t layout,
                      EMULATOR_LINE) {
    transfer<false>(f, const_cast<T*>(from), stride, (layout == mem_row_major) != f.kSwapped, line);
}
template <int M, int N, int K, class T>
void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& f, unsigned stride, layout_t layout,
                       EMULATOR_LINE) {
    auto& own = const_cast<fragment<accumulator, M, N, K, T>&>(f);
    transfer<true>(own, to, stride, (layout == mem_row_major) != f.kSwapped, line);
}

inline float to_float(float x) { return x; }
inline float to_float(__half x) { return __half2float(x); }
inline void assign(float& to, float x) { to = x; }
inline void assign(__half& to, float x) { to = __float2half(x); }

template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D, class C>
void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
              const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
              EMULATOR_LINE) {
    using Of = Shape<M, N, K>;
    for (int i = 0; i < Of::kLeft / 16; ++i) {
        for (int j = 0; j < Of::kRight / 8; ++j) {
            uint32_t left[4], right[2];
            for (int r = 0; r < 4; ++r) left[r] = Of::kSwapped ? b.word(4 * i + r) : a.word(4 * i + r);
            for (int r = 0; r < 2; ++r) right[r] = Of::kSwapped ? a.word(2 * j + r) : b.word(2 * j + r);
            const int first = 4 * i + Of::kLeft / 4 * j;
            float sums[4];
            for (int n = 0; n < 4; ++n) sums[n] = to_float(c.x[first + n]);
            emulator::mma(kFactor<T>, sums, left, right, sums, line);
            for (int n = 0; n < 4; ++n) assign(d.x[first + n], sums[n]);
        }
    }
}

}  // namespace wmma
}  // namespace nvcuda
EMULATOR_INLINE_END
