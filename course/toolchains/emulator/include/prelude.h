// What comes before every CUDA source under the emulator; precompiled once (see ../library.py).
#pragma once
#include "emulator.h"  // which copies nothing but local variables with built-in functions
#include "library_calls.h"
// Before torch's types, so that c10::Half and __half convert into each other.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "torch/types.h"
// PyTorch's headers bring it; precompiled it costs a source that uses std::min nothing.
#include <algorithm>

#define __CUDACC__
