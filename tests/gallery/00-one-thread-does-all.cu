// One thread loops over all elements, like a loop in Python.
// task: vector_add_by_element
// refused by: emulator, nvcc
// says: One thread did all the work: it stored all 1,025 elements, one after the other
// first attempt: 00 vector add, yes
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    for (int i = 0; i < N; i++) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<1, 1>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
