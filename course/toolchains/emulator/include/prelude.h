// This comes before every CUDA source under the emulator. It is precompiled once (see ../library.py).
#pragma once
#include "emulator.h"
// Before torch's types, so that c10::Half and __half convert into each other.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "torch/types.h"
// PyTorch's headers include it. Since it is precompiled, it costs a source that uses std::min nothing.
#include <algorithm>

#define __CUDACC__
