// Asynchronous copies from global to shared memory. Nothing has arrived before the wait: whoever forgets it
// uses what was there.
#pragma once
#include "emulator.h"

// A copy's load and store are of the line that asks for it.
EMULATOR_INLINE void __pipeline_memcpy_async(void* shared, const void* global, size_t size_and_align,
                                             size_t zfill = 0) {
    emulator::copy_async(shared, global, size_and_align, zfill);
}
EMULATOR_INLINE void __pipeline_commit() { emulator::commit_copies(); }
EMULATOR_INLINE void __pipeline_wait_prior(size_t batches) { emulator::wait_for_copies(batches); }
