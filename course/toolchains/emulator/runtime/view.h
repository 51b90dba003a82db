// A tensor's place in memory, as PyTorch describes it.
#pragma once

#include "course/aoti.h"
#include "internal.h"

#pragma GCC visibility push(hidden)

namespace tracer {

struct View : Layout {
    uintptr_t begin;  // of its first element; 0 if it has no elements, since PyTorch then gives no address
    int32_t dtype = 0;
    int64_t element;            // bytes
    int64_t storage_bytes = 0;  // of its storage; 0 if it has no elements

    explicit View(AtenTensorHandle tensor) {
        int64_t ndim = 0, *all_sizes = nullptr, *all_strides = nullptr;
        void* data = nullptr;
        aoti_torch_get_dim(tensor, &ndim);
        aoti_torch_get_dtype(tensor, &dtype);
        aoti_torch_get_sizes(tensor, &all_sizes);
        aoti_torch_get_strides(tensor, &all_strides);
        aoti_torch_get_storage_offset(tensor, &offset);
        aoti_torch_get_data_ptr(tensor, &data);
        if (data) aoti_torch_get_storage_size(tensor, &storage_bytes);
        begin = reinterpret_cast<uintptr_t>(data);
        sizes.assign(all_sizes, all_sizes + ndim);
        strides.assign(all_strides, all_strides + ndim);
        element = element_bytes(dtype);
    }
    // The bytes from its first element to the end of its last.
    int64_t span() const { return tracer::span(sizes.size(), sizes.data(), strides.data()) * element; }
    uintptr_t end() const { return begin + static_cast<uintptr_t>(span()); }
    uintptr_t storage_begin() const { return begin ? begin - static_cast<uintptr_t>(offset * element) : 0; }
    uintptr_t storage_end() const { return storage_begin() + static_cast<uintptr_t>(storage_bytes); }
    uintptr_t address(const std::vector<int64_t>& index) const {
        int64_t at = 0;
        for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
        return begin + static_cast<uintptr_t>(at * element);
    }
    template <class Function>
    void for_each(Function function) const {
        if (std::count(sizes.begin(), sizes.end(), 0)) return;
        std::vector<int64_t> index(sizes.size());
        for (bool more = true; more;) {
            function(index);
            more = false;
            for (size_t d = index.size(); d-- > 0 && !more;) {
                more = ++index[d] < sizes[d];
                if (!more) index[d] = 0;
            }
        }
    }
};

}  // namespace tracer

#pragma GCC visibility pop
