// Functions that make tensors. Functions that compute are declared, but calls of them do not compile.
#pragma once
#include "ATen/core/Tensor.h"

namespace at {

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {});
Tensor empty(IntArrayRef sizes, TensorOptions options = {});
Tensor empty_like(const Tensor& tensor, TensorOptions options);
Tensor empty_like(const Tensor& tensor, TensorOptions options, MemoryFormat format);
inline Tensor empty_like(const Tensor& tensor) { return empty_like(tensor, tensor.options()); }
inline Tensor empty_like(const Tensor& tensor, MemoryFormat format) {
    return empty_like(tensor, tensor.options(), format);
}
inline Tensor zeros(IntArrayRef sizes, TensorOptions options = {}) { return empty(sizes, options).zero_(); }
inline Tensor zeros_like(const Tensor& tensor) { return empty_like(tensor).zero_(); }
inline Tensor zeros_like(const Tensor& tensor, TensorOptions options) {
    return empty_like(tensor, options).zero_();
}
inline Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {}) {
    return empty(sizes, options).fill_(value);
}
inline Tensor full_like(const Tensor& tensor, Scalar value) { return empty_like(tensor).fill_(value); }
inline Tensor ones(IntArrayRef sizes, TensorOptions options = {}) { return full(sizes, 1, options); }
inline Tensor ones_like(const Tensor& tensor) { return full_like(tensor, 1); }
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});

COURSE_LIBRARY_NAMES(COURSE_LIBRARY_FUNCTION)
#undef COURSE_LIBRARY_FUNCTION

}  // namespace at
