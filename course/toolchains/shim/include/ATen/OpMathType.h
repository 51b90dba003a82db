// at::opmath_type: the type in which PyTorch's kernels compute with elements of a type.
#pragma once
#include "c10/util/BFloat16.h"

namespace at {

template <class T>
struct OpMathType {
    using type = T;
};
template <>
struct OpMathType<c10::Half> {
    using type = float;
};
template <>
struct OpMathType<c10::BFloat16> {
    using type = float;
};

template <class T>
using opmath_type = typename OpMathType<T>::type;

}  // namespace at
