// What the toolchains have for a device: where a CUDA tensor's memory comes from, and which stream is
// current. Under `nvcc`, both are PyTorch's. Under `emulator`, a CUDA tensor is in host memory, between red
// zones that the emulator watches.
//
// `cuda_runtime_api.h`, which is included by name, differs too: the include path decides whether it is CUDA's
// own or the emulator's (course/toolchains/emulator/include).
#pragma once
#include "course/aoti.h"

namespace course {

// Set by the caller of a function before each call: fill new tensors with 0xFF bytes (NaN in every floating
// type, -1 in every integer), so that an element that no kernel wrote differs from one that was written.
struct CallOptions {
    bool fill_empty = false;
};
extern CallOptions call_options;

}  // namespace course

#ifdef COURSE_EMULATOR

extern "C" {
int32_t emulator_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                               AtenTensorHandle*);
int64_t emulator_storage_start(AtenTensorHandle);
void emulator_hold(AtenTensorHandle, int64_t change);
int32_t emulator_copy(AtenTensorHandle to, AtenTensorHandle from, int32_t non_blocking);
int32_t emulator_zero(AtenTensorHandle);
int32_t emulator_fill(AtenTensorHandle, double);
int32_t emulator_item_float64(AtenTensorHandle, double*);
int32_t emulator_item_int64(AtenTensorHandle, int64_t*);
}

namespace course {
inline int32_t empty_cuda(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                          int32_t /*device_index*/, AtenTensorHandle* out) {
    return emulator_empty_strided(ndim, sizes, strides, dtype, out);
}
// Where the part that the wrapper sees as a tensor's storage begins, in elements: after a red zone.
inline int64_t storage_start(AtenTensorHandle tensor) { return emulator_storage_start(tensor); }
constexpr auto hold = emulator_hold;  // the wrapper has one tensor more at a handle, or one less
inline void* current_stream(int32_t /*device_index*/) { return nullptr; }
inline int32_t current_device() { return 0; }
// PyTorch's operations on tensors of the device. Only these may access its memory outside of kernels.
constexpr auto copy = emulator_copy;
constexpr auto zero = emulator_zero;
constexpr auto fill = emulator_fill;
constexpr auto item_float64 = emulator_item_float64;
constexpr auto item_int64 = emulator_item_int64;
constexpr bool kEmulated = true;
}  // namespace course

#else

#include <cuda_runtime_api.h>

namespace course {
inline void* current_stream(int32_t device_index) {
    void* stream = nullptr;
    aoti_torch_get_current_cuda_stream(device_index, &stream);
    return stream;
}
inline int32_t current_device() {
    int32_t index = 0;
    aoti_torch_get_current_device_index(&index);
    return index;
}
inline int32_t empty_cuda(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                          int32_t device_index, AtenTensorHandle* out) {
    constexpr int32_t kCudaDevice = 1;
    if (device_index < 0) device_index = current_device();
    const int32_t failed =
        aoti_torch_empty_strided(ndim, sizes, strides, dtype, kCudaDevice, device_index, out);
    if (failed || !call_options.fill_empty) return failed;
    void* data = nullptr;
    int64_t bytes = 0;
    aoti_torch_get_data_ptr(*out, &data);
    aoti_torch_get_storage_size(*out, &bytes);
    if (bytes > 0) {
        cudaMemsetAsync(data, 0xFF, bytes, static_cast<cudaStream_t>(current_stream(device_index)));
    }
    return 0;
}
inline int64_t storage_start(AtenTensorHandle) { return 0; }
inline void hold(AtenTensorHandle, int64_t) {}
constexpr auto copy = aoti_torch_copy_;
constexpr auto zero = aoti_torch_zero_;
constexpr auto fill = aoti_torch_aten_fill__Scalar;
constexpr auto item_float64 = aoti_torch_item_float64;
constexpr auto item_int64 = aoti_torch_item_int64;
constexpr bool kEmulated = false;
}  // namespace course

#endif
