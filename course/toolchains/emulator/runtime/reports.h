// Reports: what went wrong in a call, as data. Python composes the sentences.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "emulator.h"

#pragma GCC visibility push(hidden)

namespace emulator {

// Why something is reported. course/explain/reports.py lists the reasons, with the numbers that come with
// each.
enum class Reason : int64_t { EMULATOR_REASONS };

// What a report is about. `name` is the name of an argument or a variable, or what the reason says. `sizes`
// are the sizes of a tensor, the bytes of an allocation, or the index of an element.
struct Subject {
    enum class Kind : int64_t { EMULATOR_SUBJECT_KINDS };  // SubjectKind in course/explain/reports.py
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
