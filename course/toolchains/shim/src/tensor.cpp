// Tensors: their types, views and copies, through PyTorch's C functions.
//
// Definitions in a header are compiled with each source. Even if an inline function is never called, g++
// instantiates the templates that it uses. So the headers define only what calls a function or two, and the
// files here are compiled once for all sources.
#include "torch/types.h"

namespace c10 {

template void IntArrayRef::append_to(std::string& out) const;

const char* DeviceTypeName(DeviceType type) { return type == kCUDA ? "cuda" : "cpu"; }
void append(std::string& out, DeviceType type) { out += DeviceTypeName(type); }

Device::Device(const std::string& text) {
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    TORCH_CHECK(kind == "cuda" || kind == "cpu", "Expected a device of kind cuda or cpu, but got '", text,
                "'");
    type_ = kind == "cuda" ? kCUDA : kCPU;
    index_ = colon == std::string::npos ? -1 : static_cast<DeviceIndex>(std::stoi(text.substr(colon + 1)));
}
Device::Device(const char* text) : Device(std::string(text)) {}
std::string Device::str() const {
    std::string text = DeviceTypeName(type_);
    return has_index() ? text + ":" + std::to_string(index_) : text;
}
void Device::append_to(std::string& out) const { out += str(); }

const char* toString(ScalarType type) {
    switch (type) {
#define COURSE_NAME(number, type, name) \
    case ScalarType::name:              \
        return #name;
        COURSE_FORALL_SCALAR_TYPES(COURSE_NAME)
#undef COURSE_NAME
        default:
            return "UNKNOWN_SCALAR";
    }
}
void append(std::string& out, ScalarType type) { out += toString(type); }

size_t elementSize(ScalarType type) {
    switch (type) {
#define COURSE_SIZE(number, type, name) \
    case ScalarType::name:              \
        return sizeof(type);
        COURSE_FORALL_SCALAR_TYPES(COURSE_SIZE)
#undef COURSE_SIZE
        default:
            AT_ERROR("this element type is not known to the course's shim for torch's headers");
    }
}

bool isFloatingType(ScalarType type) {
    return type == ScalarType::Half || type == ScalarType::Float || type == ScalarType::Double ||
           type == ScalarType::BFloat16;
}

TensorOptions TensorOptions::dtype(ScalarType type) const {
    TensorOptions changed = *this;
    changed.dtype_ = type, changed.has_dtype_ = true;
    return changed;
}
TensorOptions TensorOptions::device(Device device) const {
    TensorOptions changed = *this;
    changed.device_ = device, changed.has_device_ = true;
    return changed;
}
TensorOptions TensorOptions::or_else(const TensorOptions& others) const {
    TensorOptions changed = *this;
    if (!has_dtype_) changed.dtype_ = others.dtype_;
    if (!has_device_) changed.device_ = others.device_;
    return changed;
}

}  // namespace c10

namespace caffe2 {

const char* TypeMeta::name() const {
    switch (type_) {
#define COURSE_TYPE_NAME(number, type, name) \
    case c10::ScalarType::name:              \
        return #type[0] == ':' ? #type + 2 : #type;
        COURSE_FORALL_SCALAR_TYPES(COURSE_TYPE_NAME)
#undef COURSE_TYPE_NAME
        default:
            return "nullptr (uninitialized)";
    }
}
void TypeMeta::append_to(std::string& out) const { out += name(); }

}  // namespace caffe2

