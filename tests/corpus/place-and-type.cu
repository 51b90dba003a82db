// A tensor is moved and converted in one step.
// call: to_place_and_type(A, I)
// gives: [A.double(), host(A.int()), A.long()]
#include <torch/extension.h>

std::vector<torch::Tensor> to_place_and_type(torch::Tensor A, torch::Tensor I) {
    return {A.to(I.device(), torch::kDouble), A.to(torch::kCPU, torch::kInt), A.type_as(I)};
}
