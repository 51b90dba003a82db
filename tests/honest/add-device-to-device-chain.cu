// Results pass through two temporaries of cudaMalloc before they are copied into the output.
// task: vector_add
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::zeros_like(A);
    int n = A.numel();
    if (n == 0) return C;
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_c, *d_copy;
    C10_CUDA_CHECK(cudaMalloc((void**)&d_a, bytes));
    C10_CUDA_CHECK(cudaMalloc((void**)&d_b, bytes));
    C10_CUDA_CHECK(cudaMalloc((void**)&d_c, bytes));
    C10_CUDA_CHECK(cudaMalloc((void**)&d_copy, bytes));
    C10_CUDA_CHECK(cudaMemcpy(d_a, A.data_ptr<float>(), bytes, cudaMemcpyDeviceToDevice));
    C10_CUDA_CHECK(cudaMemcpy(d_b, B.data_ptr<float>(), bytes, cudaMemcpyDeviceToDevice));
    add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
    C10_CUDA_CHECK(cudaMemcpy(d_copy, d_c, bytes, cudaMemcpyDeviceToDevice));
    C10_CUDA_CHECK(cudaMemcpy(C.data_ptr<float>(), d_copy, bytes, cudaMemcpyDefault));
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    cudaFree(d_copy);
    return C;
}
