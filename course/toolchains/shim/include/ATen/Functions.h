// Functions that make tensors. Functions that compute are declared, but calls of them do not compile.
#pragma once
#include "ATen/core/Tensor.h"

namespace at {

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {});
Tensor empty(IntArrayRef sizes, TensorOptions options = {});
Tensor empty_like(const Tensor& tensor);
Tensor empty_like(const Tensor& tensor, TensorOptions options);
Tensor empty_like(const Tensor& tensor, TensorOptions options, MemoryFormat format);
Tensor empty_like(const Tensor& tensor, MemoryFormat format);
Tensor zeros(IntArrayRef sizes, TensorOptions options = {});
Tensor zeros_like(const Tensor& tensor);
Tensor zeros_like(const Tensor& tensor, TensorOptions options);
Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {});
Tensor full_like(const Tensor& tensor, Scalar value);
Tensor ones(IntArrayRef sizes, TensorOptions options = {});
Tensor ones_like(const Tensor& tensor);
Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {});

#define COURSE_LIBRARY_FUNCTION(name)                                            \
    template <class... Arguments>                                                \
    Tensor name(Arguments&&...) {                                                \
        static_assert(::course::kNever<Arguments...>,                            \
                      "library-call: '" #name                                    \
                      "' computes with PyTorch's library; here the kernel does " \
                      "the work (PyTorch's own load_inline has it)");            \
    }
COURSE_LIBRARY_NAMES(COURSE_LIBRARY_FUNCTION)
#undef COURSE_LIBRARY_FUNCTION

}  // namespace at
