// What the three parts of the runtime call in each other. The parts are the scheduler (scheduler.h), the
// tracer (tracer.h), and its counts of traffic (traffic.cpp).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator.h"
#include "reports.h"

#pragma GCC visibility push(hidden)  // except what emulator.h declares

namespace emulator {

[[noreturn]] void stop();             // leaves the kernel, from one of its threads, and ends the launch
Index index_of(unsigned thread);      // its threadIdx
bool is_for_host(uintptr_t address);  // whether it is in memory of cudaMallocHost and the like
// The memory there that was freed in this call, or of a tensor that no longer exists; null if there is none.
const Subject* freed_at(uintptr_t address);
int64_t element_bytes(int32_t dtype);  // for a number of c10::ScalarType

constexpr int64_t kRedZoneBytes = 1024 * 1024;
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kWarp = 32;
constexpr uintptr_t kSectorBytes = 32;  // the least that global memory moves

// Whether the next call only counts: its tensors have no values, and their memory begins as zeros, which the
// system makes when it is touched. So tensors may be far larger than what the call uses.
extern bool blank;
extern bool in_kernel;
extern const char* current_kernel;
extern unsigned current;         // thread of the block that runs
extern uintptr_t current_stack;  // the lowest address of that thread's stack
constexpr size_t kStackBytes = 256 * 1024;

// Addresses from `begin` to `end`, exclusively.
using Range = std::pair<uintptr_t, uintptr_t>;
inline bool holds(const Range& range, uintptr_t address) {
    return address >= range.first && address < range.second;
}
// A library in memory: the segment of its code, and what does not change any more. Tables of virtual
// functions are writable only until they are relocated.
struct Loaded {
    uintptr_t base = 0;
    Range code;
    std::vector<Range> constants;
};
Loaded library_of(const void* code);

}  // namespace emulator

// The tracer follows everything that happens to memory. It does nothing while an untraced module runs.
namespace tracer {

using namespace emulator;

// `pointers` are the kernel's parameters, with null for those that are not pointers.
void begin_launch(const void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters,
                  const void* shared, size_t shared_bytes, cudaStream_t stream);
void name_dynamic_shared(const char* name);
void end_launch(bool whole);
// How many more blocks must run if the launch is too large to be traced as a whole; 0 if all blocks must run.
// Called after each of the first blocks.
uint64_t begin_sample(uint64_t run);
void end_part(double weight);  // each block since the last part stands for `weight` blocks
void begin_block();
extern std::vector<Index> block_indices;  // of the launch's blocks, in the order in which they run
// Whether the blocks that have run must run once more, with other values in shared memory. end_replay() says
// that they have, perhaps not as a whole.
bool begin_replay();
void end_replay(bool whole);
void barrier();                                  // the threads of the block are all here
void sync_warp(unsigned first, unsigned lanes);  // the lanes, counted from thread `first`, are all here
// An asynchronous copy that is requested at `code`. What it stores may arrive at any time between
// begin_copy() and end_copy(). A copy that no thread waits for ends with its block.
void begin_copy(const void* to, size_t stored, const void* from, size_t loaded, const void* code);
void end_copy(const void* to, size_t stored, const void* code);
void forget_copy(const void* to, size_t stored);

// The layout of a tensor in its memory, in elements.
struct Layout {
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;  // of the first element
};

// The number of elements from the first to the last.
inline int64_t span(size_t ndim, const int64_t* sizes, const int64_t* strides) {
    int64_t last = 0;
    for (size_t d = 0; d < ndim; ++d) {
        if (sizes[d] == 0) return 0;
        last += (sizes[d] - 1) * strides[d];
    }
    return last + 1;
}

// What an area of memory belongs to. Arguments that share memory are in one area, each in its own part of it.
struct Owner {
    Subject subject;
    int64_t element;       // bytes; 0 if it is not a tensor
    uintptr_t begin, end;  // from its first element to the end of its last
    Layout layout = {};
};
// The owner of an address, or else the nearest.
inline const Owner& owner_of(const std::vector<Owner>& owners, uintptr_t address) {
    const auto distance = [=](const Owner& owner) {
        return address < owner.begin ? owner.begin - address
               : address < owner.end ? 0
                                     : address - owner.end + 1;
    };
    return *std::min_element(owners.begin(), owners.end(),
                             [=](const Owner& a, const Owner& b) { return distance(a) < distance(b); });
}

// Global memory. `filled` says that a copy or fill by the host gave it its values.
void add_global(const std::vector<Owner>& owners, const void* data, int64_t bytes, bool filled);
void forget(const void* data);
void retire(uintptr_t begin);                // its tensors no longer exist
void widen(uintptr_t begin, uintptr_t end);  // the wrapper has a view of these addresses
// Memory from earlier calls, which a wrapper may keep in a static variable. It is an area of this call from
// its first access by a kernel on.
void keep(uintptr_t begin, uintptr_t end);
bool is_kept(uintptr_t address, size_t bytes);
int64_t line_of(const void* code);  // of a place in the code; 0 if it is unknown
void finish();                      // the call is over
// While the wrapper runs, it cannot read what the device has stored in variables of the module.
void hide_variables();
void show_variables();

enum class Op : unsigned char { kRead, kWrite, kAtomic };

// The place of an accessed address: in the array of this number, `offset` bytes from its start.
struct Spot {
    int64_t array, offset;
};
Spot spot_of(uintptr_t address);
bool first_touch(uintptr_t sector, bool written);  // for a sector of global memory in this launch

}  // namespace tracer

