// Reports: what went wrong in a call, as data. Python composes the sentences.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "emulator.h"

#pragma GCC visibility push(hidden)

namespace emulator {

// Why something is reported, and the names of the numbers that come with it. `Reason` in
// course/explain/reports.py repeats both, and texts.toml has a sentence for each reason.
//
// x, y, z: the threads of a block, or the blocks of a grid. op: see `operation` in tracer.h. element, length:
// the place of an access in its array, in elements, and the number of the array's elements.
enum class Reason : int64_t {
    // Launches that CUDA refuses.
    kNoThreads,            // x, y, z
    kTooManyThreads,       // x, y, z
    kBlockTooDeep,         // x, y, z
    kNoBlocks,             // x, y, z
    kTooManyBlocks,        // x, y, z
    kTooMuchSharedMemory,  // size, allowed
    kParametersTooLarge,   // size, allowed
    // Barriers and warp operations that not all threads reach; the line is that of the place.
    kBarrierNotReached,  // arrived, threads
    kDifferentBarriers,  // other_line
    kWarpOpNotReached,   // mask
    kLaneNotInMask,      // mask
    // Signals.
    kDivisionByZero,       // in_kernel
    kMeaninglessCode,      // in_kernel
    kAborted,              // in_kernel
    kThreadStackOverflow,  //
    kStackOverflow,        // in_kernel
    kMisalignedOrUnset,    // in_kernel
    kNullPointer,          // in_kernel
    kWildPointer,          // in_kernel, address
    kTouchedOutside,       // in_kernel, element, length
    kTimeout,              // in_kernel, milliseconds, ended, blocks_left
    // What ends the call at once. The subject is the condition, the function, or the array's type.
    kTrapped,             //
    kAssertionFailed,     //
    kHostFunction,        //
    kRefusedCall,         //
    kLaunchInKernel,      //
    kMissingReturn,       //
    kPrintfStores,        //
    kTooManySites,        //
    kCopyOfOtherSize,     //
    kCopyOfMoreZeros,     //
    kCopyBetweenOthers,   //
    kIndexOutside,        // line, index, wrapped
    kIndexOutsideOnHost,  // line, index, wrapped
    // What was found between red zones after a launch or the call.
    kWrittenOutside,  // count, element, length
    kSharedOverrun,   // size, offset
    // What the tracer finds. The lines are those of the places.
    kOutOfBounds,      // op, element, length, starts_inside, wrapped
    kNullAccess,       // op
    kWildAccess,       // op
    kMisaligned,       // op, size, past
    kCopyMisaligned,   // size
    kRace,             // element, length, op, op_before, same_site, in_flight, no_barrier, one_warp
    kLostUpdate,       // element, length
    kUnwrittenRead,    // element, length
    kUnwrittenOutput,  // result, results, unwritten, elements
    kHostAccess,       // op
    // What nothing orders: two of the wrapper's operations, or one of them and what the caller does before or
    // after.
    kUnordered,  // element, length, op, op_before
    kNotWaited,  // element, length, op, op_before
    kNotJoined,  //
    // Memory that was freed, or of a tensor that no longer exists.
    kFreedAccess,  // op, in_kernel
    kFreedAgain,   //
    kCopyKind,     // kind, right
    kAbsentLane,   // lane, mask
    // What the wrapper returns.
    kResultOutside,     // result, results
    kResultMisaligned,  // result, results
    kResultOnStack,     // result, results
    // Remarks: no hazards.
    kSameValue,      //
    kUnusedRead,     // element, length
    kNotCounted,     //
    kUnsampledRead,  //
    kOutsideViews,   // op, element, length
};

// What a report is about. `name` is the name of an argument or a variable, or what the reason says. `sizes`
// are the sizes of a tensor, the bytes of an allocation, or the index of an element.
struct Subject {
    enum class Kind : int64_t {
        kNone,
        kName,
        kElement,
        kArgument,
        kNewTensor,
        kAllocation,
        kVariable,
        kSharedArray,
        kDynamicShared,
    };
    Kind kind = Kind::kNone;
    std::string name;
    std::vector<int64_t> sizes;
};

// Where a thread was when something went wrong. `line` is 0 if only the address of the code is known; `code`
// is null if that is unknown, too.
struct Place {
    Index block, thread;
    int line;
    const void* code;
};

struct Report {
    Reason reason;
    std::vector<int64_t> numbers = {};
    std::vector<Place> places = {};
    Subject subject = {};
    const char* kernel = "";  // the kernel that runs or ran last
};
void report(Report);  // has no effect while blocks run again
// Reports an error that ends the call, in the kernel or in the wrapper, and ends the call.
[[noreturn]] void crash(Reason, std::vector<int64_t> numbers = {}, const std::string& name = "");

}  // namespace emulator

#pragma GCC visibility pop
