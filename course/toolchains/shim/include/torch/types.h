#pragma once
#include "ATen/ATen.h"

namespace torch {

using namespace at;

// Separate functions, as in PyTorch: with `using namespace torch`, a call of plain `empty` is ambiguous.
inline Tensor empty(IntArrayRef sizes, TensorOptions options = {}) { return at::empty(sizes, options); }
inline Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {}) {
    return at::empty_strided(sizes, strides, options);
}
inline Tensor zeros(IntArrayRef sizes, TensorOptions options = {}) { return at::zeros(sizes, options); }
inline Tensor ones(IntArrayRef sizes, TensorOptions options = {}) { return at::ones(sizes, options); }
inline Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {}) {
    return at::full(sizes, value, options);
}
inline Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {}) {
    return at::from_blob(data, sizes, options);
}

}  // namespace torch
