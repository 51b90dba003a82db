// Asynchronous copies (__pipeline_memcpy_async). They are made when a thread waits for them.
#define EMULATOR_RUNTIME
#include <cstring>

#include "scheduler.h"

namespace emulator {

void copy_async(void* to, const void* from, size_t bytes, size_t zeros) {
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        crash(Reason::kCopyOfOtherSize);
    }
    if (zeros > bytes) crash(Reason::kCopyOfMoreZeros);
    const void* code = __builtin_return_address(0);
    tracer::begin_copy(to, bytes, from, bytes - zeros, code);
    if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % bytes != 0) {
        report({Reason::kCopyMisaligned, {static_cast<int64_t>(bytes)}});
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
