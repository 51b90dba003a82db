// at::acc_type: the type in which PyTorch's kernels add up elements of a type; on the host, that of floats is
// double.
#pragma once
#include "ATen/OpMathType.h"

namespace at {

template <class T, bool is_cuda>
struct AccumulateType {
    using widened =
        std::conditional_t<std::is_same_v<opmath_type<T>, float> && !is_cuda, double, opmath_type<T>>;
    using type = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int64_t, widened>;
};

template <class T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

}  // namespace at
