// A switch over the types, which returns a number.
// call: [bits(A), bits(A.double()), bits(I)]
// gives: [32, 64, 64]
// call: bits(A > 0)
// raises: ValueError: no width for Bool
#include <torch/extension.h>

int bits(torch::Tensor A) {
    switch (A.scalar_type()) {
        case torch::kFloat:
        case torch::kInt: return 32;
        case torch::kDouble:
        case at::ScalarType::Long: return 64;
        default: TORCH_CHECK_VALUE(false, "no width for ", A.scalar_type());
    }
}
