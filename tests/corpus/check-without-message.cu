// The condition itself is the message.
// call: needs_elements(A[:0])
// raises: RuntimeError: Expected A.numel() > 0 && A.dim() == 2 to be true, but got false.
#include <torch/extension.h>

void needs_elements(torch::Tensor A) { TORCH_CHECK(A.numel() > 0 && A.dim() == 2); }