// Counts each access that the tracer sees as part of a warp's request.
namespace traffic {

using namespace emulator;

struct Count {
    tracer::Op op;
    uint64_t asked;  // bytes of one access by a lane
    uint64_t bytes;  // bytes of such an access in one request
    uint64_t requests, units, ideal, lanes;
    uint64_t
        cycles;  // one for each wavefront, of the L1 cache or of shared memory, if nvcc merges what it can
    uint64_t lines;  // of 128 bytes, of all requests to global memory
};

// An access of the block for which all accesses are kept.
struct Logged {
    uint32_t key;
    tracer::Spot spot;
    Index thread;
    uint64_t lane;
    uint64_t request, interval;  // interval: the number of barriers that the block had passed
    uint64_t warp;               // of the block
};

// A step of a lane: the lane came to a basic block of code (a mark), or made an access.
struct Step {
    uintptr_t code;
    uint32_t key;  // kMark, or a number for the site and the space
    uint32_t row;  // for an access: where the lanes' addresses begin
};
constexpr uint32_t kMark = 0, kAstray = ~uint32_t{0};
inline uint32_t key_of(uint16_t site, bool shared) { return 1 + 2 * uint32_t{site} + shared; }
inline uint16_t site_of(uint32_t key) { return static_cast<uint16_t>((key - 1) / 2); }
inline bool is_shared(uint32_t key) { return (key - 1) % 2; }

struct Warp {
    std::vector<Step> steps;           // as the first lanes made them
    std::vector<uintptr_t> addresses;  // of the lanes that follow, in a row for each access
    uint32_t next[kWarp];              // the lane's next step; kAstray if it has its own steps
    uint32_t followed[kWarp];
    std::vector<Step> own[kWarp];
    std::vector<uintptr_t> own_addresses[kWarp];
    unsigned arrived;  // lanes that are at the barrier, or have returned
};
extern Warp warps[];

extern bool counting;
extern bool logging;                  // whether the accesses of this block are kept
extern uint64_t interval;             // the number of barriers that the block has passed
extern bool given_up;                 // counting ended, since there was too much between two barriers
extern std::vector<Logged> accesses;  // of the first block of each kernel's first launch
extern uint64_t left_out;             // the number of accesses for which `accesses` had no room
extern uint64_t asked;                // accesses of this launch, in the warps that were merged
void begin(bool count);
void begin_launch(const char* kernel, unsigned threads);
void begin_block();
void arrived();  // the running thread is at a barrier, or has returned
void barrier();
void end_part(double weight);  // the blocks since the last part stand for `weight` times as many
void merge();
void drop();  // discards the counts, since half a count would be wrong
const Count* count_of(uint16_t site, bool shared);
void count_site(uint16_t site, size_t bytes, tracer::Op op, bool shared);  // before its first access

void leave(Warp& warp, unsigned lane, uintptr_t code, uint32_t key, uintptr_t address);
// The running thread made a step.
inline void log(const void* at, uint32_t key, uintptr_t address) {
    Warp& warp = warps[current / kWarp];
    const unsigned lane = current % kWarp;
    const auto code = reinterpret_cast<uintptr_t>(at);
    uint32_t& next = warp.next[lane];
    if (next < warp.steps.size()) {
        const Step& step = warp.steps[next];
        if (step.code == code && step.key == key) {
            ++next;
            if (key != kMark) warp.addresses[step.row + lane] = address;
            return;
        }
    }
    leave(warp, lane, code, key, address);
}

}  // namespace traffic

// How a launch's accesses to global memory are spread over its threads, and its stores over the elements.
namespace work {

using namespace emulator;

struct Thread {
    bool worked, stored;
    uint64_t elements;                                         // the elements that it stored
    uint64_t shared_loads, copied, unoverlapped, tensor_sums;  // see Launch
};
// A block. Its threads and warps are counted from the first block's on.
struct Block {
    std::vector<Thread> threads;
    uint64_t threads_before = 0;
    uint32_t warps_before = 0;
    uint64_t requests[kMaxThreads / kWarp] = {};  // of each warp
    uint64_t cycles = 0;                          // of the L1 cache
};
extern Block block;

// One launch. Threads are counted through the grid, block after block.
struct Launch {
    const char* kernel;
    Index grid, block;
    uint64_t run;  // blocks that ran
    // Distinct 32-byte sectors of global memory. An atomic operation reads and writes.
    uint64_t read, written;
    uint64_t busiest_warp, busiest_block;  // the most requests of a warp, and cycles of a block
    uint64_t contended;                    // the most atomic operations of lanes on one address
    // The most batches of asynchronous copies that a thread waited for, and of these the batches that were on
    // their way while it loaded nothing from shared memory. A thread that never does only copies, for others.
    uint64_t copied, unoverlapped;
    uint64_t tensor_sums;       // the most additions of a tensor core to an element of a thread
    uint64_t barriers;          // the most that a block passed
    uint64_t working, storing;  // threads that loaded or stored anything, and threads that stored
    uint64_t last_storing;      // the last of these, counted from 0
    // An element counts once for each thread that stores it, and atomic operations do not count.
    uint64_t stored, most_stored;  // elements of each thread: the sum, and the most of any thread
    uint64_t elements, repeated;   // different elements, and those that several threads stored
    uint64_t writers;              // threads that stored the element with the most such threads
    std::string label;  // its array's own name; if empty, the array is known as the kernel's parameter
    int64_t parameter = -1;
    uint64_t element;  // counted through that array
};
extern std::vector<Launch> launches;
void begin();
void begin_launch(const char* kernel);
void count(uint16_t site, const uintptr_t* addresses, const unsigned* lanes, unsigned count, size_t bytes,
           unsigned first_thread);                  // a request of `bytes` per lane
void count_request(unsigned warp, int64_t cycles);  // of this warp of the block, to any memory
void contend(const uintptr_t* addresses, unsigned count, bool shared);  // atomic operations of lanes
void end_block();
void end_launch();

}  // namespace work
#pragma GCC visibility pop
