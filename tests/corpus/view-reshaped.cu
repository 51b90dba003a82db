// view, reshape and flatten, with a size of -1 to be computed.
// call: reshaped(A)
// gives: [A.view(-1), A.view(2, 6), A.reshape(4, 3), A.flatten(), A.flatten(0, 1), A.view(4, 3)]
// call: reshaped(A.t())
// raises: RuntimeError: view size is not compatible with input tensor's size and stride
#include <torch/extension.h>

std::vector<torch::Tensor> reshaped(torch::Tensor A) {
    return {A.view({-1}), A.view({2, -1}), A.reshape({4, 3}), A.flatten(), A.flatten(0, 1),
            A.view_as(torch::empty({4, 3}, A.options()))};
}
