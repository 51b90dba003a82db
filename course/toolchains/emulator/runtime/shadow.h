// The shadow of memory: what the tracer remembers of each word, of each instruction that accesses memory, and
// of time.
//
// Each word of a traced memory area has a shadow cell. It remembers which thread wrote the word last, which
// threads have read it since, and when, on a clock that every barrier advances. These data show races, and
// reads of words that were never written.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>

#include "internal.h"

#pragma GCC visibility push(hidden)

namespace tracer {

// ---------------------------------------------------------------------------------------------------------------
// Areas of memory and their cells.

// Times on the clock. The first times stand for what the wrapper itself did, and for levels: see level_of().
constexpr uint32_t kNever = 0, kCopied = 1, kFilled = 2, kFirstTime = 3;
// The time of what an asynchronous copy stores, until a thread has waited for the copy.
constexpr uint32_t kInFlight = ~0u;

// An access: its time, its thread in the block, and its place in the code.
struct Access {
    uint32_t time;
    uint16_t thread;
    uint16_t site;
};

// For one word: the last write, the last write that was not atomic, and up to two reads that are not ordered
// with each other, of different warps if possible. Any writer differs from at least one of two readers.
struct Cell {
    Access write, plain, reads[2];
};

// Arrays that begin as zeros, which take memory and time only where they are touched.
struct Unmap {
    size_t bytes = 0;
    void operator()(void* memory) const;
};
template <class T>
using Zeros = std::unique_ptr<T[], Unmap>;
void* map_zeros(size_t bytes);
template <class T>
Zeros<T> zeros(size_t count) {
    return Zeros<T>(static_cast<T*>(map_zeros(count * sizeof(T))), Unmap{count * sizeof(T)});
}

// For one element of global memory: the last launch that stored it, the last warp that did, its lanes that
// did, and the number of threads that did.
struct Stored {
    uint32_t launch, warp, lanes, writers;
};

// Who can use it: the device, either the host or the device, or both. What a kernel writes to memory of both
// counts as copied to the host.
enum class Side : char { kDevice, kUnknown, kBoth };

struct Area {
    std::vector<Owner> owners;  // at least one
    int64_t parameter = -1;     // the parameter of the running kernel that points here
    int64_t number = -1;        // among `arrays`, in this launch
    uintptr_t begin, end;
    Range views;  // from the first to the last element of all its tensors; empty if none is left
    bool shared;
    bool filled;               // has values before any kernel writes to it
    bool touched = false;      // by a kernel
    bool is_variable = false;  // of the module
    bool is_constant = false;  // __constant__, whose loads do not use global memory
    Side side = Side::kDevice;
    bool written = false;      // by a kernel, or by a copy from the device
    std::vector<char> hidden;  // what a variable contains while the wrapper runs, which cannot read it
    int64_t element;           // bytes, of its first owner; 0 if it is not a tensor
    unsigned shift;            // a cell is for 1 << shift bytes: a word, or a byte after a narrower access
    Zeros<Cell> cells;
    uint32_t host_time = kNever;    // when the host wrote all of it
    Zeros<uint32_t> touched_in[2];  // when a launch last read, and last wrote, each of its sectors
    Zeros<Stored> stored;           // for its elements, after the first counted store

    Area(std::vector<Owner> all_owners, const void* data, size_t bytes, bool shared, bool filled)
        : owners(std::move(all_owners)),
          begin(reinterpret_cast<uintptr_t>(data)),
          end(begin + bytes),
          views(begin, end),
          shared(shared),
          filled(filled),
          element(owners[0].element),
          shift((begin | bytes | static_cast<size_t>(element)) % 4 == 0 ? 2 : 0) {
        cells = zeros<Cell>((bytes >> shift) + 1);
    }
    // What is not a tensor has one owner.
    Area(Subject subject, const void* data, size_t bytes, bool shared, bool filled)
        : Area({{std::move(subject), 0, 0, 0}}, data, bytes, shared, filled) {}
    const Owner& owner(uintptr_t address) const { return owner_of(owners, address); }
    EMULATOR_INLINE bool holds(uintptr_t address, size_t bytes) const {
        return address >= begin && address + bytes <= end;
    }
    bool is_gone() const { return views.second == 0; }
    EMULATOR_INLINE bool views_hold(uintptr_t address, size_t bytes) const {
        return address >= views.first && address + bytes <= views.second;
    }
    EMULATOR_INLINE Cell* cell(uintptr_t address) const { return &cells[(address - begin) >> shift]; }
    void narrow() {
        const size_t bytes = end - begin;
        Zeros<Cell> narrowed = zeros<Cell>(bytes + 1);
        for (size_t i = 0; i < bytes; ++i) narrowed[i] = cells[i >> shift];
        cells = std::move(narrowed);
        shift = 0;
    }
};

extern std::vector<std::unique_ptr<Area>> areas;
// What kernels have allocated in this call, by its address.
extern std::map<uintptr_t, std::unique_ptr<Area>> heap;
// Memory that is neither global nor shared; the first kIndices are threadIdx and the like, which no kernel
// writes.
extern std::vector<Range> ignored;
constexpr int kIndices = 4;
extern uintptr_t closure_begin, closure_end;  // the kernel's parameters

// Whether an address is in a variable of the running thread. Below these is what earlier threads have left.
inline bool is_local(uintptr_t address, size_t bytes) {
    const size_t offset = address - current_stack;
    return address > reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) && offset < kStackBytes &&
           bytes <= kStackBytes - offset;
}
Area* area_of(uintptr_t address, size_t bytes);
bool is_ignored(uintptr_t address, Op op);

