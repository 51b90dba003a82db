// Operators of torch.ops: with a schema, a function for each device, and an inferred schema.
// call: torch.ops.course_corpus.operator_scaled(A), torch.ops.course_corpus.operator_scaled(host(A), factor=3)
// gives: A * 2, host(A)
// call: torch.ops.course_corpus.operator_halves(A, 3, None, [A, A])
// gives: (A, A)
// call: torch.ops.course_corpus.operator_clear(A) or A
// gives: torch.zeros_like(A)
// functions: operator_listed
#include <torch/extension.h>

__global__ void operator_scaled_kernel(const float* a, float* c, float factor) {
    c[threadIdx.x] = a[threadIdx.x] * factor;
}
torch::Tensor operator_scaled(const torch::Tensor& A, const at::Scalar& factor) {
    auto C = torch::empty_like(A);
    operator_scaled_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>(), factor.toFloat());
    return C;
}
torch::Tensor operator_unscaled(const torch::Tensor& A, const at::Scalar& factor) { return A.clone(); }
std::tuple<torch::Tensor, torch::Tensor> operator_halves(torch::Tensor A, int64_t n, std::optional<torch::Tensor> B,
                                                         std::vector<torch::Tensor> all) {
    return {all[0].clone(), all[1].clone()};
}
void operator_clear(torch::Tensor A) { A.zero_(); }
torch::Tensor operator_listed(torch::Tensor A) { return A; }

TORCH_LIBRARY(course_corpus, m) {
    m.def("operator_scaled(Tensor A, Scalar factor=2) -> Tensor");
    m.def("operator_halves", &operator_halves);
    m.def("operator_clear(Tensor(a!) A) -> ()", operator_clear);
}
TORCH_LIBRARY_IMPL(course_corpus, CUDA, m) { m.impl("operator_scaled", &operator_scaled); }
TORCH_LIBRARY_IMPL(course_corpus, CPU, m) { m.impl("operator_scaled", TORCH_FN(operator_unscaled)); }
