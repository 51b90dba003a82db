// Accessors: a tensor's pointer with its sizes and strides, indexed one dimension at a time. Kernels take
// packed accessors, which themselves contain the sizes and strides.
#pragma once
#include <cstddef>
#include <cstdint>

#include "course/half_bits.h"

namespace at {

template <class T>
struct DefaultPtrTraits {
    using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
    using PtrType = T* __restrict__;
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
class TensorAccessor {
  public:
    using PtrType = typename PtrTraits<T>::PtrType;
    C10_HOST_DEVICE TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
        if constexpr (N == 1) {
            return (data_[i * strides_[0]]);
        } else {
            using Inner = TensorAccessor<T, N - 1, PtrTraits, index_t>;
            return Inner(data_ + i * strides_[0], sizes_ + 1, strides_ + 1);
        }
    }
    C10_HOST_DEVICE index_t size(index_t d) const { return sizes_[d]; }
    C10_HOST_DEVICE index_t stride(index_t d) const { return strides_[d]; }
    C10_HOST_DEVICE PtrType data() const { return data_; }

  private:
    PtrType data_;
    const index_t* sizes_;
    const index_t* strides_;
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
class GenericPackedTensorAccessor {
  public:
    using PtrType = typename PtrTraits<T>::PtrType;
    GenericPackedTensorAccessor(PtrType data, const int64_t* sizes, const int64_t* strides) : data_(data) {
        for (size_t d = 0; d < N; ++d) {
            sizes_[d] = static_cast<index_t>(sizes[d]);
            strides_[d] = static_cast<index_t>(strides[d]);
        }
    }
    C10_HOST_DEVICE decltype(auto) operator[](index_t i) const {
        return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
    }
    C10_HOST_DEVICE index_t size(index_t d) const { return sizes_[d]; }
    C10_HOST_DEVICE index_t stride(index_t d) const { return strides_[d]; }
    C10_HOST_DEVICE PtrType data() const { return data_; }

  private:
    PtrType data_;
    index_t sizes_[N];
    index_t strides_[N];
};
// The older name.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits, class index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;

}  // namespace at
