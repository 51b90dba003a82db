// What a translated CUDA source needs from the emulator: launches, barriers, warp operations, memory. The
// functions are in runtime/; `translate.py` writes the calls of Launch and dynamic_shared.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

struct uint3 {
    unsigned int x, y, z;
};
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
struct CUstream_st;
using cudaStream_t = CUstream_st*;

namespace emulator {

// Plain structs: the scheduler writes them whenever it changes threads. To a thread they are constants.
struct Index {
    unsigned int x, y, z;
    constexpr operator uint3() const { return {x, y, z}; }
    constexpr operator dim3() const { return dim3(x, y, z); }
};

struct Config {
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    cudaStream_t stream;
    Config(dim3 grid, dim3 block = 1, size_t shared_bytes = 0, cudaStream_t stream = nullptr)
        : grid(grid), block(block), shared_bytes(shared_bytes), stream(stream) {}
};

// Thrown through the wrapper if a launch had to be ended. The reason is reported, so Python needs only the
// type (course_invoke's status), and the text is for wrappers that catch the exception. `what` is the C++
// library's, so a module may call it.
struct Stopped : std::logic_error {
    Stopped() : std::logic_error("the emulator stopped the kernel") {}
};

// Runs `body(closure)` once for every thread of the grid, or records a launch error as CUDA would. `function`
// is the address that was passed to cudaFuncSetAttribute, null if it is unknown. The closure holds the
// kernel's parameters; `pointers` has those that are pointers, and null for the others.
void launch(const char* kernel, const void* function, const Config& config, void (*body)(void*),
            void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters);

template <class T>
const void* pointer_in(const T& argument) {
    if constexpr (std::is_convertible_v<T, const volatile void*>) {
        return const_cast<const void*>(static_cast<const volatile void*>(argument));
    }
    return nullptr;
}

class Launch {
  public:
    Launch(const char* kernel, const void* function, const Config& config)
        : kernel_(kernel), function_(function), config_(config) {}

    // `call` is a generic lambda that names the kernel, so that its arguments convert as in a call in the
    // source.
    template <class Call, class... Arguments>
    void operator()(Call call, Arguments... arguments) const {
        auto body = [call, arguments...]() mutable { call(arguments...); };
        const void* pointers[] = {pointer_in(arguments)..., nullptr};
        launch(
            kernel_, function_, config_, [](void* closure) { (*static_cast<decltype(body)*>(closure))(); },
            &body, sizeof body, pointers, sizeof...(arguments));
    }

