// ones, full and the _like forms, of several types.
// call: filled(A)
// gives: [A.new_ones(2), A.new_full((2, 3), 2.5), torch.full((3,), 7, dtype=torch.int32), torch.full_like(A, -1.5), torch.ones_like(A), torch.zeros_like(A)]
#include <torch/extension.h>

std::vector<torch::Tensor> filled(torch::Tensor A) {
    return {torch::ones({2}, A.options()),
            torch::full({2, 3}, 2.5, A.options()),
            torch::full({3}, 7, A.options().dtype(torch::kInt32)),
            torch::full_like(A, -1.5),
            torch::ones_like(A),
            torch::zeros_like(A)};
}
