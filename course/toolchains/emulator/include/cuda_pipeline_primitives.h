// Asynchronous copies from global to shared memory. Nothing arrives before the wait: a kernel that does not
// wait uses the old values.
#pragma once
#include "emulator.h"

// A copy's load and store belong to the line that requests the copy.
EMULATOR_INLINE void __pipeline_memcpy_async(void* shared, const void* global, size_t size_and_align,
                                             size_t zfill = 0) {
    emulator::copy_async(shared, global, size_and_align, zfill);
}
EMULATOR_INLINE void __pipeline_commit() { emulator::commit_copies(); }
EMULATOR_INLINE void __pipeline_wait_prior(size_t batches) { emulator::wait_for_copies(batches); }
