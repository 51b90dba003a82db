// Regions: tensors and memory from cudaMalloc, between red zones.
#define EMULATOR_RUNTIME
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "course/aoti.h"
#include "scheduler.h"

namespace emulator {
namespace {

struct Region {
    AtenTensorHandle storage;   // keeps the memory alive until the call is over
    AtenTensorHandle original;  // the argument that was copied here; null for a tensor that the wrapper made
    char* data;                 // first byte between the red zones
    int64_t bytes;
    int64_t offset;      // of `data` in the storage, in elements
    int64_t element;     // bytes
    unsigned char zone;  // what its red zones hold
    Subject subject;
};
std::vector<Region> regions;
std::vector<Region> allocations;  // from cudaMalloc; they may outlive a call

void paint_zones(const Region& region) {
    memset(region.data - kRedZoneBytes, region.zone, kRedZoneBytes);
    memset(region.data + region.bytes, region.zone, kRedZoneBytes);
}

// Lays the region's `bytes` between two red zones, from `base` on.
void place(Region& region, void* base, int64_t bytes) {
    region.data = static_cast<char*>(base) + kRedZoneBytes;
    region.bytes = bytes;
    region.zone = static_cast<unsigned char>(kRedZone + regions.size() + allocations.size());
    paint_zones(region);
}

// Memory for `bytes` of elements of `dtype` between two red zones, as a one-dimensional tensor that contains
// the zones as well.
bool make_region(int64_t bytes, int32_t dtype, int64_t element, Region& region) {
    const int64_t count = (bytes + 2 * kRedZoneBytes + element - 1) / element;
    const int64_t stride = 1;
    if (aoti_torch_empty_strided(1, &count, &stride, dtype, 0, -1, &region.storage)) return false;
    void* base = nullptr;
    aoti_torch_get_data_ptr(region.storage, &base);
    region.element = element;
    region.offset = kRedZoneBytes / element;
    place(region, base, bytes);
    return true;
}

// The elements of a red zone that were written, and the distance of the first of them from the tensor.
struct Damage {
    int64_t first = -1, count = 0;
};

Damage damage(const Region& region, bool before) {
    const char* zone = before ? region.data - kRedZoneBytes : region.data + region.bytes;
    Damage found;
    const bool whole =
        static_cast<unsigned char>(*zone) == region.zone && memcmp(zone, zone + 1, kRedZoneBytes - 1) == 0;
    if (whole) return found;  // nearly always so, and much quicker to find out
    for (int64_t i = 0; i < kRedZoneBytes; ++i) {
        const int64_t at = before ? kRedZoneBytes - 1 - i : i;  // nearest to the tensor first
        if (static_cast<unsigned char>(zone[at]) == region.zone) continue;
        const int64_t element = i / region.element;
        if (found.first < 0) found.first = element;
        ++found.count;
        i = (element + 1) * region.element - 1;  // this element is counted
    }
    return found;
}

void check_region(const Region& region) {
    for (const bool before : {false, true}) {
        const auto [first, count] = damage(region, before);
        if (!count) continue;
        const int64_t length = region.bytes / region.element;
        const int64_t at = before ? -1 - first : length + first;
        report({Reason::kWrittenOutside, {count, at, length}, {}, region.subject});
    }
}

tracer::Layout layout_of(AtenTensorHandle tensor) {
    int64_t ndim = 0, *sizes = nullptr, *strides = nullptr;
    tracer::Layout layout;
    aoti_torch_get_dim(tensor, &ndim);
    aoti_torch_get_sizes(tensor, &sizes);
    aoti_torch_get_strides(tensor, &strides);
    aoti_torch_get_storage_offset(tensor, &layout.offset);
    layout.sizes.assign(sizes, sizes + ndim);
    layout.strides.assign(strides, strides + ndim);
    return layout;
}

}  // namespace

void check_regions() {
    for (const Region& region : regions) check_region(region);
    for (const Region& region : allocations) {
        check_region(region);
        paint_zones(region);  // reported once
    }
}

int64_t element_bytes(int32_t dtype) {
    constexpr int64_t kSizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2};
    return dtype >= 0 && dtype < 16 ? kSizes[dtype] : 1;
}

cudaError_t allocate(void** pointer, size_t bytes) {
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    void* base =
        bytes < size_t{1} << 40 ? aligned_alloc(256, (bytes + 255) / 256 * 256 + 2 * kRedZoneBytes) : nullptr;
    if (!base) return recorded(cudaErrorMemoryAllocation);
    Region region{};
    region.element = 1;
    region.subject = {Subject::Kind::kAllocation, "", {static_cast<int64_t>(bytes)}};
    place(region, base, static_cast<int64_t>(bytes));
    memset(region.data, 0xFF, bytes);
    allocations.push_back(region);
    tracer::add_global(region.subject, region.data, region.bytes, 0, false, {});
    *pointer = region.data;
    return cudaSuccess;
}

cudaError_t release(void* pointer) {
    if (!pointer) return cudaSuccess;
    for (size_t i = 0; i < allocations.size(); ++i) {
        if (allocations[i].data != pointer) continue;
        check_region(allocations[i]);
        tracer::forget(allocations[i].data);
        free(allocations[i].data - kRedZoneBytes);
        allocations.erase(allocations.begin() + static_cast<std::ptrdiff_t>(i));
        return cudaSuccess;
    }
    return recorded(cudaErrorInvalidValue);
}

