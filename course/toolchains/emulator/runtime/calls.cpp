// Where a call through a pointer may lead: the module itself, the C++ library and the mathematical functions.
// Any other function is named by a symbol, which is listed before the module runs (toolchains/guard). An
// address that native code has computed is not listed. A module reports each such call before it makes it
// (course/toolchains/emulator/instrument.py).
#include <dlfcn.h>

#include <set>
#include <sstream>

#include "scheduler.h"

namespace emulator {

namespace {

bool in_library(const char* path, const char* name) {
    const char* slash = std::strrchr(path, '/');
    return std::strncmp(slash ? slash + 1 : path, name, std::strlen(name)) == 0;
}

// Whether it is a mathematical function that touches no memory.
bool is_mathematical(const void* target) {
    static const std::set<const void*> known = [] {
        std::set<const void*> found;
        std::istringstream names(EMULATOR_MATH);
        for (std::string name; names >> name;) {
            for (const char* suffix : {"", "f", "l"})
                found.insert(dlsym(RTLD_DEFAULT, (name + suffix).c_str()));
        }
        return found;
    }();
    return known.count(target) != 0;
}

// Outside of the module. Functions that each thread of a kernel calls are in the module, so this is rare.
void check_call(const void* target) {
    if (target == reinterpret_cast<const void*>(&std::free)) return;  // as a smart pointer does at its end
    if (target && is_mathematical(target)) return;
    Dl_info found{};
    const bool known = dladdr(target, &found) && found.dli_fname;
    const char* name = known && found.dli_sname ? found.dli_sname : "";
    const bool of_cxx = known && in_library(found.dli_fname, "libcourse_cxx.so");
    if (of_cxx && !in_kernel) return;
    if (of_cxx) emulator_host_function(name);
    const char* slash = known ? std::strrchr(found.dli_fname, '/') : nullptr;
    crash(Reason::kRefusedCall, {}, std::string(name) + "\n" + (slash ? slash + 1 : ""));
}

}  // namespace

extern "C" void emulator_pointer_call(const void* target) {
    const Range code = call_jump.armed ? module_code : library_of(__builtin_return_address(0)).code;
    if (!holds(code, reinterpret_cast<uintptr_t>(target))) check_call(target);
}

}  // namespace emulator
