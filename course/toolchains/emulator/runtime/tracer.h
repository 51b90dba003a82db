// What the files of the tracer call in each other.
#pragma once

#include "internal.h"
#include "shadow.h"

#pragma GCC visibility push(hidden)

namespace tracer {

// The call and the launch (tracer.cpp).
extern bool tracing;
extern bool sampled_launch, sampled_call;
extern bool read_unknown;  // whether a block read data that a block outside of the sample may have written
// An array in the log of a kernel's launch. `label` is its own name. If `label` is empty, the array is known
// only as one of the kernel's parameters, counted from 0, or not at all (-1).
struct Array {
    const char* kernel;
    uintptr_t begin;
    std::string label;
    int64_t parameter;
};
extern std::vector<Array> arrays;

// Accesses (races.cpp).
void access(uintptr_t address, size_t bytes, Op op, bool aligned, const void* code, bool strong = false,
            bool uses_old = true);
// A write over another thread's write. Only its value shows whether this is a race, since several threads may
// store the same value.
struct Pending {
    const Area* area = nullptr;  // null: there is none
    Access before;
    uint16_t site;
    uintptr_t begin, end;
    Place place;
    char bytes[64];  // what was there
};
extern Pending pending;
void settle();

// Reads of shared memory that was not written, and launches that run again to judge them (replay.cpp).
extern bool shuffles;   // whether the source has any, which may read lanes without a value
extern bool replaying;  // nothing is traced, counted or reported meanwhile
void prepare_replay();
void save_for_replay(const Area& area);  // an area that is new in this launch, and the first of all
void fill_shared();
void doubt(uint16_t site, Report read);
uint64_t undefined_value();      // what a shuffle reads where there is no value
void cannot_repeat();            // the launch does something that would not be the same again
void settle_doubts(bool whole);  // the launch, or its replay, has ended, and perhaps not as a whole

// Streams (streams.cpp). Each operation, a launch or else a copy or fill, begins with its time.
void begin_streams();
uint32_t begin_operation(cudaStream_t stream, bool launch);
extern bool all_before;  // whether everything before comes before the operation that runs, on whatever stream
// A word that the operation accesses, with the site in a launch; the copy's or fill's bytes; and the results,
// when the wrapper returns.
void check_order(Area& area, uintptr_t address, Op op, const uint16_t* site);
void check_order_of_copy(uintptr_t begin, size_t bytes, Op op);
void check_joined();
// What a word contains: nothing (kNever), a copy, a fill, or what a kernel wrote (kFirstTime). A copy or fill
// has a time for each.
uint32_t level_of(uint32_t time);
uint32_t time_at(uint32_t level);  // of the copy or fill that runs

// What the host does (host.cpp).
void look_at_host(uintptr_t address, size_t bytes, Op op, const void* code);
void begin_host_counts();
extern int64_t to_host;  // bytes that left the device for the host, in all calls
// The host wrote `bytes` from `data` on: copies of the bytes from `source` on, or one value if `source` is
// null. A copy of what a kernel wrote counts as written by that kernel.
void host_wrote(const void* data, const void* source, int64_t bytes);

// Findings (findings.cpp).
void begin_findings();
bool is_new(Reason reason,
            uint16_t site = 0);  // whether it must be reported: it was not yet, and there is room
// What a site does, as a report's number: 0 reads, 1 writes, 2 changes atomically, 3 writes asynchronously.
int64_t operation(uint16_t site);
Place here(uint16_t site);
bool in_red_zone(uintptr_t address);
void report_outside(uint16_t site, uintptr_t address, size_t bytes);
void report_outside_views(const Area& area, uint16_t site, uintptr_t address);
void report_misaligned(uint16_t site, uintptr_t address, size_t bytes);
void report_race(const Area& area, const Access& before, uint16_t site, const Place& place, uintptr_t address,
                 size_t bytes);
void report_atomic_races();  // at the end of the launch
// In a call of another order, a block may still read what was at an address before another block changed it
// atomically, as if the blocks ran at the same time. It does so once, if nothing orders the two.
void keep_earlier(uintptr_t address, size_t bytes, uint64_t value);
const uint64_t* earlier_value(uintptr_t address, size_t bytes);  // nullptr if there is none
void report_unwritten(const Area& area, uint16_t site, uintptr_t address, size_t bytes);

}  // namespace tracer

#pragma GCC visibility pop
