// Hooks: the functions that a traced module calls for each load, store, atomic operation and branch
// (course/toolchains/emulator/instrument.py). `code` is the place in the code.
#include "scheduler.h"
#include "tracer.h"

namespace tracer {

namespace {

// The usual case: an access at a known place in the code, to the area that this place touched before, and
// after all accesses of other threads there. If this is not certain, `access` looks closer.
template <Op kOp>
inline __attribute__((always_inline)) void quick_access(uintptr_t address, size_t bytes, const void* code) {
    const auto look_closer = [=] { access(address, bytes, kOp, true, code); };
    const uint16_t number = site_cache[cache_place(code)];
    if (!in_kernel || pending.area || number >= sites.size() || bytes < 4) return look_closer();
    Site& site = sites[number];
    if (site.code != code || site.bytes != bytes || !site.area || !site.area->views_hold(address, bytes))
        return look_closer();
    if (replaying) return;
    if (site.area->is_constant || site.area->side == Side::kBoth || address % bytes != 0 ||
        site.area->shift != 2 || site.counted[site.area->shared] != traffic::counting) {
        return look_closer();
    }
    const Area& area = *site.area;
    const uint32_t before = area.shared ? barrier_time : settled_time;
    Cell* cell = area.cell(address);
    Cell* const end = cell + bytes / 4;
    for (const Cell* each = cell; each != end; ++each) {
        if (each->write.time >= before) return look_closer();
        if (kOp == Op::kRead && each->write.time < written_since(area)) return look_closer();
        if (kOp == Op::kWrite && (each->reads[0].time >= before || each->reads[1].time >= before))
            return look_closer();
    }
    if (traffic::counting) {
        traffic::log(code, traffic::key_of(number, area.shared), address);
        if (kOp == Op::kRead && area.shared) ++work::block.threads[current].shared_loads;
    }
    const Access now_here{now, static_cast<uint16_t>(current), number};
    for (; cell != end; ++cell) {
        if (kOp == Op::kRead) {
            note_read(area, *cell, now_here);
        } else {
            cell->write = cell->plain = now_here;
        }
    }
}

template <class T>
T earlier_or(const T* address) {
    if constexpr (sizeof(T) <= sizeof(uint64_t)) {
        const bool other = order != 0 && in_kernel;
        const uint64_t* const earlier =
            other ? earlier_value(reinterpret_cast<uintptr_t>(address), sizeof(T)) : nullptr;
        if (earlier) return static_cast<T>(*earlier);
    }
    return *address;
}

// The layout of the data that clang passes for an index out of bounds
// (compiler-rt/lib/ubsan/ubsan_handlers.h).
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

// Any other access. It is `strong` if it is volatile or atomic. Of the atomic operations in a module, most
// are the host's, such as those on reference counts.
void emulator_access(const void* address, size_t bytes, const void* code, bool writes, bool aligned,
                     bool strong) {
    if (in_kernel && strong) give_way();
    access(reinterpret_cast<uintptr_t>(address), bytes, writes ? Op::kWrite : Op::kRead, aligned, code,
           strong);
}
#define HOOKS(bits)                                                                            \
    uint##bits##_t emulator_load##bits(const uint##bits##_t* address, const void* code) {      \
        quick_access<Op::kRead>(reinterpret_cast<uintptr_t>(address), sizeof *address, code);  \
        return earlier_or(address);                                                            \
    }                                                                                          \
    uint##bits##_t emulator_volatile##bits(const uint##bits##_t* address, const void* code) {  \
        emulator_access(address, sizeof *address, code, false, true, true);                    \
        return earlier_or(address);                                                            \
    }                                                                                          \
    void emulator_store##bits(const uint##bits##_t* address, const void* code) {               \
        quick_access<Op::kWrite>(reinterpret_cast<uintptr_t>(address), sizeof *address, code); \
    }
using uint128_t = unsigned __int128;
HOOKS(8)
HOOKS(16)
HOOKS(32)
HOOKS(64)
HOOKS(128)
#undef HOOKS
void emulator_atomic(const void* address, size_t bytes, const void* code) {
    if (!in_kernel) return;
    give_way();
    access(reinterpret_cast<uintptr_t>(address), bytes, Op::kAtomic, true, code, true);
}
void emulator_block(const void* code) {
    if (traffic::counting && in_kernel) traffic::log(code, traffic::kMark, 0);
}
// Before a call of a function that nvcc would not call from a kernel.
void emulator_host_call(const char* mangled) {
    if (in_kernel) emulator::emulator_host_function(mangled);
}

