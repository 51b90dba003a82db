// at::Tensor: a PyTorch tensor, reached through PyTorch's C interface.
//
// What only moves or describes data is here. What computes (matmul, relu, sum, ...) is declared and refuses
// to compile: in this course the kernel computes.
#pragma once
#include <optional>
#include <vector>

#include "ATen/core/TensorAccessor.h"
#include "c10/core/TensorOptions.h"
#include "c10/util/ArrayRef.h"
#include "course/seam.h"

namespace course {

inline void check(int32_t failed, const char* what) {
    if (failed) throw c10::Error(message("PyTorch refused ", what));
}

// False, but only once a template is used: what a static_assert in an unused template must depend on.
template <class...>
constexpr bool kNever = false;

#define COURSE_LIBRARY_CALL(name)                                                \
    template <class... Arguments>                                                \
    ::at::Tensor name(Arguments&&...) const {                                    \
        static_assert(::course::kNever<Arguments...>,                            \
                      "library-call: '" #name                                    \
                      "' computes with PyTorch's library; here the kernel does " \
                      "the work (toolchain=\"torch\" has it)");                  \
    }

}  // namespace course

namespace at {

using namespace c10;

class Tensor {
  public:
    Tensor() = default;
    Tensor(const Tensor& other) : shared_(other.shared_) {
        if (shared_) ++shared_->owners;
    }
    Tensor(Tensor&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
    Tensor& operator=(Tensor other) noexcept {
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~Tensor() {
        if (shared_ && --shared_->owners == 0) {
            aoti_torch_delete_tensor_object(shared_->handle);
            delete shared_;
        }
    }

    // Takes over the handle. `on_host` tells a tensor meant for the CPU from one that is a CUDA tensor to the
    // wrapper: under the emulator both lie in host memory.
    static Tensor take(AtenTensorHandle handle, bool on_host) {
        Tensor tensor;
        tensor.shared_ = new Shared{handle, on_host, 1};
        return tensor;
    }
    AtenTensorHandle handle() const {
        TORCH_CHECK(defined(), "expected a tensor, but got an undefined one");
        return shared_->handle;
    }
    bool on_host() const { return defined() && shared_->on_host; }

    bool defined() const { return shared_ != nullptr; }
    bool is_same(const Tensor& other) const { return shared_ == other.shared_; }
    void reset() { *this = Tensor(); }

    int64_t dim() const { return get<int64_t>(aoti_torch_get_dim); }
    int64_t ndimension() const { return dim(); }
    int64_t numel() const { return get<int64_t>(aoti_torch_get_numel); }
    int64_t storage_offset() const {
        return get<int64_t>(aoti_torch_get_storage_offset) - course::storage_start(handle());
    }
    bool is_contiguous() const { return get<bool>(aoti_torch_is_contiguous); }
    IntArrayRef sizes() const { return {get<int64_t*>(aoti_torch_get_sizes), static_cast<size_t>(dim())}; }
    IntArrayRef strides() const {
        return {get<int64_t*>(aoti_torch_get_strides), static_cast<size_t>(dim())};
    }
    int64_t size(int64_t d) const { return sizes()[wrap(d)]; }
    int64_t stride(int64_t d) const { return strides()[wrap(d)]; }

    ScalarType scalar_type() const { return static_cast<ScalarType>(get<int32_t>(aoti_torch_get_dtype)); }
    TypeMeta dtype() const { return scalar_type(); }
    int64_t element_size() const { return static_cast<int64_t>(elementSize(scalar_type())); }
    int64_t itemsize() const { return element_size(); }
    int64_t nbytes() const { return numel() * element_size(); }
    bool is_floating_point() const { return isFloatingType(scalar_type()); }

    bool is_cuda() const { return device().is_cuda(); }
    bool is_cpu() const { return device().is_cpu(); }
    int64_t get_device() const { return device().index(); }
    Device device() const {
        if (course::kEmulated) return shared_ && shared_->on_host ? Device(kCPU) : Device(kCUDA, 0);
        return Device(static_cast<DeviceType>(get<int32_t>(aoti_torch_get_device_type)),
                      static_cast<DeviceIndex>(get<int32_t>(aoti_torch_get_device_index)));
    }
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }

    void* data_ptr() const { return get<void*>(aoti_torch_get_data_ptr); }
    template <class T>
    T* data_ptr() const {
        using Element = std::remove_const_t<T>;
        const ScalarType expected = CppTypeToScalarType<Element>::value;
        TORCH_CHECK(scalar_type() == expected, "expected scalar type ", expected, " but found ",
                    scalar_type());
        return static_cast<T*>(data_ptr());
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
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
        TORCH_CHECK(numel() <= INT32_MAX,
                    "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
        check_dimensions(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }
    template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
        check_dimensions(N);
        return {data_ptr<T>(), sizes().data(), strides().data()};
    }

    // Views: the same storage with other sizes and strides.
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides, int64_t offset) const {
        AtenTensorHandle view = nullptr;
        // PyTorch's function takes the offset from this tensor's own.
        course::check(
            aoti_torch__reinterpret_tensor(handle(), static_cast<int64_t>(sizes.size()), sizes.data(),
                                           strides.data(), offset - storage_offset(), &view),
            "the view");
        return take(view, on_host());
    }
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides) const {
        return as_strided(sizes, strides, storage_offset());
    }
    Tensor transpose(int64_t a, int64_t b) const {
        a = wrap_scalar(a);
        b = wrap_scalar(b);
        if (a == b) return *this;
        auto sizes = this->sizes().vec(), strides = this->strides().vec();
        std::swap(sizes[a], sizes[b]);
        std::swap(strides[a], strides[b]);
        return as_strided(sizes, strides);
    }
    Tensor t() const {
        TORCH_CHECK(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
        return dim() < 2 ? *this : transpose(0, 1);
    }
    Tensor unsqueeze(int64_t d) const {
        d = static_cast<int64_t>(wrap(d, dim() + 1));
        auto sizes = this->sizes().vec(), strides = this->strides().vec();
        const int64_t stride = d < dim() ? sizes[d] * strides[d] : 1;
        sizes.insert(sizes.begin() + d, 1);
        strides.insert(strides.begin() + d, stride);
        return as_strided(sizes, strides);
    }
    Tensor squeeze(int64_t d) const {
        d = wrap_scalar(d);
        if (dim() == 0 || size(d) != 1) return *this;
        auto sizes = this->sizes().vec(), strides = this->strides().vec();
        sizes.erase(sizes.begin() + d);
        strides.erase(strides.begin() + d);
        return as_strided(sizes, strides);
    }
    Tensor squeeze() const {
        Tensor squeezed = *this;
        for (int64_t d = dim(); d-- > 0;) squeezed = squeezed.squeeze(d);
        return squeezed;
    }
    Tensor permute(IntArrayRef order) const {
        TORCH_CHECK(
            static_cast<int64_t>(order.size()) == dim(),
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            "desired ordering of dimensions i.e. input.dim() = ",
            dim(), " is not equal to len(dims) = ", order.size());
        std::vector<int64_t> sizes, strides;
        std::vector<bool> seen(order.size());
        for (const int64_t d : order) {
            TORCH_CHECK(!seen[wrap(d)], "permute(): duplicate dims are not allowed.");
            seen[wrap(d)] = true;
            sizes.push_back(size(d));
            strides.push_back(stride(d));
        }
        return as_strided(sizes, strides);
    }
    Tensor expand(IntArrayRef shape) const {
        const int64_t added = static_cast<int64_t>(shape.size()) - dim();
        TORCH_CHECK(added >= 0, "expand(): the number of sizes provided (", shape.size(),
                    ") must be greater or equal to the number of dimensions in the tensor (", dim(), ")");
        auto sizes = shape.vec();
        std::vector<int64_t> strides(sizes.size());
        for (int64_t d = added; d < static_cast<int64_t>(sizes.size()); ++d) {
            const int64_t here = size(d - added);
            if (sizes[d] == -1) sizes[d] = here;
            TORCH_CHECK(sizes[d] == here || here == 1, "The expanded size of the tensor (", sizes[d],
                        ") must match the existing size (", here, ") at non-singleton dimension ", d,
                        ".  Target sizes: ", shape, ".  Tensor sizes: ", this->sizes());
            strides[d] = here == 1 && sizes[d] != 1 ? 0 : stride(d - added);
        }
        return as_strided(sizes, strides);
    }
    Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
    Tensor detach() const { return as_strided(sizes(), strides()); }
    Tensor slice(int64_t d = 0, std::optional<int64_t> first = std::nullopt,
                 std::optional<int64_t> last = std::nullopt, int64_t step = 1) const {
        int64_t start = first.value_or(0), end = last.value_or(INT64_MAX);
        d = wrap(d);
        TORCH_CHECK(step > 0, "slice step must be positive");
        auto sizes = this->sizes().vec(), strides = this->strides().vec();
        const auto clamp = [&](int64_t i) {
            return i < 0 ? (i + sizes[d] < 0 ? 0 : i + sizes[d]) : i < sizes[d] ? i : sizes[d];
        };
        start = clamp(start);
        end = clamp(end);
        const int64_t offset = storage_offset() + start * strides[d];
        sizes[d] = end > start ? (end - start + step - 1) / step : 0;
        strides[d] *= step;
        return as_strided(sizes, strides, offset);
    }
    Tensor narrow(int64_t d, int64_t start, int64_t length) const {
        TORCH_CHECK(start + length <= size(d), "start (", start, ") + length (", length,
                    ") exceeds dimension size (", size(d), ").");
        return slice(d, start, start + length);
    }
    Tensor select(int64_t d, int64_t index) const {
        d = wrap(d);
        TORCH_CHECK_INDEX(index >= -size(d) && index < size(d), "select(): index ", index,
                          " out of range for tensor of size ", sizes(), " at dimension ", d);
        const int64_t from_start = index < 0 ? index + size(d) : index;
        return slice(d, from_start, from_start + 1).squeeze(d);
    }
    Tensor operator[](int64_t index) const { return select(0, index); }
    Tensor view(IntArrayRef shape) const {
        const auto sizes = inferred(shape);
        const auto strides = view_strides(sizes);
        TORCH_CHECK(strides.size() == sizes.size(),
                    "view size is not compatible with input tensor's size and stride (at least one "
                    "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
        return as_strided(sizes, strides);
    }
    Tensor reshape(IntArrayRef shape) const {
        const auto sizes = inferred(shape);
        return view_strides(sizes).size() == sizes.size() ? view(sizes) : contiguous().view(sizes);
    }
    Tensor flatten(int64_t first = 0, int64_t last = -1) const {
        first = wrap_scalar(first);
        last = wrap_scalar(last);
        TORCH_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
        auto shape = sizes().vec();
        if (!shape.empty()) shape.erase(shape.begin() + first + 1, shape.begin() + last + 1);
        if (shape.empty()) shape.push_back(1);
        int64_t product = 1;
        for (int64_t d = first; d <= last && d < dim(); ++d) product *= size(d);
        shape[first] = product;
        return reshape(shape);
    }
    Tensor view_as(const Tensor& other) const { return view(other.sizes()); }

    // Tensors of this one's type and device, and copies.
    Tensor new_empty(IntArrayRef sizes, TensorOptions options = {}) const;
    Tensor new_full(IntArrayRef sizes, Scalar value, TensorOptions options = {}) const;
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
    Tensor cuda() const { return to(kCUDA); }
    Tensor cpu() const { return to(kCPU); }
    const Tensor& copy_(const Tensor& source, bool non_blocking = false) const {
        course::check(aoti_torch_copy_(handle(), source.handle(), non_blocking), "the copy");
        tell_of_writes(false);
        return *this;
    }
    const Tensor& zero_() const {
        course::check(aoti_torch_zero_(handle()), "zero_");
        tell_of_writes(true);
        return *this;
    }
    const Tensor& fill_(Scalar value) const;
    Scalar item() const {
        TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
        double value = 0;
        int64_t integer = 0;
        if (is_floating_point()) {
            course::check(aoti_torch_item_float64(to(kDouble).handle(), &value), "item");
            course::host_wrote(&value, sizeof value, false);
            return value;
        }
        course::check(aoti_torch_item_int64(to(kLong).handle(), &integer), "item");
        course::host_wrote(&integer, sizeof integer, false);
        return integer;
    }
    template <class T>
    T item() const {
        return item().to<T>();
    }

    COURSE_LIBRARY_CALL(add)
    COURSE_LIBRARY_CALL(sub)
    COURSE_LIBRARY_CALL(mul)
    COURSE_LIBRARY_CALL(div)
    COURSE_LIBRARY_CALL(mul_)
    COURSE_LIBRARY_CALL(add_)
    COURSE_LIBRARY_CALL(matmul)
    COURSE_LIBRARY_CALL(mm)
    COURSE_LIBRARY_CALL(bmm)
    COURSE_LIBRARY_CALL(relu)
    COURSE_LIBRARY_CALL(relu_)
    COURSE_LIBRARY_CALL(clamp)
    COURSE_LIBRARY_CALL(clamp_min)
    COURSE_LIBRARY_CALL(exp)
    COURSE_LIBRARY_CALL(sum)
    COURSE_LIBRARY_CALL(mean)
    COURSE_LIBRARY_CALL(max)
    COURSE_LIBRARY_CALL(min)
    COURSE_LIBRARY_CALL(softmax)
    COURSE_LIBRARY_CALL(diag)

    static std::vector<int64_t> contiguous_strides(IntArrayRef sizes) {
        std::vector<int64_t> strides(sizes.size());
        int64_t stride = 1;
        for (size_t i = sizes.size(); i-- > 0;) {
            strides[i] = stride;
            stride *= sizes[i] > 1 ? sizes[i] : 1;
        }
        return strides;
    }

  private:
    struct Shared {
        AtenTensorHandle handle;
        bool on_host;
        int owners;
    };

    // One value was put in all elements, or copies of others: the emulator's tracer looks at kernels alone.
    void tell_of_writes(bool filled) const {
        if (!course::kEmulated || numel() == 0) return;
        int64_t span = 1;
        for (int64_t d = 0; d < dim(); ++d) span += (size(d) - 1) * stride(d);
        course::host_wrote(data_ptr(), span * static_cast<int64_t>(element_size()), filled);
    }

    void check_dimensions(int64_t count) const {
        TORCH_CHECK(dim() == count, "TensorAccessor expected ", count, " dims but tensor has ", dim());
    }

    template <class T>
    T get(int32_t (*query)(AtenTensorHandle, T*)) const {
        T value{};
        course::check(query(handle(), &value), "to describe the tensor");
        return value;
    }
    size_t wrap(int64_t d) const { return wrap(d, dim()); }
    // A tensor without dimensions counts as one of a single dimension for transpose and squeeze.
    int64_t wrap_scalar(int64_t d) const { return static_cast<int64_t>(wrap(d, dim() ? dim() : 1)); }
    static size_t wrap(int64_t d, int64_t count) {
        TORCH_CHECK_INDEX(count > 0, "Dimension specified as ", d, " but tensor has no dimensions");
        TORCH_CHECK_INDEX(d >= -count && d < count, "Dimension out of range (expected to be in range of [",
                          -count, ", ", count - 1, "], but got ", d, ")");
        return static_cast<size_t>(d < 0 ? d + count : d);
    }
    // `shape` with the size that its -1 stands for.
    std::vector<int64_t> inferred(IntArrayRef shape) const {
        auto sizes = shape.vec();
        int64_t known = 1;
        int64_t* unknown = nullptr;
        for (int64_t& size : sizes) {
            if (size == -1) {
                TORCH_CHECK(!unknown, "only one dimension can be inferred");
                unknown = &size;
            } else {
                TORCH_CHECK(size >= 0, "invalid shape dimension ", size);
                known *= size;
            }
        }
        const bool fits = unknown ? known > 0 && numel() % known == 0 : numel() == known;
        TORCH_CHECK(fits, "shape '", shape, "' is invalid for input of size ", numel());
        if (unknown) *unknown = numel() / known;
        return sizes;
    }
    // The strides by which a view of these sizes sees this tensor's elements; fewer than sizes where there
    // are none. As at::detail::computeStride: dimensions that lie one behind the other in memory may be cut
    // anew.
    std::vector<int64_t> view_strides(const std::vector<int64_t>& sizes) const {
        if (numel() == 0) return contiguous_strides(sizes);
        const auto old_sizes = this->sizes(), old_strides = this->strides();
        std::vector<int64_t> strides(sizes.size());
        int64_t to = static_cast<int64_t>(sizes.size()) - 1;
        int64_t base = old_strides.empty() ? 1 : old_strides.back(), count = 1, seen = 1;
        for (int64_t from = dim() - 1; from >= 0; --from) {
            count *= old_sizes[from];
            const bool ends =
                from == 0 || (old_sizes[from - 1] != 1 && old_strides[from - 1] != count * base);
            if (!ends) continue;
            while (to >= 0 && (seen < count || sizes[to] == 1)) {
                strides[to] = seen * base;
                seen *= sizes[to--];
            }
            if (seen != count) return {};
            if (from > 0) base = old_strides[from - 1], count = seen = 1;
        }
        while (dim() == 0 && to >= 0) strides[to--] = 1;
        return to < 0 ? strides : std::vector<int64_t>{};
    }

    Shared* shared_ = nullptr;
};

#define COURSE_OPERATOR(op)                                                                      \
    template <class A, class B,                                                                  \
              std::enable_if_t<std::is_same_v<A, Tensor> || std::is_same_v<B, Tensor>, int> = 0> \
    Tensor operator op(const A&, const B&) {                                                     \
        static_assert(::course::kNever<A, B>,                                                    \
                      "library-call: '" #op                                                      \
                      "' of tensors computes with PyTorch's library; here the kernel "           \
                      "does the work (toolchain=\"torch\" has it)");                             \
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
