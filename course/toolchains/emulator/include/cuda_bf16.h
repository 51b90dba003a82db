// __nv_bfloat16 and __nv_bfloat162. PyTorch builds extensions with __CUDA_NO_BFLOAT16_CONVERSIONS__, but
// leaves the operators.
#pragma once
#define __CUDA_BF16_H__
#include "cuda_fp16.h"

#define EMULATOR_SHORT __nv_bfloat16
#define EMULATOR_PAIR __nv_bfloat162
#define EMULATOR_NAME bfloat16
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define EMULATOR_CONVERTS
#endif
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define EMULATOR_OPERATES
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define EMULATOR_PAIR_OPERATES
#endif
#include "short_floats.h"
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
