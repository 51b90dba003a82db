// As in the C library, without a guard. A failed assertion stops the kernel, not Python.
#undef assert
namespace emulator {
[[noreturn]] void assertion_failed(const char* condition);
}
#define assert(condition) ((condition) ? (void)0 : ::emulator::assertion_failed(#condition))
