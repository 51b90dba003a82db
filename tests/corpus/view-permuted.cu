// permute and transpose, then made contiguous.
// call: channels_last(A.view(3, 2, 2))
// gives: (A.view(3, 2, 2).permute(1, 2, 0), A.view(3, 2, 2).permute(1, 2, 0).contiguous(), A.view(3, 2, 2).transpose(0, 2))
// call: channels_last(A)
// raises: RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match
#include <torch/extension.h>

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> channels_last(torch::Tensor A) {
    auto permuted = A.permute({1, 2, 0});
    return {permuted, permuted.contiguous(), A.transpose(0, 2)};
}
