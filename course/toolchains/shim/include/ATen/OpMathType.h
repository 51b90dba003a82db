// at::opmath_type: the type in which PyTorch's kernels compute with elements of a type.
#pragma once
#include <type_traits>

#include "c10/util/BFloat16.h"

namespace at {

template <class T>
struct OpMathType {
    using type =
        std::conditional_t<std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>;
};

template <class T>
using opmath_type = typename OpMathType<T>::type;

}  // namespace at
