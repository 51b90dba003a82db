// Cooperative groups: the grid, the block, and lanes of a warp. They use the emulator's barriers and warp
// operations, which report the line of the call. Reductions and scans add in the order of CUDA's headers.
#pragma once
#include <functional>
#include <utility>

#include "cuda_runtime.h"

EMULATOR_INLINE_ALL
namespace cooperative_groups {

class thread_group {
  public:
    void sync(EMULATOR_LINE) const {
        if (!mask_) return emulator::sync_threads(line);
        emulator::warp(emulator::WarpOp::kSync, line, mask_, 0);
    }
    unsigned num_threads() const {
        return mask_ ? static_cast<unsigned>(__popc(mask_)) : blockDim.x * blockDim.y * blockDim.z;
    }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return mask_ ? rank_of(emulator::lane()) : emulator::rank_in_block(); }

    // From here on, the emulator's own.
    thread_group(unsigned mask) : mask_(mask) {}
    unsigned rank_of(unsigned lane) const {
        return static_cast<unsigned>(__popc(mask_ & ((1u << lane) - 1)));
    }
    // The lanes of a tile of `size` ranks, among which is this thread.
    unsigned tile(unsigned size) const {
        if (size == 0 || size > 32 || (size & (size - 1)) != 0) __trap();
        const unsigned left = thread_group(0).size() - (emulator::rank_in_block() - emulator::lane());
        const thread_group all(mask_ ? mask_ : left < 32 ? (1u << left) - 1 : ~0u);
        unsigned lanes = 0;
        for (unsigned each = 0; each < 32; ++each) {
            const bool together = all.rank_of(each) / size == all.rank_of(emulator::lane()) / size;
            lanes |= static_cast<unsigned>(together) << each & all.mask_;
        }
        return lanes;
    }
    unsigned mask_;  // 0: the whole block
};

class thread_block : public thread_group {
  public:
    thread_block() : thread_group(0) {}
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// Some lanes of a warp.
class coalesced_group : public thread_group {
  public:
    coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    template <class T>
    T shfl(T value, unsigned rank, EMULATOR_LINE) const {
        unsigned lanes = mask_;  // without those of lower ranks
        while (rank-- > 0 && (lanes & (lanes - 1)) != 0) lanes &= lanes - 1;
        return emulator::from_lane(line, mask_, value, __ffs(static_cast<int>(lanes)) - 1);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, EMULATOR_LINE) const {
        const unsigned rank = thread_rank();
        return shfl(value, rank < delta ? rank : rank - delta, line);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, EMULATOR_LINE) const {
        const unsigned rank = thread_rank();
        return shfl(value, rank + delta < num_threads() ? rank + delta : rank, line);
    }
    // Each lane as the bit of its rank.
    unsigned ballot(int predicate, EMULATOR_LINE) const {
        const unsigned lanes = emulator::ballot(line, mask_, predicate);
        unsigned ranks = 0;
        for (unsigned each = 0; each < 32; ++each) ranks |= (lanes >> each & 1u) << (rank_of(each) & 31u);
        return ranks;
    }
    int any(int predicate, EMULATOR_LINE) const { return emulator::ballot(line, mask_, predicate) != 0; }
    int all(int predicate, EMULATOR_LINE) const { return emulator::ballot(line, mask_, !predicate) == 0; }

  private:
    unsigned meta_rank_, meta_size_;
};
inline coalesced_group coalesced_threads(EMULATOR_LINE) { return emulator::active_mask(line); }

template <unsigned kSize, class Parent = void>
class thread_block_tile : public coalesced_group {
    static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0,
                  "in the emulator, a tile has at most 32 threads");

  public:
    explicit thread_block_tile(const thread_group& parent)
        : coalesced_group((~0u >> (32 - kSize)) << emulator::lane() / kSize * kSize,
                          parent.thread_rank() / kSize, (parent.num_threads() + kSize - 1) / kSize) {}
    template <class Other>
    thread_block_tile(const thread_block_tile<kSize, Other>& same) : coalesced_group(same) {}
    static constexpr unsigned num_threads() { return kSize; }
    static constexpr unsigned size() { return kSize; }
    static unsigned thread_rank() { return emulator::lane() % kSize; }
    template <class T>
    T shfl(T value, unsigned rank, EMULATOR_LINE) const {
        return coalesced_group::shfl(value, rank % kSize, line);
    }
    template <class T>
    T shfl_xor(T value, unsigned mask, EMULATOR_LINE) const {
        return shfl(value, thread_rank() ^ mask, line);
    }
};

template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent) {
    return thread_block_tile<kSize, Parent>(parent);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size) { return parent.tile(size); }
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
    return {parent.tile(size), parent.thread_rank() / size, (parent.size() + size - 1) / size};
}

// All threads of a launch, which cannot wait for each other.
class grid_group {
  public:
    template <bool kCooperative = false>
    void sync(int /*line*/ = 0) const {
        static_assert(kCooperative, "blocks wait for each other only in a cooperative launch");
    }
    static bool is_valid() { return false; }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return blockIdx; }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long num_threads() { return num_blocks() * thread_block().size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * thread_block().size() + emulator::rank_in_block();
    }
};
inline grid_group this_grid() { return {}; }

template <class Group>
void sync(const Group& group, EMULATOR_LINE) {
    group.sync(line);
}
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}

using std::bit_and, std::bit_or, std::bit_xor, std::plus;
template <class>
using less = emulator::Smaller;
template <class>
using greater = emulator::Larger;

template <class Group, class T, class Op = plus<T>>
T inclusive_scan(const Group& group, T value, Op op = {}, EMULATOR_LINE) {
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        const T before = group.shfl_up(value, delta, line);
        if (group.thread_rank() >= delta) value = op(value, before);
    }
    return value;
}
template <class Group, class T, class Op = plus<T>>
T exclusive_scan(const Group& group, T value, Op op = {}, EMULATOR_LINE) {
    const T before = group.shfl_up(inclusive_scan(group, value, op, line), 1, line);
    return group.thread_rank() == 0 ? T{} : before;
}
template <unsigned kSize, class Parent, class T, class Op>
T reduce(const thread_block_tile<kSize, Parent>& group, T value, Op op, EMULATOR_LINE) {
    for (unsigned half = kSize / 2; half > 0; half /= 2) value = op(value, group.shfl_xor(value, half, line));
    return value;
}
template <class T, class Op>
T reduce(const coalesced_group& group, T value, Op op, EMULATOR_LINE) {
    if (group.size() == 32) return reduce(thread_block_tile<32>(group), value, op, line);
    return group.shfl(inclusive_scan(group, value, op, line), group.size() - 1, line);
}

// Copies `bytes`, in the largest pieces to which both arrays and their length are aligned. Nothing arrives
// before the group waits, except what has no alignment of 4, which is copied at once, as CUDA copies it.
template <class Group, class T>
void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
    const uintptr_t all = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
    if (all % 4) {
        for (size_t at = group.thread_rank(); at < bytes; at += group.size())
            reinterpret_cast<char*>(to)[at] = reinterpret_cast<const char*>(from)[at];
        return;
    }
    const size_t piece = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
    for (size_t at = group.thread_rank() * piece; at < bytes; at += group.size() * piece)
        emulator::copy_async(reinterpret_cast<char*>(to) + at, reinterpret_cast<const char*>(from) + at,
                             piece, 0);
    emulator::commit_copies();
}
template <class Group>
void wait(const Group& group, EMULATOR_LINE) {
    emulator::wait_for_copies(0);
    group.sync(line);
}

}  // namespace cooperative_groups
EMULATOR_INLINE_END