void add_to_heap(const void* data, size_t bytes);
void not_kept(uintptr_t begin, uintptr_t end);  // memory that is allocated again is no longer kept
Area* area_of_kept(uintptr_t address, size_t bytes);

// ---------------------------------------------------------------------------------------------------------------
// Sites: the instructions that access memory.

struct Site {
    const void* code;  // the place in the source
    size_t bytes;
    Op op;
    bool strong;  // volatile, or atomic for all blocks: these do not race with each other in global memory
    Area* area;   // the area that it touched last
    bool counted[2];     // whether its traffic in global and in shared memory is counted
    bool before_atomic;  // whether the thread went on to an atomic operation at the same place
    const char* kernel;
    bool asynchronous = false;  // the store of an asynchronous copy
};
extern std::vector<Site> sites;
constexpr size_t kCachedSites = 1024;
// The lowest bits of a place in the code: see course/toolchains/emulator/instrument.py.
constexpr int kLineBits = 20;
// The place of the first of two accesses that one call makes in the same line.
inline const void* other_place(const void* code) {
    return static_cast<const char*>(code) - (size_t{1} << kLineBits);
}
extern uint16_t site_cache[kCachedSites];
inline size_t cache_place(const void* code) {
    return (reinterpret_cast<uintptr_t>(code) >> kLineBits) % kCachedSites;
}

// Code that copies any number of bytes is a separate site for each number.
uint16_t site_number(const void* code, size_t bytes, Op op, bool strong);
void clear_sites();
void forget_sites_areas();  // an area has gone

// ---------------------------------------------------------------------------------------------------------------
// Time.

extern uint32_t now;
// When the launch and the block began, and when the last barrier of the block was. What was done before
// `settled_time` comes before what is done now, on whatever stream.
extern uint32_t launch_time, settled_time, block_time, barrier_time;
extern std::vector<uint32_t> block_times;  // of the blocks in `block_indices`
// When all lanes of a warp last met in a __syncwarp().
extern uint32_t warp_times[kMaxThreads / kWarp];
// For a thread and a lane of its warp: the time up to which the thread has waited for the lane in a
// __syncwarp() of some lanes, directly or through other lanes.
extern uint32_t pair_times[kMaxThreads][kWarp];
// For each block: when a thread last called __threadfence().
extern std::unordered_map<size_t, uint32_t> fence_times;
extern bool acquired;  // whether this block has made an atomic operation, or read through a volatile pointer
// When each thread last called a fence, and last did something that sets `acquired`.
extern uint32_t thread_fences[kMaxThreads], thread_acquired[kMaxThreads];
extern bool copying;  // whether the access is made by an asynchronous copy

size_t block_at(uint32_t time);
inline bool same_warp(unsigned a, unsigned b) { return a / kWarp == b / kWarp; }

// Whether an access to `area` comes before what the running thread does now in every possible order of the
// threads.
bool ordered_otherwise(const Access& access, const Area& area);
inline bool ordered(const Access& access, const Area& area) {
    return access.time < (area.shared ? barrier_time : launch_time) || ordered_otherwise(access, area);
}

inline uint32_t written_since(const Area& area) {
    return area.shared ? block_time : area.filled || area.host_time >= kCopied ? kNever : kCopied;
}

inline void note_read(const Area& area, Cell& cell, const Access& access) {
    auto& [first, second] = cell.reads;
    // The usual case: there are already two reads with the current time, of two warps or both of this warp.
    if (first.time == now && second.time == now && first.time >= barrier_time &&
        (!same_warp(first.thread, second.thread) || same_warp(first.thread, current))) {
        return;
    }
    if (ordered(first, area)) {
        first = access;
    } else if (ordered(second, area) || same_warp(first.thread, second.thread)) {
        second = access;
    }
}

}  // namespace tracer

#pragma GCC visibility pop
