// assert has one argument.
// refused: assert
#include <torch/extension.h>

torch::Tensor asserting(torch::Tensor A) {
    assert(A.dim() == 2, "A must be a matrix");
    return A;
}
