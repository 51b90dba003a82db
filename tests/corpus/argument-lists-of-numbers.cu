// Sizes and weights as lists.
// call: weighted([2, 3], [0.5, 1.5], A)
// gives: (A.new_full((2, 3), 2.0), 3)
// call: weighted((2, 3), [], A)
// gives: (A.new_full((2, 3), 0.0), 3)
// call: weighted([2, 3.5], [], A)
// raises: TypeError: weighted(): incompatible function arguments
// call: weighted(3, [], A)
// raises: TypeError: weighted(): incompatible function arguments
#include <torch/extension.h>

std::tuple<torch::Tensor, int64_t> weighted(std::vector<int64_t> sizes, const std::vector<double>& weights, torch::Tensor A) {
    double sum = 0;
    for (auto weight : weights) sum += weight;
    return {torch::full(sizes, sum, A.options()), sizes.back()};
}