  private:
    const char* kernel_;
    const void* function_;
    Config config_;
};

// Stands for a kernel whose address the translation does not know. An opt-in to more shared memory for any
// kernel counts as an opt-in for this one.
inline const void* any_kernel() { return reinterpret_cast<const void*>(~uintptr_t{0}); }

// The dynamic shared memory of the running block. `dynamic_shared` also gives it a name in reports.
extern char shared_memory[];
void* dynamic_shared(const char* name);
void sync_threads(int line);
int sync_threads_count(int line, int predicate);
int sync_threads_and(int line, int predicate);
int sync_threads_or(int line, int predicate);
constexpr unsigned int kMultiprocessors = 132;
constexpr size_t kMaxSharedBytes = 227 * 1024;  // the most that a block may opt in to on an H200
long long ticks();  // a clock that moves on at each call: the emulator does not measure times
bool is_local(const void* address);  // on the stack of the running thread
[[noreturn]] void trap();
[[noreturn]] void assertion_failed(const char* condition);

// Copies `bytes` (4, 8 or 16), with zeros for the last `zeros` bytes. The copy is made when `wait_for_copies`
// waits for its batch. It waits for all committed batches except the `last` ones.
void copy_async(void* to, const void* from, size_t bytes, size_t zeros, const void* code = nullptr);
void commit_copies();
void wait_for_copies(size_t last);

enum class WarpOp : int {
    kActive,
    kSync,
    kIndex,
    kUp,
    kDown,
    kXor,
    kBallot,
    kMatchAny,
    kAdd,
    kMin,
    kMax,
    kAnd,
    kOr,
    kBitXor
};
// Waits until every lane of `mask` that has not returned is here, then gives this lane its result.
uint64_t warp(WarpOp op, int line, unsigned int mask, uint64_t value, int argument = 0, int width = 32);
// The lanes of the warp that wait here together when no other thread of the block can go on.
unsigned int active_mask(int line);

// c plus the products of these factors, as a tensor core of compute capability 9.0 adds them. They are passed
// by value, since the runtime's own accesses are not traced.
struct Factors {
    float a[16], b[16];
};
float add_products(Factors factors, float c);

// In a traced source, an atomic operation is one access, and `code` becomes the place in the code. One that
// is `of_block` is atomic only for the threads of its block. `atomic_end` stores what becomes of the value
// that `atomic_begin` returned; without it, or with another address, it is a store like any other. It returns
// what the operation may see if it changes nothing: in a call of another order, this may be an earlier value.
void fence(bool of_block);
uint64_t atomic_begin(const void* address, size_t bytes, bool uses_old, bool of_block = false,
                      const void* code = nullptr);
uint64_t atomic_end(void* address, size_t bytes, uint64_t value, const void* code = nullptr);
// Before an exchange by `value`.
void before_exchange(const void* address, size_t bytes, uint64_t value, const void* code = nullptr);

// A line of the source, which no argument can be mistaken for.
struct Line {
    int number;
    static constexpr Line here(int number = __builtin_LINE()) { return {number}; }
    constexpr operator int() const { return number; }
};

// A parameter of this type is not used to deduce T.
template <class T>
struct Identity {
    using type = T;
};
template <class T>
using Same = typename Identity<T>::type;

template <class T>
uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
T from_bits(uint64_t bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
constexpr bool kShuffles = std::is_arithmetic_v<T> || std::is_convertible_v<T, float>;
template <class T>
T shuffle(WarpOp op, int line, unsigned int mask, T value, int argument, int width = 32) {
    static_assert(kShuffles<T>, "shuffles take numbers and floats of 16 bits, but no other structs");
    return from_bits<T>(warp(op, line, mask, to_bits(value), argument, width));
}
struct Smaller {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
};
struct Larger {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
// The value of another lane, in pieces if it is large. Any type is copied byte by byte.
template <class T>
T from_lane(int line, unsigned int mask, T value, int lane) {
    using Piece = std::conditional_t<sizeof(T) % 8 == 0, uint64_t,
                                     std::conditional_t<sizeof(T) % 4 == 0, uint32_t, unsigned char>>;
    Piece pieces[sizeof(T) / sizeof(Piece)];
    __builtin_memcpy(pieces, &value, sizeof value);
    for (Piece& piece : pieces) piece = shuffle(WarpOp::kIndex, line, mask, piece, lane);
    __builtin_memcpy(&value, pieces, sizeof value);
    return value;
}
inline unsigned int ballot(int line, unsigned int mask, int predicate) {
    return static_cast<unsigned int>(warp(WarpOp::kBallot, line, mask, predicate != 0));
}
template <class T>
T reduce(WarpOp op, int line, unsigned int mask, T value) {
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "warp reductions take int and unsigned int");
    const uint64_t wide = std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(value)) : value;
    return static_cast<T>(warp(op, line, mask, wide));
}

}  // namespace emulator

#ifdef EMULATOR_RUNTIME  // only the scheduler writes these
extern emulator::Index threadIdx, blockIdx, blockDim, gridDim;
#else
extern const emulator::Index threadIdx, blockIdx, blockDim, gridDim;
#endif
extern const int warpSize;  // not a constant expression, as in CUDA

namespace emulator {
// Of the running thread, in its block and in its warp.
inline unsigned int rank_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned int lane() { return rank_in_block() % 32; }
}  // namespace emulator

// As nvcc does, clang inlines what a kernel calls.
#define __global__ __attribute__((flatten))
#define __device__
#define __host__
#define __managed__
#define __constant__
#define __grid_constant__
#define __shared__ static
#define EMULATOR_INLINE inline __attribute__((always_inline))  // a traced access belongs to the calling line
// For all functions up to EMULATOR_INLINE_END. Their basic blocks then come in the order of the calling code.
#define EMULATOR_INLINE_ALL \
    _Pragma("clang attribute push(__attribute__((always_inline)), apply_to = function)")
