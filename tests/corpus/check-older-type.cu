// type(), with which older wrappers check where a tensor is. AT_ASSERTM's message names the file, which differs.
// call: sum_of_older(A)
// gives: A.sum(1)
// call: sum_of_older(host(A))
// raises: RuntimeError: 
// call: sum_of_older(A.double())
// raises: RuntimeError: 
#include <torch/extension.h>

#define CHECK_OLDER(x) AT_ASSERTM(x.type().is_cuda(), #x " must be a CUDA tensor")

__global__ void sum_of_older_kernel(const float* A, float* C, int columns) {
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += A[threadIdx.x * columns + j];
    C[threadIdx.x] = sum;
}

torch::Tensor sum_of_older(torch::Tensor A) {
    CHECK_OLDER(A);
    AT_ASSERTM(A.type().scalarType() == at::ScalarType::Float, "expected float");
    auto options = torch::TensorOptions().dtype(torch::kFloat32).layout(torch::kStrided).device(torch::kCUDA, A.device().index());
    auto C = torch::empty({A.size(0)}, options.requires_grad(false));
    TORCH_CHECK(A.layout() == C.layout() && A.layout() == at::kStrided);
    sum_of_older_kernel<<<1, A.size(0)>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
    return C;
}
