// at::Tensor: a PyTorch tensor, reached through PyTorch's C interface.
//
// Members that only move or describe data are here. Members that compute (matmul, relu, sum, ...) are
// declared, but calls of them do not compile: in this course, the kernel computes.
#pragma once
#include <optional>

#include "ATen/core/TensorAccessor.h"
#include "c10/core/TensorOptions.h"
#include "c10/util/ArrayRef.h"
#include "course/device.h"

namespace course {

void check(int32_t failed, const char* what);  // checks a call of PyTorch's C interface

// False, but only when a template is used. A static_assert in an unused template must depend on this.
template <class...>
constexpr bool kNever = false;

// The names of functions and of members alike.
#define COURSE_LIBRARY_NAMES(_) \
    _(add)                      \
    _(sub) _(mul) _(div) _(matmul) _(mm) _(bmm) _(addmm) _(relu) _(clamp) _(softmax) _(sum) _(mean) _(diag)
#define COURSE_LIBRARY_CALL(name) COURSE_LIBRARY_FUNCTION(name, const)
#define COURSE_LIBRARY_FUNCTION(name, ...)                                       \
    template <class... Arguments>                                                \
    ::at::Tensor name(Arguments&&...) __VA_ARGS__ {                              \
        static_assert(::course::kNever<Arguments...>,                            \
                      "library-call: '" #name                                    \
                      "' computes with PyTorch's library; here the kernel does " \
                      "the work (PyTorch's own load_inline has it)");            \
    }

}  // namespace course

