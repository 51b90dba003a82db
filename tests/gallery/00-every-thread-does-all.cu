// Every thread loops over all elements.
// task: vector_add_by_element
// refused by: emulator, nvcc
// says: Each of 1,280 threads did all the work: element 0 of C was stored 1,280 times\. Remove the loop over all elements
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
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
