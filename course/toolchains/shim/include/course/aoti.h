// The functions of PyTorch's C interface for tensors that the shim calls. They are declared by hand,
// because torch's own header takes two seconds to compile. Every function returns 0, or not 0 after an error
// inside PyTorch.
#pragma once
#include <cstdint>

struct AtenTensorOpaque;
using AtenTensorHandle = AtenTensorOpaque*;

extern "C" {
int32_t aoti_torch_delete_tensor_object(AtenTensorHandle);
int32_t aoti_torch_new_tensor_handle(AtenTensorHandle, AtenTensorHandle*);
int32_t aoti_torch_get_data_ptr(AtenTensorHandle, void**);
int32_t aoti_torch_get_storage_size(AtenTensorHandle, int64_t*);
int32_t aoti_torch_get_storage_offset(AtenTensorHandle, int64_t*);
int32_t aoti_torch_get_dim(AtenTensorHandle, int64_t*);
int32_t aoti_torch_get_numel(AtenTensorHandle, int64_t*);
int32_t aoti_torch_get_sizes(AtenTensorHandle, int64_t**);
int32_t aoti_torch_get_strides(AtenTensorHandle, int64_t**);
int32_t aoti_torch_get_dtype(AtenTensorHandle, int32_t*);
int32_t aoti_torch_get_device_type(AtenTensorHandle, int32_t*);
int32_t aoti_torch_get_device_index(AtenTensorHandle, int32_t*);
int32_t aoti_torch_is_contiguous(AtenTensorHandle, bool*);
int32_t aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                                 int32_t device_type, int32_t device_index, AtenTensorHandle*);
int32_t aoti_torch__reinterpret_tensor(AtenTensorHandle, int64_t ndim, const int64_t* sizes,
                                       const int64_t* strides, int64_t storage_offset, AtenTensorHandle*);
int32_t aoti_torch_view_dtype(AtenTensorHandle, int32_t dtype, AtenTensorHandle*);
int32_t aoti_torch_create_tensor_from_blob(void*, int64_t ndim, const int64_t* sizes, const int64_t* strides,
                                           int64_t storage_offset, int32_t dtype, int32_t device_type,
                                           int32_t device_index, AtenTensorHandle*);
int32_t aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src, int32_t non_blocking);
int32_t aoti_torch_zero_(AtenTensorHandle);
int32_t aoti_torch_aten_fill__Scalar(AtenTensorHandle, double);
int32_t aoti_torch_item_float64(AtenTensorHandle, double*);
int32_t aoti_torch_item_int64(AtenTensorHandle, int64_t*);
int32_t aoti_torch_get_current_device_index(int32_t*);
int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void**);
}
