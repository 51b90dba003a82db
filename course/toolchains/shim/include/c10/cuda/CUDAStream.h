#pragma once
#include <cuda_runtime_api.h>

#include "c10/core/Device.h"
#include "c10/cuda/CUDAException.h"
#include "course/device.h"

namespace c10::cuda {

class CUDAStream {
  public:
    CUDAStream(cudaStream_t stream, DeviceIndex index) : stream_(stream), index_(index) {}
    operator cudaStream_t() const { return stream_; }
    cudaStream_t stream() const { return stream_; }
    DeviceIndex device_index() const { return index_; }
    Device device() const { return Device(kCUDA, index_); }
    void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

  private:
    cudaStream_t stream_;
    DeviceIndex index_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex index = -1) {
    if (index < 0) index = static_cast<DeviceIndex>(course::current_device());
    return CUDAStream(static_cast<cudaStream_t>(course::current_stream(index)), index);
}
inline DeviceIndex current_device() { return static_cast<DeviceIndex>(course::current_device()); }

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
}  // namespace at::cuda
