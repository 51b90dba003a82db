// A check inside a dispatch, before the launch.
// call: unsigned_only(A)
// raises: RuntimeError: 4 bytes are too few
// call: unsigned_only(A.double())
// gives: A.double()
#include <torch/extension.h>

torch::Tensor unsigned_only(torch::Tensor A) {
    return AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "unsigned_only", [&]() -> torch::Tensor {
        TORCH_CHECK(sizeof(scalar_t) > 4, sizeof(scalar_t), " bytes are too few");
        return A;
    });
}
