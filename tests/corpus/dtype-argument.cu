// A type as an argument, or None for the input's type.
// call: zeros_of(A, torch.float64)
// gives: torch.zeros(3, 4).double()
// call: zeros_of(A, None)
// gives: torch.zeros(3, 4)
// call: zeros_of(A, "float64")
// raises: TypeError: zeros_of(): incompatible function arguments
#include <torch/extension.h>

torch::Tensor zeros_of(torch::Tensor A, std::optional<at::ScalarType> dtype) {
    return torch::zeros_like(A, A.options().dtype(dtype.value_or(A.scalar_type())));
}
