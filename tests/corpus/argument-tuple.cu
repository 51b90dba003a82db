// A pair of numbers in one argument.
// call: padded((1, 2))
// gives: 3
// call: padded((1, 2, 3))
// raises: TypeError: padded(): incompatible function arguments
#include <torch/extension.h>

int64_t padded(std::tuple<int64_t, int64_t> padding) { return std::get<0>(padding) + std::get<1>(padding); }
