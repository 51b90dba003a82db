// torch::wrap_pybind_function around what is bound.
// call: module.add_one_wrapped(A)
// gives: A + 1
// functions: none
// cpp_sources: 
#include <torch/extension.h>

__global__ void add_one_wrapped_kernel(const float* a, float* c) { c[threadIdx.x] = a[threadIdx.x] + 1; }

torch::Tensor add_one_wrapped(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_one_wrapped_kernel<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add_one_wrapped", torch::wrap_pybind_function(add_one_wrapped), "adds one");
}