extern "C" {

// The stand-in's `empty` calls this for a CUDA tensor.
int32_t emulator_empty_strided(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                               AtenTensorHandle* out) {
    const int64_t element = element_bytes(dtype);
    int64_t span = 1;
    for (int64_t i = 0; i < ndim; ++i)
        span = sizes[i] == 0 ? 0 : span ? span + (sizes[i] - 1) * strides[i] : 0;
    Region region{};
    if (!make_region(span * element, dtype, element, region)) return 1;
    memset(region.data, 0xFF, static_cast<size_t>(region.bytes));
    region.subject = {Subject::Kind::kNewTensor, "", {sizes, sizes + ndim}};
    regions.push_back(region);
    tracer::add_global(region.subject, region.data, region.bytes, element, false,
                       {{sizes, sizes + ndim}, {strides, strides + ndim}});
    return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides, region.offset, out);
}

// An argument's copy between red zones, with the same sizes, strides and offset. Arguments that share storage
// share the copy. `name` says which argument it is.
int32_t emulator_guard(AtenTensorHandle tensor, const char* name, AtenTensorHandle* out) {
    int64_t ndim = 0, offset = 0, bytes = 0;
    int64_t *sizes = nullptr, *strides = nullptr;
    int32_t dtype = 0;
    void* data = nullptr;
    aoti_torch_get_dim(tensor, &ndim);
    aoti_torch_get_sizes(tensor, &sizes);
    aoti_torch_get_strides(tensor, &strides);
    aoti_torch_get_dtype(tensor, &dtype);
    aoti_torch_get_storage_offset(tensor, &offset);
    aoti_torch_get_storage_size(tensor, &bytes);
    aoti_torch_get_data_ptr(tensor, &data);
    if (!data) bytes = 0;  // the storage of an empty view has bytes, but PyTorch gives no address
    const int64_t element = element_bytes(dtype);
    const char* base = data ? static_cast<char*>(data) - offset * element : nullptr;
    for (const Region& region : regions) {
        if (!region.original) continue;
        void* other = nullptr;
        int64_t other_offset = 0;
        int32_t other_dtype = 0;
        aoti_torch_get_data_ptr(region.original, &other);
        aoti_torch_get_storage_offset(region.original, &other_offset);
        aoti_torch_get_dtype(region.original, &other_dtype);
        if (base && other_dtype == dtype && static_cast<char*>(other) - other_offset * element == base) {
            return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides,
                                                  region.offset + offset, out);
        }
    }
    Region region{};
    if (!make_region(bytes, dtype, element, region)) return 1;
    if (bytes) memcpy(region.data, base, static_cast<size_t>(bytes));
    region.subject = {Subject::Kind::kArgument, name, {sizes, sizes + ndim}};
    aoti_torch_new_tensor_handle(tensor, &region.original);
    regions.push_back(region);
    tracer::add_global(region.subject, region.data, region.bytes, element, true, layout_of(tensor));
    return aoti_torch__reinterpret_tensor(region.storage, ndim, sizes, strides, region.offset + offset, out);
}

// The first element of a tensor's storage that is between red zones; 0 for a tensor that PyTorch made.
int64_t emulator_storage_start(AtenTensorHandle tensor) {
    void* data = nullptr;
    aoti_torch_get_data_ptr(tensor, &data);
    const char* first = static_cast<const char*>(data);
    for (const Region& region : regions) {
        if (first >= region.data && first < region.data + region.bytes) return region.offset;
    }
    return 0;
}

// A result in an argument's copy becomes the argument itself, or the same view of the argument.
int32_t emulator_unguard(AtenTensorHandle tensor, AtenTensorHandle* out) {
    void* data = nullptr;
    aoti_torch_get_data_ptr(tensor, &data);
    for (const Region& region : regions) {
        if (!region.original || data < region.data - kRedZoneBytes ||
            data > region.data + region.bytes + kRedZoneBytes) {
            continue;
        }
        tracer::Layout layout = layout_of(tensor);
        const tracer::Layout original = layout_of(region.original);
        layout.offset -= region.offset;
        if (layout == original) return aoti_torch_new_tensor_handle(region.original, out);
        return aoti_torch__reinterpret_tensor(region.original, static_cast<int64_t>(layout.sizes.size()),
                                              layout.sizes.data(), layout.strides.data(),
                                              layout.offset - original.offset, out);
    }
    return aoti_torch_new_tensor_handle(tensor, out);
}

// Ends a call: what kernels wrote to the arguments' copies is copied back to the arguments.
void emulator_finish() {
    for (Region& region : regions) {
        if (region.original) {
            void* data = nullptr;
            int64_t offset = 0;
            int32_t dtype = 0;
            aoti_torch_get_data_ptr(region.original, &data);
            aoti_torch_get_storage_offset(region.original, &offset);
            aoti_torch_get_dtype(region.original, &dtype);
            char* base = static_cast<char*>(data) - offset * element_bytes(dtype);
            if (region.bytes && memcmp(base, region.data, static_cast<size_t>(region.bytes)) != 0) {
                memcpy(base, region.data, static_cast<size_t>(region.bytes));
            }
            aoti_torch_delete_tensor_object(region.original);
        }
        aoti_torch_delete_tensor_object(region.storage);
    }
    regions.clear();
    clear_reports();
    tracer::finish();
}

}  // extern "C"

}  // namespace emulator
