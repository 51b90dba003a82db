// What the runtime's parts, the scheduler (emulator.cpp), the tracer and its counts (tracer.cpp,
// traffic.cpp), have of each other.
#pragma once
#include <string>
#include <vector>

#include "emulator.h"

namespace emulator {

// Where a thread was when something went wrong. `line` is 0 where only the address of the code is known, null
// where not even that is.
struct Place {
    Index block, thread;
    int line;
    const void* code;
};
void report(const char* kind, const std::string& detail, std::vector<Place> places);
[[noreturn]] void stop();  // leaves the kernel, from one of its threads, and ends the launch
std::string three(Index);
Index index_of(unsigned thread);  // its threadIdx

constexpr int64_t kRedZoneBytes = 1024 * 1024;
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kWarp = 32;

extern bool in_kernel;
extern const char* current_kernel;
extern unsigned current;         // thread of the block that runs
extern uintptr_t current_stack;  // the lowest address of its stack
constexpr size_t kStackBytes = 256 * 1024;

}  // namespace emulator

// The tracer is told of all that happens to memory; it does nothing while an untraced module runs.
namespace tracer {

// `pointers` are the kernel's parameters, null for those that are none.
void begin_launch(const void* closure, size_t closure_bytes, const void* const* pointers, size_t parameters,
                  const void* shared, size_t shared_bytes);
void name_dynamic_shared(const char* name);
void end_launch(bool whole);
void begin_block();
void barrier();                                  // the threads of the block are all here
void sync_warp(unsigned first, unsigned lanes);  // the lanes, counted from thread `first`, are all here

// How a tensor lies in its memory, in elements.
struct Layout {
    std::vector<int64_t> sizes, strides;
    int64_t offset = 0;  // of the first
    bool operator==(const Layout& other) const {
        return sizes == other.sizes && strides == other.strides && offset == other.offset;
    }
};

// Global memory. `name` is for sentences, `label` the argument's own, empty for what is none. `filled`: a
// host-side copy or fill gave it its values.
void add_global(const std::string& name, const std::string& label, const void* data, int64_t bytes,
                int64_t element, bool filled, Layout layout);
void forget(const void* data);
void finish();  // the call is over

enum class Op : unsigned char { kRead, kWrite, kAtomic };

// The array in which an accessed address lies. `label` is its own name; empty, it is known only as one of the
// kernel's parameters, from 0 on, or (-1) not at all.
struct Array {
    uintptr_t begin;
    const char* label;
    int64_t parameter;
};
Array array_at(uintptr_t address);
bool first_touch(uintptr_t sector, bool written);  // of global memory's in this launch

}  // namespace tracer

// The tracer has each access to memory counted as part of a warp's request.
namespace traffic {

struct Count {
    tracer::Op op;
    uint64_t asked;  // bytes of one access, of a lane
    uint64_t bytes;  // of them in one request
    uint64_t requests, units, ideal, lanes;
};

// An access of the block whose accesses are all kept.
struct Logged {
    uint64_t site;
    bool shared;
    uint64_t bytes;  // of the thread in this request
    tracer::Array array;
    uint64_t offset;  // bytes from the array's start
    emulator::Index thread;
    uint64_t lane;
    uint64_t request, interval;  // the interval: how many barriers the block had passed
};

// The distinct 32-byte sectors of global memory that a launch touched. An atomic operation reads and writes.
struct Touched {
    const char* kernel;
    uint64_t read, written;
};

extern bool counting;
extern bool given_up;                 // counting ended, since there was too much between two barriers
extern std::vector<Logged> accesses;  // of the first block of each kernel's first launch
extern uint64_t left_out;             // accesses that were more than `accesses` takes
extern std::vector<Touched> touched;  // by each launch
void begin(bool count);
void begin_launch(const char* kernel);
void begin_block();
void barrier();
void mark(const void* code);  // the running thread came by
void log(const void* code, uintptr_t address, size_t bytes, uint16_t site, tracer::Op op, bool shared);
void merge();  // the warps' lanes have met, or ended
void drop();   // half a count would be a wrong one
const Count* count_of(uint16_t site, bool shared);

}  // namespace traffic
