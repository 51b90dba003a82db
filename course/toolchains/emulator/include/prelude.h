// What stands before every CUDA source under the emulator; precompiled once (see ../__init__.py).
#pragma once
#ifdef COURSE_TRACED
// What g++ expands in place it does not instrument.
#include <string.h>
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#endif
// Before torch's types, so that c10::Half and __half convert into each other.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "torch/types.h"
// PyTorch's headers bring it; precompiled it costs a source that uses std::min nothing.
#include <algorithm>
