// Hooks: the functions that g++'s instrumentation of a traced module calls for each load, store, atomic
// operation and branch.
#define EMULATOR_RUNTIME
#include <cstdint>
#include <cstring>
#include <vector>

#include "tracer.h"

namespace tracer {

using emulator::current;
using emulator::in_kernel;
using emulator::Reason;
using emulator::report;
using emulator::Subject;

namespace {

// The usual case: an access at a known place in the code, to the area that this place touched before, and
// after all accesses of other threads there. If this is not certain, `access` looks closer.
template <Op kOp>
inline __attribute__((always_inline)) void quick_access(uintptr_t address, size_t bytes, const void* code) {
    const auto look_closer = [=] { access(address, bytes, kOp, true, code); };
    const uint16_t number = site_cache[cache_place(code)];
    if (!in_kernel || pending.area || number >= sites.size() || bytes < 4) return look_closer();
    Site& site = sites[number];
    if (site.code != code || site.bytes != bytes || !site.area || !site.area->holds(address, bytes))
        return look_closer();
    if (replaying) return;
    if (site.area->is_constant || address % bytes != 0 || site.area->shift != 2 ||
        site.counted[site.area->shared] != traffic::counting) {
        return look_closer();
    }
    const Area& area = *site.area;
    const uint32_t before = area.shared ? barrier_time : launch_time;
    Cell* cell = area.cell(address);
    Cell* const end = cell + bytes / 4;
    for (const Cell* each = cell; each != end; ++each) {
        if (each->write.time >= before) return look_closer();
        if (kOp == Op::kRead && each->write.time < written_since(area)) return look_closer();
        if (kOp == Op::kWrite && (each->reads[0].time >= before || each->reads[1].time >= before))
            return look_closer();
    }
    if (traffic::counting) traffic::log(code, traffic::key_of(number, area.shared), address);
    const Access now_here{now, static_cast<uint16_t>(current), number};
    for (; cell != end; ++cell) {
        if (kOp == Op::kRead) {
            note_read(area, *cell, now_here);
        } else {
            cell->write = cell->plain = now_here;
        }
    }
}

// g++ instruments neither the load of `expected` nor the store to it if the values differ.
template <typename T>
bool compare_exchange(T* address, T* expected, T value, const void* code) {
    const auto place = reinterpret_cast<uintptr_t>(expected);
    if (in_kernel) access(place, sizeof *expected, Op::kRead, true, code);
    T found = *expected;
    const bool same =
        __atomic_compare_exchange_n(address, &found, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (same) return true;
    if (in_kernel) access(place, sizeof *expected, Op::kWrite, true, code);
    *expected = found;
    return false;
}

// The layout of the data that g++ passes for an index out of bounds (libsanitizer/ubsan/ubsan_handlers.h).
struct OutOfBounds {
    const char* file;
    uint32_t line, column;
    const struct {
        uint16_t kind, info;
        char name[1];
    } * array_type, *index_type;
};

}  // namespace

extern "C" {

#define HOOK(name, bytes, op, aligned, strong)                                                        \
    void __tsan_##name##bytes(void* address) {                                                        \
        access(reinterpret_cast<uintptr_t>(address), bytes, op, aligned, __builtin_return_address(0), \
               strong);                                                                               \
    }
#define TRACED(bytes)                                                                                       \
    void __tsan_read##bytes(void* address) {                                                                \
        quick_access<Op::kRead>(reinterpret_cast<uintptr_t>(address), bytes, __builtin_return_address(0));  \
    }                                                                                                       \
    void __tsan_write##bytes(void* address) {                                                               \
        quick_access<Op::kWrite>(reinterpret_cast<uintptr_t>(address), bytes, __builtin_return_address(0)); \
    }                                                                                                       \
    HOOK(unaligned_read, bytes, Op::kRead, false, false)                                                    \
    HOOK(unaligned_write, bytes, Op::kWrite, false, false)                                                  \
    HOOK(volatile_read, bytes, Op::kRead, true, true)                                                       \
    HOOK(volatile_write, bytes, Op::kWrite, true, true)                                                     \
    HOOK(unaligned_volatile_read, bytes, Op::kRead, false, true)                                            \
    HOOK(unaligned_volatile_write, bytes, Op::kWrite, false, true)