#define EMULATOR_INLINE_END _Pragma("clang attribute pop")
#define EMULATOR_LINE ::emulator::Line line = ::emulator::Line::here()  // a parameter: the line of the call
#define __forceinline__ EMULATOR_INLINE
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __builtin_assume(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))  // not evaluated

#define __syncthreads() ::emulator::sync_threads(__LINE__)
#define __syncthreads_count(predicate) ::emulator::sync_threads_count(__LINE__, predicate)
#define __syncthreads_and(predicate) ::emulator::sync_threads_and(__LINE__, predicate)
#define __syncthreads_or(predicate) ::emulator::sync_threads_or(__LINE__, predicate)
#define EMULATOR_MASK(mask, ...) static_cast<unsigned int>(mask)
#define __syncwarp(...)                                          \
    ((void)::emulator::warp(::emulator::WarpOp::kSync, __LINE__, \
                            EMULATOR_MASK(__VA_ARGS__ __VA_OPT__(, ) 0xFFFFFFFFu), 0))
#define __shfl_sync(mask, value, ...) \
    ::emulator::shuffle(::emulator::WarpOp::kIndex, __LINE__, mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) \
    ::emulator::shuffle(::emulator::WarpOp::kUp, __LINE__, mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...) \
    ::emulator::shuffle(::emulator::WarpOp::kDown, __LINE__, mask, value, __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...) \
    ::emulator::shuffle(::emulator::WarpOp::kXor, __LINE__, mask, value, __VA_ARGS__)
#define __ballot_sync(mask, predicate) ::emulator::ballot(__LINE__, mask, predicate)
#define __any_sync(mask, predicate) (::emulator::ballot(__LINE__, mask, predicate) != 0 ? 1 : 0)
#define __all_sync(mask, predicate) (::emulator::ballot(__LINE__, mask, !(predicate)) == 0 ? 1 : 0)
#define __match_any_sync(mask, value) \
    static_cast<unsigned int>(        \
        ::emulator::warp(::emulator::WarpOp::kMatchAny, __LINE__, mask, ::emulator::to_bits(value)))
#define __reduce_add_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kAdd, __LINE__, mask, value)
#define __reduce_min_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kMin, __LINE__, mask, value)
#define __reduce_max_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kMax, __LINE__, mask, value)
#define __reduce_and_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kAnd, __LINE__, mask, value)
#define __reduce_or_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kOr, __LINE__, mask, value)
#define __reduce_xor_sync(mask, value) ::emulator::reduce(::emulator::WarpOp::kBitXor, __LINE__, mask, value)
#define __activemask() ::emulator::active_mask(__LINE__)
inline void __nanosleep(unsigned int) {}
#ifdef COURSE_TRACED
inline void __threadfence() { ::emulator::fence(false); }
inline void __threadfence_block() { ::emulator::fence(true); }
#else
inline void __threadfence() {}
inline void __threadfence_block() {}
#endif
inline void __threadfence_system() { __threadfence(); }
#define __trap() ::emulator::trap()

// One thread runs at a time, so a plain read, change and write is atomic.
namespace emulator {
template <bool kUsesOld = true, bool kOfBlock = false, class T, class Change>
EMULATOR_INLINE T atomic_change(T* address, Change change) {
#ifdef COURSE_TRACED
    if constexpr (!kUsesOld) before_exchange(address, sizeof(T), to_bits(change(T())));
    const T old = from_bits<T>(atomic_begin(address, sizeof(T), kUsesOld, kOfBlock));
    const auto is_kept = [=](T value) { return to_bits(change(value)) == to_bits(value); };
    const T seen = from_bits<T>(atomic_end(address, sizeof(T), to_bits(change(old))));
    return is_kept(old) && is_kept(seen) ? seen : old;
#else
    const T old = *address;
    *address = change(old);
    return old;
#endif
}
}  // namespace emulator
