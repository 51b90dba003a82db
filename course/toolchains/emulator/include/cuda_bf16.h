// __nv_bfloat16 and __nv_bfloat162. PyTorch builds extensions with __CUDA_NO_BFLOAT16_CONVERSIONS__, but
// leaves the operators.
#pragma once
#define __CUDA_BF16_H__
#include "cuda_fp16.h"

#define TYPE16 __nv_bfloat16
#define PAIR16 __nv_bfloat162
#define NAME16 bfloat16
#define CONVERTS16 !defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define OPERATES16 !defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define PAIR_OPERATES16 !defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#include "short_floats.h"
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
