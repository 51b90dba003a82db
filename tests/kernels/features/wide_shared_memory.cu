// More than 48 KB of dynamic shared memory.
#include <ATen/cuda/CUDAContext.h>

__global__ void opened(float* c, int n) {
    extern __shared__ float wide[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) wide[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = wide[n - 1 - i];
}

template <typename T>
__global__ void opened_template(T* c, int n) {
    extern __shared__ double wide_template[];
    T* wide = reinterpret_cast<T*>(wide_template);
    for (int i = threadIdx.x; i < n; i += blockDim.x) wide[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = wide[n - 1 - i];
}

torch::Tensor wide_shared(int64_t n) {
    auto C = torch::empty({n}, torch::device(torch::kCUDA));
    const int bytes = n * sizeof(float);
    AT_CUDA_CHECK(cudaFuncSetAttribute(opened, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    opened<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    return C;
}

torch::Tensor wide_shared_template(int64_t n) {
    auto C = torch::empty({n}, torch::device(torch::kCUDA));
    const int bytes = n * sizeof(float);
    AT_CUDA_CHECK(
        cudaFuncSetAttribute(opened_template<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    opened_template<float><<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    opened_template<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    void (*kernel)(float*, int) = opened_template<float>;
    kernel<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