TRACED(1)
TRACED(2)
TRACED(4)
TRACED(8)
TRACED(16)
#undef TRACED
#undef HOOK
void __tsan_read_range(void* address, size_t bytes) {
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kRead, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, size_t bytes) {
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kWrite, false, __builtin_return_address(0));
}
// Mostly from the host's code, such as reference counts.
#define LOOK(op)   \
    if (in_kernel) \
    access(reinterpret_cast<uintptr_t>(address), sizeof *address, op, true, __builtin_return_address(0), true)
#define ATOMIC_CHANGE(bits, name)                                                                     \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t* address, uint##bits##_t value, int) { \
        LOOK(Op::kAtomic);                                                                            \
        return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                     \
    }
#define ATOMIC_COMPARE(bits, name)                                                                       \
    int __tsan_atomic##bits##_compare_exchange_##name(uint##bits##_t* address, uint##bits##_t* expected, \
                                                      uint##bits##_t value, int, int) {                  \
        LOOK(Op::kAtomic);                                                                               \
        return compare_exchange(address, expected, value, __builtin_return_address(0));                  \
    }
#define ATOMIC(bits)                                                                                    \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t* address, int) {                     \
        LOOK(Op::kRead);                                                                                \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                              \
    }                                                                                                   \
    void __tsan_atomic##bits##_store(uint##bits##_t* address, uint##bits##_t value, int) {              \
        LOOK(Op::kWrite);                                                                               \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                                   \
    ATOMIC_COMPARE(bits, strong)                                                                        \
    ATOMIC_COMPARE(bits, weak)                                                                          \
    uint##bits##_t __tsan_atomic##bits##_exchange(uint##bits##_t* address, uint##bits##_t value, int) { \
        LOOK(Op::kAtomic);                                                                              \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                   \
    }                                                                                                   \
    ATOMIC_CHANGE(bits, fetch_xor)                                                                      \
    ATOMIC_CHANGE(bits, fetch_add)                                                                      \
    ATOMIC_CHANGE(bits, fetch_sub)                                                                      \
    ATOMIC_CHANGE(bits, fetch_and)                                                                      \
    ATOMIC_CHANGE(bits, fetch_or)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
#undef ATOMIC
#undef ATOMIC_CHANGE
#undef ATOMIC_COMPARE
#undef LOOK
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __sanitizer_cov_trace_pc() {
    if (traffic::counting && in_kernel) traffic::log(__builtin_return_address(0), traffic::kMark, 0);
}

void __ubsan_handle_out_of_bounds(const OutOfBounds* what, uintptr_t index) {
    // The lowest bit of the type says whether it is signed, the bits above give the logarithm of its size in
    // bits.
    const bool is_signed = what->index_type->info & 1;
    const unsigned unused = 64 - (1u << (what->index_type->info >> 1));
    const auto as_signed = static_cast<int64_t>(index << unused) >> unused;
    const std::vector<int64_t> numbers{what->line, is_signed ? as_signed : static_cast<int64_t>(index),
                                       !is_signed && as_signed < 0};
    const char* const type = what->array_type->name;
    if (!in_kernel) emulator::crash(Reason::kIndexOutsideOnHost, numbers, type);
    report({Reason::kIndexOutside,
            numbers,
            {{blockIdx, threadIdx, static_cast<int>(what->line), nullptr}},
            {Subject::Kind::kName, type, {}}});
    emulator::stop();
}
void __ubsan_handle_missing_return(const void*) { emulator::crash(Reason::kMissingReturn); }

}  // extern "C"

}  // namespace tracer

namespace emulator {

void fence(bool of_block) {
    if (!in_kernel || !tracer::tracing) return;
    tracer::thread_fences[current] = ++tracer::now;
    if (!of_block) tracer::fence_times[tracer::block_times.size() - 1] = tracer::now;
}
void atomic_access(const void* address, size_t bytes, bool uses_old) {
    tracer::access(reinterpret_cast<uintptr_t>(address), bytes, tracer::Op::kAtomic, true,
                   __builtin_return_address(0), true, uses_old);
}
void copy_untraced(void* to, const void* from, size_t bytes) { memmove(to, from, bytes); }
void fill_untraced(void* to, int value, size_t bytes) { memset(to, value, bytes); }

}  // namespace emulator
