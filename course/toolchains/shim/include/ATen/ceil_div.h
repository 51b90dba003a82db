#pragma once
#include <type_traits>

#include "c10/util/Half.h"  // C10_HOST_DEVICE

namespace at {

template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
C10_HOST_DEVICE inline T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}
template <class T>
C10_HOST_DEVICE inline T round_up(T a, T b) {
    return ceil_div(a, b) * b;
}

}  // namespace at