namespace at {

namespace {

// Not a call through a pointer, because it may not lead to PyTorch's functions (indirect_calls.cpp).
template <class T, int32_t (*query)(AtenTensorHandle, T*)>
T get(const Tensor& tensor) {
    T value{};
    course::check(query(tensor.handle(), &value), "to describe the tensor");
    return value;
}

// A dimension counted from the end has a negative number.
size_t wrapped(int64_t d, int64_t count) {
    TORCH_CHECK_INDEX(count > 0, "Dimension specified as ", d, " but tensor has no dimensions");
    TORCH_CHECK_INDEX(d >= -count && d < count, "Dimension out of range (expected to be in range of [",
                      -count, ", ", count - 1, "], but got ", d, ")");
    return static_cast<size_t>(d < 0 ? d + count : d);
}
// For transpose and squeeze, a tensor without dimensions counts as a tensor with one dimension.
int64_t wrapped_scalar(int64_t d, const Tensor& tensor) {
    return static_cast<int64_t>(wrapped(d, tensor.dim() ? tensor.dim() : 1));
}

std::vector<int64_t> contiguous_strides(IntArrayRef sizes) {
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= sizes[i] > 1 ? sizes[i] : 1;
    }
    return strides;
}

// Strides without gaps that keep the order of the given strides, as at::infer_dense_strides does: an
// insertion sort in which a stride of 0 says nothing about the order.
std::vector<int64_t> dense_strides(IntArrayRef sizes, IntArrayRef strides) {
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

// `shape` with the size that its -1 stands for.
std::vector<int64_t> inferred(IntArrayRef shape, int64_t elements) {
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
    const bool fits = unknown ? known > 0 && elements % known == 0 : elements == known;
    TORCH_CHECK(fits, "shape '", shape, "' is invalid for input of size ", elements);
    if (unknown) *unknown = elements / known;
    return sizes;
}

// The strides with which a view of these sizes sees the tensor's elements; fewer strides than sizes if no
// such view exists. As in at::detail::computeStride, dimensions that are adjacent in memory may be divided in
// another way.
std::vector<int64_t> view_strides(const Tensor& tensor, const std::vector<int64_t>& sizes) {
    if (tensor.numel() == 0) return contiguous_strides(sizes);
    const auto old_sizes = tensor.sizes(), old_strides = tensor.strides();
    std::vector<int64_t> strides(sizes.size());
    int64_t to = static_cast<int64_t>(sizes.size()) - 1;
    int64_t base = old_strides.empty() ? 1 : old_strides.back(), count = 1, seen = 1;
    for (int64_t from = tensor.dim() - 1; from >= 0; --from) {
        count *= old_sizes[from];
        const bool ends = from == 0 || (old_sizes[from - 1] != 1 && old_strides[from - 1] != count * base);
        if (!ends) continue;
        while (to >= 0 && (seen < count || sizes[to] == 1)) {
            strides[to] = seen * base;
            seen *= sizes[to--];
        }
        if (seen != count) return {};
        if (from > 0) base = old_strides[from - 1], count = seen = 1;
    }
    while (tensor.dim() == 0 && to >= 0) strides[to--] = 1;
    return to < 0 ? strides : std::vector<int64_t>{};
}

}  // namespace

Tensor::Tensor(const Tensor& other) : shared_(other.shared_) {
    if (shared_) ++shared_->owners;
}
Tensor& Tensor::operator=(Tensor other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
}
Tensor::~Tensor() {
    if (shared_ && --shared_->owners == 0) {
        course::hold(shared_->handle, -1);
        aoti_torch_delete_tensor_object(shared_->handle);
        delete shared_;
    }
}
Tensor Tensor::take(AtenTensorHandle handle, bool on_host) {
    Tensor tensor;
    tensor.shared_ = new Shared{handle, on_host, 1};
    course::hold(handle, 1);
    return tensor;
}
AtenTensorHandle Tensor::handle() const {
    TORCH_CHECK(defined(), "expected a tensor, but got an undefined one");
    return shared_->handle;
}
int64_t Tensor::dim() const { return get<int64_t, aoti_torch_get_dim>(*this); }
int64_t Tensor::numel() const { return get<int64_t, aoti_torch_get_numel>(*this); }
int64_t Tensor::storage_offset() const {
    return get<int64_t, aoti_torch_get_storage_offset>(*this) - course::storage_start(handle());
}
bool Tensor::is_contiguous() const { return get<bool, aoti_torch_is_contiguous>(*this); }
bool Tensor::is_non_overlapping_and_dense() const {
    const auto dense = dense_strides(sizes(), strides());
    for (int64_t d = 0; d < dim(); ++d) {
        if (size(d) > 1 && stride(d) != dense[d]) return false;
    }
    return true;
}
IntArrayRef Tensor::sizes() const {
    return {get<int64_t*, aoti_torch_get_sizes>(*this), static_cast<size_t>(dim())};
}
IntArrayRef Tensor::strides() const {
    return {get<int64_t*, aoti_torch_get_strides>(*this), static_cast<size_t>(dim())};
}
int64_t Tensor::size(int64_t d) const { return sizes()[wrapped(d, dim())]; }
int64_t Tensor::stride(int64_t d) const { return strides()[wrapped(d, dim())]; }
ScalarType Tensor::scalar_type() const {
    return static_cast<ScalarType>(get<int32_t, aoti_torch_get_dtype>(*this));
}
TypeMeta Tensor::dtype() const { return scalar_type(); }
Device Tensor::device() const {
    if (course::kEmulated) return shared_ && shared_->on_host ? Device(kCPU) : Device(kCUDA, 0);
    return Device(static_cast<DeviceType>(get<int32_t, aoti_torch_get_device_type>(*this)),
                  static_cast<DeviceIndex>(get<int32_t, aoti_torch_get_device_index>(*this)));
}
void* Tensor::data_ptr() const { return get<void*, aoti_torch_get_data_ptr>(*this); }
void* Tensor::data_of(ScalarType expected) const {
    const ScalarType found = scalar_type();
    TORCH_CHECK(found == expected, "expected scalar type ", expected, " but found ", found);
    return data_ptr();
}
void Tensor::check_dimensions(int64_t count) const {
    TORCH_CHECK(dim() == count, "TensorAccessor expected ", count, " dims but tensor has ", dim());
}

Tensor Tensor::as_strided(IntArrayRef sizes, IntArrayRef strides, int64_t offset) const {
    AtenTensorHandle view = nullptr;
    // PyTorch's function counts the offset from this tensor's own offset.
    course::check(aoti_torch__reinterpret_tensor(handle(), static_cast<int64_t>(sizes.size()), sizes.data(),
                                                 strides.data(), offset - storage_offset(), &view),
                  "the view");
    return take(view, on_host());
}
Tensor Tensor::transpose(int64_t a, int64_t b) const {
    a = wrapped_scalar(a, *this);
    b = wrapped_scalar(b, *this);
    if (a == b) return *this;
    auto sizes = this->sizes().vec(), strides = this->strides().vec();
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
    return as_strided(sizes, strides);
}
Tensor Tensor::t() const {
    TORCH_CHECK(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
    return dim() < 2 ? *this : transpose(0, 1);
}
Tensor Tensor::unsqueeze(int64_t d) const {
    d = static_cast<int64_t>(wrapped(d, dim() + 1));
    auto sizes = this->sizes().vec(), strides = this->strides().vec();
    const int64_t stride = d < dim() ? sizes[d] * strides[d] : 1;
    sizes.insert(sizes.begin() + d, 1);
    strides.insert(strides.begin() + d, stride);
    return as_strided(sizes, strides);
}
Tensor Tensor::squeeze(int64_t d) const {
    d = wrapped_scalar(d, *this);
    if (dim() == 0 || size(d) != 1) return *this;
    auto sizes = this->sizes().vec(), strides = this->strides().vec();
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
    return as_strided(sizes, strides);
}
Tensor Tensor::squeeze() const {
    Tensor squeezed = *this;
    for (int64_t d = dim(); d-- > 0;) squeezed = squeezed.squeeze(d);
    return squeezed;
}
Tensor Tensor::permute(IntArrayRef order) const {
    TORCH_CHECK(
        static_cast<int64_t>(order.size()) == dim(),
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
        "desired ordering of dimensions i.e. input.dim() = ",
        dim(), " is not equal to len(dims) = ", order.size());
    std::vector<int64_t> sizes, strides;
    std::vector<bool> seen(order.size());
    for (const int64_t d : order) {
        TORCH_CHECK(!seen[wrapped(d, dim())], "permute(): duplicate dims are not allowed.");
        seen[wrapped(d, dim())] = true;
        sizes.push_back(size(d));
        strides.push_back(stride(d));
    }
    return as_strided(sizes, strides);
}
Tensor Tensor::expand(IntArrayRef shape) const {
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
Tensor Tensor::slice(int64_t d, std::optional<int64_t> first, std::optional<int64_t> last,
                     int64_t step) const {
    int64_t start = first.value_or(0), end = last.value_or(INT64_MAX);
    d = wrapped(d, dim());
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
Tensor Tensor::narrow(int64_t d, int64_t start, int64_t length) const {
    TORCH_CHECK(start + length <= size(d), "start (", start, ") + length (", length,
                ") exceeds dimension size (", size(d), ").");
    return slice(d, start, start + length);
}
Tensor Tensor::select(int64_t d, int64_t index) const {
    d = wrapped(d, dim());
    TORCH_CHECK_INDEX(index >= -size(d) && index < size(d), "select(): index ", index,
                      " out of range for tensor of size ", sizes(), " at dimension ", d);
    const int64_t from_start = index < 0 ? index + size(d) : index;
    return slice(d, from_start, from_start + 1).squeeze(d);
}
Tensor Tensor::view(IntArrayRef shape) const {
    const auto sizes = inferred(shape, numel());
    const auto strides = view_strides(*this, sizes);
    TORCH_CHECK(strides.size() == sizes.size(),
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
    return as_strided(sizes, strides);
}
Tensor Tensor::reshape(IntArrayRef shape) const {
    const auto sizes = inferred(shape, numel());
    return view_strides(*this, sizes).size() == sizes.size() ? view(sizes) : contiguous().view(sizes);
}
Tensor Tensor::flatten(int64_t first, int64_t last) const {
    first = wrapped_scalar(first, *this);
    last = wrapped_scalar(last, *this);
    TORCH_CHECK(first <= last, "flatten() has invalid args: start_dim cannot come after end_dim");
    auto shape = sizes().vec();
    if (!shape.empty()) shape.erase(shape.begin() + first + 1, shape.begin() + last + 1);
    if (shape.empty()) shape.push_back(1);
    int64_t product = 1;
    for (int64_t d = first; d <= last && d < dim(); ++d) product *= size(d);
    shape[first] = product;
    return reshape(shape);
}

Tensor Tensor::new_empty(IntArrayRef sizes, TensorOptions options) const {
    return empty(sizes, options.or_else(this->options()));
}
Tensor Tensor::clone() const {
    Tensor copy = empty_like(*this);
    copy.copy_(*this);
    return copy;
}
Tensor Tensor::contiguous() const {
    if (is_contiguous()) return *this;
    Tensor copy = empty(sizes(), options());
    copy.copy_(*this);
    return copy;
}
Tensor Tensor::to(TensorOptions options) const {
    options = options.or_else(this->options());
    const bool same_place = options.device().type() == device().type();
    if (same_place && options.dtype() == dtype()) return *this;
    Tensor copy = empty_like(*this, options);
    copy.copy_(*this);
    return copy;
}
const Tensor& Tensor::copy_(const Tensor& source, bool non_blocking) const {
    course::check(course::copy(handle(), source.handle(), non_blocking), "the copy");
    return *this;
}
const Tensor& Tensor::zero_() const {
    course::check(course::zero(handle()), "zero_");
    return *this;
}
const Tensor& Tensor::fill_(Scalar value) const {
    constexpr int64_t kExactInDouble = int64_t(1) << 53;
    const int64_t integer = value.isIntegral() ? value.toLong() : 0;
    if (integer > kExactInDouble || integer < -kExactInDouble) {  // PyTorch's C function takes a double
        int64_t source = integer;
        return copy_(from_blob(&source, {}, kLong));
    }
    course::check(course::fill(handle(), value.toDouble()), "fill_");
    return *this;
}
Scalar Tensor::item() const {
    TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
    double value = 0;
    int64_t integer = 0;
    if (is_floating_point()) {
        course::check(course::item_float64(to(kDouble).handle(), &value), "item");
        return value;
    }
    course::check(course::item_int64(to(kLong).handle(), &integer), "item");
    return integer;
}

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, TensorOptions options) {
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
Tensor empty(IntArrayRef sizes, TensorOptions options) {
    return empty_strided(sizes, contiguous_strides(sizes), options);
}
Tensor empty_like(const Tensor& tensor, TensorOptions options) {
    const auto sizes = tensor.sizes(), strides = tensor.strides();
    const auto dense = dense_strides(sizes, strides);
    const bool keep = tensor.is_non_overlapping_and_dense();
    return empty_strided(sizes, keep ? strides : IntArrayRef(dense), options.or_else(tensor.options()));
}
Tensor empty_like(const Tensor& tensor, TensorOptions options, MemoryFormat format) {
    if (format == MemoryFormat::Preserve) return empty_like(tensor, options);
    return empty(tensor.sizes(), options.or_else(tensor.options()));
}

Tensor from_blob(void* data, IntArrayRef sizes, TensorOptions options) {
    const auto strides = contiguous_strides(sizes);
    const Device device = options.device();
    AtenTensorHandle handle = nullptr;
    course::check(aoti_torch_create_tensor_from_blob(
                      data, static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(), 0,
                      static_cast<int32_t>(options.dtype().toScalarType()),
                      course::kEmulated ? 0 : static_cast<int32_t>(device.type()), device.index(), &handle),
                  "from_blob");
    return Tensor::take(handle, device.is_cpu());
}

}  // namespace at
