// Adds on the host, without a kernel.
#include <torch/extension.h>

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    for (int64_t i = 0; i < A.numel(); ++i) {
        C.data_ptr<float>()[i] = A.data_ptr<float>()[i] + B.data_ptr<float>()[i];
    }
    return C;
}