[[noreturn]] void __ubsan_handle_out_of_bounds_abort(const OutOfBounds* what, uintptr_t index) {
    // The lowest bit of the type says whether it is signed, the bits above give the logarithm of its size in
    // bits.
    const bool is_signed = what->index_type->info & 1;
    const unsigned unused = 64 - (1u << (what->index_type->info >> 1));
    const auto as_signed = static_cast<int64_t>(index << unused) >> unused;
    const std::vector<int64_t> numbers{what->line, is_signed ? as_signed : static_cast<int64_t>(index),
                                       !is_signed && as_signed < 0};
    const char* const type = what->array_type->name;
    if (!in_kernel) crash(Reason::kIndexOutsideOnHost, numbers, type);
    report({Reason::kIndexOutside,
            numbers,
            {{blockIdx, threadIdx, static_cast<int>(what->line), nullptr}},
            {Subject::Kind::kName, type, {}}});
    stop();
}
void __ubsan_handle_missing_return(const void*) { crash(Reason::kMissingReturn); }

}  // extern "C"

}  // namespace tracer

namespace emulator {

void fence(bool of_block) {
    if (!in_kernel || !tracer::tracing) return;
    tracer::thread_fences[current] = ++tracer::now;
    if (!of_block) tracer::fence_times[tracer::block_times.size() - 1] = tracer::now;
}
namespace {
const void* begun = nullptr;  // the address of the atomic operation that has begun
uint64_t seen = 0;            // what it may see there, if it changes nothing

void check_width(size_t bytes) {
    if (bytes > sizeof(uint64_t))
        __builtin_trap();  // no atomic operation is wider: a source has called by hand
}
}  // namespace
uint64_t atomic_begin(const void* address, size_t bytes, bool uses_old, bool of_block, const void* code) {
    check_width(bytes);
    const auto at = reinterpret_cast<uintptr_t>(address);
    if (in_kernel) give_way();
    const uint64_t* const earlier = order != 0 ? tracer::earlier_value(at, bytes) : nullptr;
    tracer::access(at, bytes, tracer::Op::kAtomic, true, code, !of_block, uses_old);
    begun = address;
    uint64_t value = 0;
    memcpy(&value, address, bytes);
    seen = earlier ? *earlier : value;
    return value;
}
uint64_t atomic_end(void* address, size_t bytes, uint64_t value, const void* code) {
    check_width(bytes);
    if (std::exchange(begun, nullptr) != address)
        tracer::access(reinterpret_cast<uintptr_t>(address), bytes, tracer::Op::kWrite, true, code);
    uint64_t before = 0;
    memcpy(&before, address, bytes);
    if (order != 0 && before != value)
        tracer::keep_earlier(reinterpret_cast<uintptr_t>(address), bytes, before);
    memcpy(address, &value, bytes);
    return seen;
}
cudaError_t host_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
                      bool waits, const void* code) {
    if (in_kernel) crash(Reason::kHostFunction, {}, "cudaMemcpy");
    const Side target = side_of(to), source = side_of(from);
    const auto bit = [](Side side, int claimed) {
        return side == Side::kEither ? claimed : side == Side::kDevice;
    };
    const int right = 2 * bit(source, kind >> 1 & 1) + bit(target, kind & 1);
    if (bytes && kind != cudaMemcpyDefault && kind != right) {
        report({Reason::kCopyKind, {kind, right}, {{{}, {}, 0, code}}});
        return recorded(cudaErrorInvalidValue);
    }
    if (blank) return cudaSuccess;
    const DeviceMemory open;
    tracer::begin_operation(stream, false);
    memmove(to, from, bytes);
    tracer::host_wrote(to, from, static_cast<int64_t>(bytes));
    // As in CUDA, a copy on the device does not keep the host waiting, and one to pageable memory always
    // does.
    const bool on_device = target == Side::kDevice && source == Side::kDevice;
    if ((waits && !on_device) || target == Side::kHost) cudaStreamSynchronize(stream);
    return cudaSuccess;
}
cudaError_t host_fill(void* to, cudaStream_t stream, int value, size_t bytes) {
    if (in_kernel) crash(Reason::kHostFunction, {}, "cudaMemset");
    if (blank) return cudaSuccess;
    const DeviceMemory open;
    tracer::begin_operation(stream, false);
    memset(to, value, bytes);
    tracer::host_wrote(to, nullptr, static_cast<int64_t>(bytes));
    return cudaSuccess;
}

}  // namespace emulator
