#pragma once
#include "c10/cuda/CUDAStream.h"

namespace at::cuda {

inline cudaDeviceProp* getCurrentDeviceProperties() {
    static cudaDeviceProp properties = [] {
        cudaDeviceProp found;
        C10_CUDA_CHECK(cudaGetDeviceProperties(&found, c10::cuda::current_device()));
        return found;
    }();
    return &properties;
}

}  // namespace at::cuda
