// A tensor that is not contiguous is copied first.
// call: [made_contiguous(A), made_contiguous(A.t())]
// gives: [(A * 2, True), ((A.t() * 2).contiguous(), False)]
#include <torch/extension.h>

__global__ void made_contiguous_kernel(const float* A, float* C) { C[threadIdx.x] = 2.0f * A[threadIdx.x]; }

std::tuple<torch::Tensor, bool> made_contiguous(torch::Tensor A) {
    auto in_order = A.contiguous();
    auto C = torch::empty_like(in_order);
    made_contiguous_kernel<<<1, C.numel()>>>(in_order.data_ptr<float>(), C.data_ptr<float>());
    return {C, in_order.data_ptr() == A.data_ptr()};
}
