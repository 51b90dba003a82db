#pragma once
#include <cuda_runtime_api.h>

#include "c10/util/Exception.h"

#define C10_CUDA_CHECK(expression)                                                                \
    do {                                                                                          \
        const cudaError_t course_error = (expression);                                            \
        if (course_error != cudaSuccess) {                                                        \
            (void)cudaGetLastError(); /* so that the next check does not see this error again */  \
            ::course::fail<::c10::Error>("", {"CUDA error: ", cudaGetErrorString(course_error)}); \
        }                                                                                         \
    } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