namespace at {

using namespace c10;

// The result of Tensor::type(), which older wrappers ask for the tensor's device.
struct DeprecatedTypeProperties {
    TensorOptions options;
    bool is_cuda() const { return options.device().is_cuda(); }
    ScalarType scalarType() const { return options.dtype(); }
};

class Tensor {
  public:
    Tensor() = default;
    Tensor(const Tensor& other);
    Tensor(Tensor&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
    Tensor& operator=(Tensor other) noexcept;
    ~Tensor();

    // Takes over the handle. `on_host` says that the tensor is a CPU tensor, not a CUDA tensor, for the
    // wrapper. Under the emulator, both kinds are in host memory.
    static Tensor take(AtenTensorHandle handle, bool on_host);
    AtenTensorHandle handle() const;
    bool on_host() const { return defined() && shared_->on_host; }

    bool defined() const { return shared_ != nullptr; }
    void reset() { *this = Tensor(); }

    int64_t dim() const;
    int64_t ndimension() const { return dim(); }
    int64_t numel() const;
    int64_t storage_offset() const;
    bool is_contiguous() const;
    bool is_non_overlapping_and_dense() const;
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    int64_t size(int64_t d) const;
    int64_t stride(int64_t d) const;

    ScalarType scalar_type() const;
    TypeMeta dtype() const;
    int64_t element_size() const { return static_cast<int64_t>(elementSize(scalar_type())); }
    int64_t itemsize() const { return element_size(); }
    int64_t nbytes() const { return numel() * element_size(); }
    bool is_floating_point() const { return isFloatingType(scalar_type()); }

    bool is_cuda() const { return device().is_cuda(); }
    bool is_cpu() const { return device().is_cpu(); }
    int64_t get_device() const { return device().index(); }
    Device device() const;
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
    Layout layout() const { return kStrided; }
    DeprecatedTypeProperties type() const { return {options()}; }

    void* data_ptr() const;
    template <class T>
    T* data_ptr() const {
        using Element = std::remove_const_t<T>;
        return static_cast<T*>(data_of(CppTypeToScalarType<Element>::value));
    }
    template <class T>
    T* data() const {
        return data_ptr<T>();
    }
    const void* const_data_ptr() const { return data_ptr(); }
    template <class T>
    const T* const_data_ptr() const {
        return data_ptr<T>();
    }
    void* mutable_data_ptr() const { return data_ptr(); }
    template <class T>
    T* mutable_data_ptr() const {
        return data_ptr<T>();
    }

    template <class T, size_t N>
    TensorAccessor<T, N> accessor() const& {
        check_dimensions(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <class T, size_t N>
    TensorAccessor<T, N> accessor() && = delete;
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const& {
        check_dimensions(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
    GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const& {  // the older name
        return generic_packed_accessor<T, N, PtrTraits, index_t>();
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
        TORCH_CHECK(numel() <= INT32_MAX,
                    "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
        return generic_packed_accessor<T, N, PtrTraits, int32_t>();
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
        return generic_packed_accessor<T, N, PtrTraits, int64_t>();
    }

    // Views: the same storage with other sizes and strides.
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides, int64_t offset) const;
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides) const {
        return as_strided(sizes, strides, storage_offset());
    }
    Tensor transpose(int64_t a, int64_t b) const;
    Tensor t() const;
    Tensor unsqueeze(int64_t d) const;
    Tensor squeeze(int64_t d) const;
    Tensor squeeze() const;
    Tensor permute(IntArrayRef order) const;
    Tensor expand(IntArrayRef shape) const;
    Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
    Tensor detach() const { return as_strided(sizes(), strides()); }
    Tensor slice(int64_t d = 0, std::optional<int64_t> first = std::nullopt,
                 std::optional<int64_t> last = std::nullopt, int64_t step = 1) const;
    Tensor narrow(int64_t d, int64_t start, int64_t length) const;
    Tensor select(int64_t d, int64_t index) const;
    Tensor operator[](int64_t index) const { return select(0, index); }
    Tensor view(IntArrayRef shape) const;
    Tensor reshape(IntArrayRef shape) const;
    Tensor flatten(int64_t first = 0, int64_t last = -1) const;
    Tensor view_as(const Tensor& other) const { return view(other.sizes()); }

    // Tensors of the same type and device as this one, and copies.
    Tensor new_empty(IntArrayRef sizes, TensorOptions options = {}) const;
    Tensor new_full(IntArrayRef sizes, Scalar value, TensorOptions options = {}) const {
        return new_empty(sizes, options).fill_(value);
    }
    Tensor new_zeros(IntArrayRef sizes, TensorOptions options = {}) const {
        return new_empty(sizes, options).zero_();
    }
    Tensor new_ones(IntArrayRef sizes, TensorOptions options = {}) const {
        return new_full(sizes, 1, options);
    }
    Tensor clone() const;
    Tensor contiguous() const;
    Tensor to(TensorOptions options) const;
    Tensor to(ScalarType type) const { return to(options().dtype(type)); }
    Tensor toType(ScalarType type) const { return to(type); }
    Tensor to(Device device) const { return to(options().device(device)); }
    Tensor to(DeviceType device) const { return to(Device(device)); }
    Tensor to(Device device, ScalarType type) const { return to(options().device(device).dtype(type)); }
    Tensor type_as(const Tensor& other) const { return to(other.options()); }
    Tensor cuda() const { return to(kCUDA); }
    Tensor cpu() const { return to(kCPU); }
    const Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
    const Tensor& zero_() const;
    const Tensor& fill_(Scalar value) const;
    Scalar item() const;
    template <class T>
    T item() const {
        return item().to<T>();
    }

    COURSE_LIBRARY_NAMES(COURSE_LIBRARY_CALL)
    COURSE_LIBRARY_CALL(mul_)
    COURSE_LIBRARY_CALL(add_)
    COURSE_LIBRARY_CALL(relu_)
    COURSE_LIBRARY_CALL(clamp_min)
    COURSE_LIBRARY_CALL(exp)
    COURSE_LIBRARY_CALL(max)
    COURSE_LIBRARY_CALL(min)

  private:
    struct Shared {
        AtenTensorHandle handle;
        bool on_host;
        int owners;
    };

    void* data_of(ScalarType expected) const;
    void check_dimensions(int64_t count) const;

    Shared* shared_ = nullptr;
};

#define COURSE_OPERATOR(op)                                                                      \
    template <class A, class B,                                                                  \
              std::enable_if_t<std::is_same_v<A, Tensor> || std::is_same_v<B, Tensor>, int> = 0> \
    Tensor operator op(const A&, const B&) {                                                     \
        static_assert(::course::kNever<A, B>,                                                    \
                      "library-call: '" #op                                                      \
                      "' of tensors computes with PyTorch's library; here the kernel "           \
                      "does the work (PyTorch's own load_inline has it)");                       \
    }
COURSE_OPERATOR(+)
COURSE_OPERATOR(-)
COURSE_OPERATOR(*)
COURSE_OPERATOR(/)
COURSE_OPERATOR(+=)
COURSE_OPERATOR(-=)
COURSE_OPERATOR(*=)
COURSE_OPERATOR(/=)
#undef COURSE_OPERATOR

}  // namespace at
