// What inline PTX becomes (../ptx.py): special registers, and the shared memory's own addresses of 32 bits.
#pragma once
#include "emulator.h"

// The linker's names for the module's variables without first values: __shared__ arrays, but also __device__
// ones, which __isShared does not tell from them.
extern "C" __attribute__((visibility("hidden"))) char __bss_start[], _end[];

namespace emulator {
// Above kDynamic is dynamic shared memory. Both kinds of addresses have the alignment of what they stand for.
constexpr size_t kDynamic = size_t{1} << 31;
inline uintptr_t static_memory() { return reinterpret_cast<uintptr_t>(__bss_start) / 1024 * 1024; }
inline size_t to_shared(const void* address) {
    const auto at = reinterpret_cast<uintptr_t>(address),
               dynamic = reinterpret_cast<uintptr_t>(shared_memory);
    return at - dynamic < kDynamic ? kDynamic + at - dynamic : at - static_memory();
}
inline void* from_shared(size_t address) {
    return reinterpret_cast<void*>(address < kDynamic
                                       ? static_memory() + address
                                       : reinterpret_cast<uintptr_t>(shared_memory) + address - kDynamic);
}
inline bool is_shared(const void* address) {
    return (address >= __bss_start && address < _end) ||
           (address >= shared_memory && address < shared_memory + kMaxSharedBytes);
}

namespace ptx {
constexpr size_t kAll = ~size_t{0};
EMULATOR_INLINE void copy(size_t to, const void* from, size_t bytes, size_t used = kAll) {
    copy_async(from_shared(to), from, bytes, used == kAll ? 0 : bytes - used);
}
inline unsigned int laneid() { return lane(); }
inline unsigned int warpid() { return rank_in_block() / 32; }
inline unsigned int smid() {
    return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % kMultiprocessors;
}
inline uint64_t clock64() { return static_cast<uint64_t>(ticks()); }
inline uint64_t globaltimer() { return clock64(); }
inline unsigned int clock() { return static_cast<unsigned int>(clock64()); }
inline unsigned int lanemask_lt() { return (1u << laneid()) - 1; }
}  // namespace ptx
}  // namespace emulator

inline size_t __cvta_generic_to_shared(const void* address) { return emulator::to_shared(address); }
inline void* __cvta_shared_to_generic(size_t address) { return emulator::from_shared(address); }
inline unsigned int __isShared(const void* address) { return emulator::is_shared(address); }
inline unsigned int __isLocal(const void* address) { return emulator::is_local(address); }
inline unsigned int __isGlobal(const void* address) {
    return !emulator::is_shared(address) && !emulator::is_local(address);
}
