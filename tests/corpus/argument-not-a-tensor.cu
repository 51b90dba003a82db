// Arguments that are not tensors where a tensor is expected.
// call: needs_tensor(None)
// raises: TypeError: needs_tensor(): incompatible function arguments
// call: needs_tensor([1.0, 2.0])
// raises: TypeError: needs_tensor(): incompatible function arguments
// call: needs_tensor(2.0)
// raises: TypeError: needs_tensor(): incompatible function arguments
// call: needs_tensor(A, A)
// raises: TypeError: needs_tensor(): incompatible function arguments
#include <torch/extension.h>

int64_t needs_tensor(torch::Tensor& A) { return A.numel(); }
