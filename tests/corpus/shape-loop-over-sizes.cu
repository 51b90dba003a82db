// The sizes in a range-based loop, as a vector, and in comparisons.
// call: sizes_used(A, B, x)
// gives: (12, [3, 4, 1], True, False)
#include <torch/extension.h>

std::tuple<int64_t, std::vector<int64_t>, bool, bool> sizes_used(torch::Tensor A, torch::Tensor B, torch::Tensor x) {
    int64_t product = 1;
    for (int64_t size : A.sizes()) product *= size;
    std::vector<int64_t> longer = A.sizes().vec();
    longer.push_back(1);
    return {product, longer, A.sizes() == B.sizes(), A.sizes().equals(x.sizes())};
}
