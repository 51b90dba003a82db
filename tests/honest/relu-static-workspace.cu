// A workspace in a static variable, which grows and is kept between calls.
// task: relu
#include <torch/extension.h>
#include <mutex>

__global__ void relu_kernel(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
}
__global__ void copy_kernel(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

static float* workspace(size_t n) {
    static float* memory = nullptr;
    static size_t capacity = 0;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    if (n > capacity) {
        if (memory) cudaFree(memory);
        TORCH_CHECK(cudaMalloc(&memory, n * sizeof(float)) == cudaSuccess);
        capacity = n;
    }
    return memory;
}

torch::Tensor relu(torch::Tensor A) {
    auto C = torch::empty_like(A);
    const int n = A.numel(), blocks = (n + 255) / 256;
    if (!n) return C;
    float* scratch = workspace(n);
    relu_kernel<<<blocks, 256>>>(A.data_ptr<float>(), scratch, n);
    copy_kernel<<<blocks, 256>>>(scratch, C.data_ptr<float>(), n);
    return C;
}
