#pragma once
#include "ATen/core/Tensor.h"
#include "c10/core/Device.h"
#include "c10/cuda/CUDAStream.h"

namespace c10::cuda {

// Makes a device current for a scope.
class CUDAGuard {
  public:
    explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
    explicit CUDAGuard(DeviceIndex index) {
        C10_CUDA_CHECK(cudaGetDevice(&previous_));
        if (index >= 0) C10_CUDA_CHECK(cudaSetDevice(index));
    }
    CUDAGuard(const CUDAGuard&) = delete;
    CUDAGuard& operator=(const CUDAGuard&) = delete;
    ~CUDAGuard() { (void)cudaSetDevice(previous_); }

  private:
    int previous_ = 0;
};
using OptionalCUDAGuard = CUDAGuard;

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::OptionalCUDAGuard;
}  // namespace at::cuda

namespace at {
// The device of a tensor that may be undefined or on the host, as wrappers hand it to OptionalCUDAGuard.
inline Device device_of(const Tensor& tensor) { return tensor.device(); }
}  // namespace at
