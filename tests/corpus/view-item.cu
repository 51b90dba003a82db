// One number fetched from the device.
// call: first_number(A)
// gives: (-2.0, -2)
// call: first_number(A[0])
// raises: RuntimeError: a Tensor with 4 elements cannot be converted to Scalar
#include <torch/extension.h>

std::tuple<double, int> first_number(torch::Tensor A) {
    if (A.dim() == 1) A.item<float>();
    return {A[0][0].item<float>(), A[0][0].item().toInt()};
}
