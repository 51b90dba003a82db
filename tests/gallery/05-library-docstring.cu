// m.def of TORCH_LIBRARY is given a docstring, which only m.def of PYBIND11_MODULE accepts.
// task: relu
// refused by: emulator, nvcc
// says: m.def of TORCH_LIBRARY takes a name or a schema, then the function
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void relu_kernel(const float* A, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] < 0.0f ? 0.0f : A[i];
    }
}

torch::Tensor relu_forward(torch::Tensor A) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    relu_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}

TORCH_LIBRARY(relu_ops, m) {
    m.def("relu", &relu_forward, "ReLU of a float32 tensor");
}
