// Asynchronous copies (__pipeline_memcpy_async): made when a thread waits for them.
#define EMULATOR_RUNTIME
#include <cstring>
#include <string>

#include "scheduler.h"

namespace emulator {

void copy_async(void* to, const void* from, size_t bytes, size_t zeros) {
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        trap("__pipeline_memcpy_async copies 4, 8 or 16 bytes, and it was given another number");
    }
    if (zeros > bytes) trap("__pipeline_memcpy_async was given more zeros to fill in than bytes to copy");
    const void* code = __builtin_return_address(0);
    tracer::begin_copy(to, bytes, from, bytes - zeros, code);
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0) {
        const std::string many = std::to_string(bytes);
        report("misaligned",
               "__pipeline_memcpy_async copies " + many +
                   " bytes from or to an address that is no multiple of " + many,
               {});
        stop();
    }
    Thread& thread = block.threads[current];
    thread.copies.push_back({static_cast<char*>(to), from, bytes, zeros, thread.batches, code});
}
void commit_copies() { ++block.threads[current].batches; }
void wait_for_copies(size_t last) {
    Thread& thread = block.threads[current];
    auto copy = thread.copies.begin();
    for (; copy != thread.copies.end() && copy->batch + last < thread.batches; ++copy) {
        tracer::end_copy(copy->to, copy->bytes, copy->code);
        memcpy(copy->to, copy->from, copy->bytes - copy->zeros);
        memset(copy->to + copy->bytes - copy->zeros, 0, copy->zeros);
    }
    thread.copies.erase(thread.copies.begin(), copy);
}

}  // namespace emulator
