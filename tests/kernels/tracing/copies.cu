// Results that the host copies from memory that a kernel wrote, or that no kernel wrote.
#include <torch/extension.h>

__global__ void twice(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = 2 * a[threadIdx.x];
}

float* temporary(torch::Tensor A) {
    float* memory = nullptr;
    TORCH_CHECK(cudaMalloc(&memory, A.numel() * sizeof(float)) == cudaSuccess);
    return memory;
}

torch::Tensor by_a_kernel(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = temporary(A);
    twice<<<1, 32>>>(A.data_ptr<float>(), memory, n);
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}

torch::Tensor through_two(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float *first = temporary(A), *second = temporary(A);
    twice<<<1, 32>>>(A.data_ptr<float>(), first, n);
    cudaMemcpyAsync(second, first, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(C.data_ptr<float>(), 8, second, 8, 8, A.nbytes() / 8, cudaMemcpyDeviceToDevice);
    cudaFree(first);
    cudaFree(second);
    return C;
}

torch::Tensor by_tensors(torch::Tensor A, int n) {
    auto wide = torch::empty_like(A), C = torch::empty({2, A.numel()}, A.options().dtype(torch::kDouble)).t();
    twice<<<1, 32>>>(A.data_ptr<float>(), wide.data_ptr<float>(), n);
    C.copy_(wide.unsqueeze(1));
    return C;
}

torch::Tensor by_the_host(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = temporary(A);
    cudaMemcpy(memory, A.data_ptr<float>(), A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}

torch::Tensor by_the_host_in_shared_memory(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = nullptr;
    TORCH_CHECK(cudaMallocManaged(&memory, A.nbytes()) == cudaSuccess);
    for (int i = 0; i < A.numel(); ++i) memory[i] = i;
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}
