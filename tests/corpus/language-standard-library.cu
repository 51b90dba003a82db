// The parts of the standard library that PyTorch's headers include.
// call: described(A)
// gives: "3x4, at most 4"
#include <torch/extension.h>

std::string described(torch::Tensor A) {
    std::ostringstream text;
    std::vector<int64_t> sizes = A.sizes().vec();
    int64_t most = std::numeric_limits<int64_t>::min();
    std::for_each(sizes.begin(), sizes.end(), [&](int64_t size) { most = std::max(most, size); });
    for (size_t i = 0; i < sizes.size(); ++i) text << (i ? "x" : "") << sizes[i];
    text << ", at most " << most;
    return text.str();
}
