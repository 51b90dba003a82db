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

void begin_launch(const void* closure, size_t closure_bytes, const void* shared, size_t shared_bytes);
void end_launch(bool whole);
void begin_block();
void barrier();                                  // the threads of the block are all here
void sync_warp(unsigned first, unsigned lanes);  // the lanes, counted from thread `first`, are all here

// Global memory. `filled`: a host-side copy or fill gave it its values.
void add_global(const std::string& name, const void* data, int64_t bytes, int64_t element, bool filled);
void forget(const void* data);
void finish();  // the call is over

}  // namespace tracer

// The tracer has each access to memory counted as part of a warp's request.
namespace traffic {

struct Count {
    uint64_t asked;  // bytes of one access, of a lane
    uint64_t bytes;  // of them in one request
    uint64_t requests, units, ideal;
};

extern bool counting;
extern bool given_up;  // counting ended, since there was too much between two barriers
void begin(bool count);
void mark(const void* code);  // the running thread came by
void log(const void* code, uintptr_t address, size_t bytes, uint16_t site, bool shared);
void merge();  // the warps' lanes have met, or ended
void drop();   // half a count would be a wrong one
const Count* count_of(uint16_t site, bool shared);

}  // namespace traffic
