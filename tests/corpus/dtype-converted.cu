// Conversions on the host side.
// call: converted(A)
// gives: [A.half(), A.to(torch.int32), A.double(), A.to(torch.int64), A.bfloat16(), A > 100]
#include <torch/extension.h>

std::vector<torch::Tensor> converted(torch::Tensor A) {
    return {A.to(torch::kHalf), A.to(torch::kInt32), A.to(torch::kFloat64), A.toType(torch::kLong), A.to(at::kBFloat16),
            torch::zeros_like(A).to(torch::kBool)};
}
