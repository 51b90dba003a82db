// A dimension that does not exist.
// call: third_size(A)
// raises: IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)
// call: third_size(A[0, 0])
// raises: IndexError: Dimension specified as 2 but tensor has no dimensions
#include <torch/extension.h>

int64_t third_size(torch::Tensor A) { return A.size(2); }
