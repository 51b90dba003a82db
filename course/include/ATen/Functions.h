// Functions that make tensors; those that compute are declared and refuse to compile.
#pragma once
#include "ATen/core/Tensor.h"

namespace at {

inline Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options = {}) {
    for (const int64_t size : sizes) {
        TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
    }
    const int64_t ndim = static_cast<int64_t>(sizes.size());
    const int32_t dtype = static_cast<int32_t>(options.dtype().toScalarType());
    const Device device = options.device();
    AtenTensorHandle handle = nullptr;
    if (device.is_cuda()) {
        course::check(course::empty_cuda(ndim, sizes.data(), strides.data(), dtype, device.index(), &handle),
                      "the memory for a new tensor");
    } else {
        course::check(aoti_torch_empty_strided(ndim, sizes.data(), strides.data(), dtype, 0, -1, &handle),
                      "the memory for a new tensor");
    }
    return Tensor::take(handle, device.is_cpu());
}
inline Tensor empty(IntArrayRef sizes, TensorOptions options = {}) {
    return empty_strided(sizes, Tensor::contiguous_strides(sizes), options);
}
// Strides without gaps that keep the order of the given ones, as at::infer_dense_strides: an insertion sort
// in which a stride of 0 says nothing about the order.
inline std::vector<int64_t> dense_strides(IntArrayRef sizes, IntArrayRef strides) {
    const size_t count = sizes.size();
    std::vector<size_t> order(count);  // innermost first
    for (size_t i = 0; i < count; ++i) order[i] = count - 1 - i;
    for (size_t i = 1; i < count; ++i) {
        for (size_t at = i, before = i; before-- > 0;) {
            const size_t a = order[before], b = order[at];
            if (strides[a] == 0 || strides[b] == 0) continue;
            if (strides[a] < strides[b]) break;
            if (strides[a] > strides[b] || sizes[a] > sizes[b])
                std::swap(order[before], order[at]), at = before;
        }
    }
    std::vector<int64_t> dense(count);
    int64_t stride = 1;
    for (const size_t d : order) {
        dense[d] = stride;
        stride *= sizes[d] > 1 ? sizes[d] : 1;
    }
    return dense;
}
inline Tensor empty_like(const Tensor& tensor, TensorOptions options) {
    const auto sizes = tensor.sizes(), strides = tensor.strides();
    const auto dense = dense_strides(sizes, strides);
    bool is_dense = true;
    for (size_t d = 0; d < sizes.size(); ++d) is_dense &= sizes[d] == 1 || strides[d] == dense[d];
    return empty_strided(sizes, is_dense ? strides : IntArrayRef(dense), options.or_else(tensor.options()));
}
inline Tensor empty_like(const Tensor& tensor) { return empty_like(tensor, tensor.options()); }
inline Tensor empty_like(const Tensor& tensor, TensorOptions options, MemoryFormat format) {
    if (format == MemoryFormat::Preserve) return empty_like(tensor, options);
    return empty(tensor.sizes(), options.or_else(tensor.options()));
}
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
inline Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options = {}) {
    const auto strides = Tensor::contiguous_strides(sizes);
    const Device device = options.device();
    AtenTensorHandle handle = nullptr;
    course::check(aoti_torch_create_tensor_from_blob(
                      data, static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(), 0,
                      static_cast<int32_t>(options.dtype().toScalarType()),
                      course::kEmulated ? 0 : static_cast<int32_t>(device.type()), device.index(), &handle),
                  "from_blob");
    return Tensor::take(handle, device.is_cpu());
}

inline Tensor Tensor::new_empty(IntArrayRef sizes, TensorOptions options) const {
    return empty(sizes, options.or_else(this->options()));
}
inline Tensor Tensor::new_full(IntArrayRef sizes, Scalar value, TensorOptions options) const {
    return new_empty(sizes, options).fill_(value);
}
inline const Tensor& Tensor::fill_(Scalar value) const {
    constexpr int64_t kExactInDouble = int64_t(1) << 53;
    const int64_t integer = value.isIntegral() ? value.toLong() : 0;
    if (integer > kExactInDouble || integer < -kExactInDouble) {  // PyTorch's C function takes a double
        int64_t source = integer;
        return copy_(from_blob(&source, {}, kLong));
    }
    course::check(aoti_torch_aten_fill__Scalar(handle(), value.toDouble()), "fill_");
    tell_of_writes(true);
    return *this;
}
inline Tensor Tensor::clone() const {
    Tensor copy = empty_like(*this);
    copy.copy_(*this);
    return copy;
}
inline Tensor Tensor::contiguous() const {
    if (is_contiguous()) return *this;
    Tensor copy = empty(sizes(), options());
    copy.copy_(*this);
    return copy;
}
inline Tensor Tensor::to(TensorOptions options) const {
    options = options.or_else(this->options());
    const bool same_place = options.device().type() == device().type();
    if (same_place && options.dtype() == dtype()) return *this;
    Tensor copy = empty_like(*this, options);
    copy.copy_(*this);
    return copy;
}

#define COURSE_LIBRARY_FUNCTION(name)                                            \
    template <class... Arguments>                                                \
    Tensor name(Arguments&&...) {                                                \
        static_assert(::course::kNever<Arguments...>,                            \
                      "library-call: '" #name                                    \
                      "' computes with PyTorch's library; here the kernel does " \
                      "the work (toolchain=\"torch\" has it)");                  \
    }
COURSE_LIBRARY_FUNCTION(add)
COURSE_LIBRARY_FUNCTION(sub)
COURSE_LIBRARY_FUNCTION(mul)
COURSE_LIBRARY_FUNCTION(div)
COURSE_LIBRARY_FUNCTION(matmul)
COURSE_LIBRARY_FUNCTION(mm)
COURSE_LIBRARY_FUNCTION(bmm)
COURSE_LIBRARY_FUNCTION(addmm)
COURSE_LIBRARY_FUNCTION(relu)
COURSE_LIBRARY_FUNCTION(clamp)
COURSE_LIBRARY_FUNCTION(softmax)
COURSE_LIBRARY_FUNCTION(sum)
COURSE_LIBRARY_FUNCTION(mean)
COURSE_LIBRARY_FUNCTION(diag)
#undef COURSE_LIBRARY_FUNCTION

}  // namespace at
