// A message that ends with a comma.
// functions: ends_with_comma
// refused: expected (?:primary-|an )?expression
#include <torch/extension.h>

int64_t ends_with_comma(torch::Tensor A) {
    TORCH_CHECK(A.dim() == 2, "A must be a matrix", );
    return A.numel();
}
