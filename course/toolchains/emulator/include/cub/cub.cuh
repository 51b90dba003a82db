// Stands in for the reductions and scans of CUB for a block and for a warp. They use the same storage and
// barriers as CUB's algorithms by warps, so a barrier that is missing before the storage is used again is a
// race. Every algorithm that a source asks for is this one: sums of floats may differ in the last digits
// from those by raking, which is the default of BlockScan. A hazard names the line of the constructor.
#pragma once
#include "../cooperative_groups.h"

EMULATOR_INLINE_ALL
namespace emulator {

template <int kWidth>
cooperative_groups::thread_block_tile<kWidth> lanes() {
    return cooperative_groups::thread_block_tile<kWidth>(cooperative_groups::this_thread_block());
}

template <class T, int kSize>
struct alignas(T) Storage {  // has no constructors, unlike T
    char bytes[kSize * sizeof(T)];
    T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

template <class Derived, class T>
struct Reductions {
    template <class Op>
    T Reduce(T value, Op op, int valid = Derived::kThreads) {
        return static_cast<Derived*>(this)->reduce(value, op, valid);
    }
    T Sum(T value, int valid = Derived::kThreads) { return Reduce(value, std::plus<>(), valid); }
};

// `Derived::scan` makes of `value` the scan up to this thread, and of `before` the scan of the threads before
// it, with `first` before all. It returns the scan of all threads.
template <class Derived, class T>
struct Scans {
    template <class Op, class... All>
    void InclusiveScan(T value, T& to, Op op, All&... all) {
        T before;
        const T total = own().scan(value, before, nullptr, op);
        to = value;
        ((all = total), ...);
    }
    template <class Op>
    void ExclusiveScan(T value, T& to, Op op) {
        own().scan(value, to, nullptr, op);
    }
    template <class Op, class... All>
    void ExclusiveScan(T value, T& to, T first, Op op, All&... all) {
        const T total = own().scan(value, to, &first, op);
        ((all = total), ...);
    }
    template <class... All>
    void InclusiveSum(T value, T& to, All&... all) {
        InclusiveScan(value, to, std::plus<>(), all...);
    }
    template <class... All>
    void ExclusiveSum(T value, T& to, All&... all) {
        ExclusiveScan(value, to, T{}, std::plus<>(), all...);
    }
    Derived& own() { return *static_cast<Derived*>(this); }
};

}  // namespace emulator

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
using Sum = std::plus<>;
using Max = emulator::Larger;
using Min = emulator::Smaller;

template <class T, int kWidth = 32>
struct WarpReduce : emulator::Reductions<WarpReduce<T, kWidth>, T> {
    static constexpr int kThreads = kWidth;
    struct TempStorage {};  // shuffles need none
    explicit WarpReduce(TempStorage&, EMULATOR_LINE) : line(line) {}
    template <class Op>
    T reduce(T value, Op op, int valid) {
        const auto lanes = emulator::lanes<kWidth>();
        for (int offset = 1; offset < kWidth; offset *= 2) {
            const T other = lanes.shfl_down(value, offset, line);
            if (static_cast<int>(lanes.thread_rank()) + offset < valid) value = op(value, other);
        }
        return value;
    }
    const emulator::Line line;
};

template <class T, int kWidth = 32>
struct WarpScan : emulator::Scans<WarpScan<T, kWidth>, T> {
    struct TempStorage {};
    explicit WarpScan(TempStorage&, EMULATOR_LINE) : line(line) {}
    template <class Op>
    T scan(T& value, T& before, const T* first, Op op) {
        const auto lanes = emulator::lanes<kWidth>();
        value = inclusive_scan(
            lanes, value, [&](T later, T earlier) { return op(earlier, later); }, line);
        before = lanes.shfl_up(value, 1, line);
        if (first) before = lanes.thread_rank() ? op(*first, before) : *first;
        return lanes.shfl(value, kWidth - 1, line);
    }
    const emulator::Line line;
};

template <class T, int kX, BlockReduceAlgorithm kAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1,
          int kZ = 1>
struct BlockReduce : emulator::Reductions<BlockReduce<T, kX, kAlgorithm, kY, kZ>, T> {
    static constexpr int kThreads = kX * kY * kZ, kWarps = (kThreads + 31) / 32;
    using TempStorage = emulator::Storage<T, kWarps>;
    explicit BlockReduce(TempStorage& storage, EMULATOR_LINE) : sums(storage), line(line) {}
    // The result is that of thread 0. Other threads have partial results.
    template <class Op>
    T reduce(T value, Op op, int valid) {
        const int rank = static_cast<int>(emulator::rank_in_block()), warp = rank / 32;
        typename WarpReduce<T>::TempStorage none;
        value = WarpReduce<T>(none, line).reduce(value, op, valid - warp * 32);
        if (rank % 32 == 0) sums[warp] = value;
        emulator::sync_threads(line);
        for (int i = 1; i < kWarps && rank == 0 && i * 32 < valid; ++i) {
            const T next = sums[i];  // loaded here, not in `op`
            value = op(value, next);
        }
        return value;
    }
    TempStorage& sums;
    const emulator::Line line;
};

template <class T, int kX, BlockScanAlgorithm kAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1>
struct BlockScan : emulator::Scans<BlockScan<T, kX, kAlgorithm, kY, kZ>, T> {
    static constexpr int kThreads = kX * kY * kZ, kWarps = (kThreads + 31) / 32;
    using TempStorage = emulator::Storage<T, kWarps>;
    explicit BlockScan(TempStorage& storage, EMULATOR_LINE) : sums(storage), line(line) {}
    template <class Op>
    T scan(T& value, T& before, const T* first, Op op) {
        const int rank = static_cast<int>(emulator::rank_in_block()), warp = rank / 32, lane = rank % 32;
        typename WarpScan<T>::TempStorage none;
        WarpScan<T>(none, line).scan(value, before, nullptr, op);
        if (lane == 31 || rank == kThreads - 1) sums[warp] = value;
        emulator::sync_threads(line);
        T prefix = sums[0], all = prefix;
        for (int i = 1; i < kWarps; ++i) {
            const T next = sums[i];
            if (i == warp) prefix = all;
            all = op(all, next);
        }
        if (warp) value = op(prefix, value);
        if (first) prefix = warp ? op(*first, prefix) : *first;
        if (warp || first) before = lane ? op(prefix, before) : prefix;
        return all;
    }
    TempStorage& sums;
    const emulator::Line line;
};

}  // namespace cub
EMULATOR_INLINE_END
