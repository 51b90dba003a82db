// A size that is wrongly computed and negative.
// call: shorter(x, 1001)
// raises: RuntimeError: Trying to create tensor with negative dimension -1: [-1]
#include <torch/extension.h>

torch::Tensor shorter(torch::Tensor x, int64_t by) { return torch::empty({x.size(0) - by}, x.options()); }
