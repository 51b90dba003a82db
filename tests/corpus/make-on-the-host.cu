// A tensor made without options is on the host.
// call: host_numbers()
// gives: [host(torch.zeros(2)), host(torch.full((2,), 3.0))]
#include <torch/extension.h>

std::vector<torch::Tensor> host_numbers() { return {torch::zeros({2}), torch::full({2}, 3.0, torch::kFloat)}; }
