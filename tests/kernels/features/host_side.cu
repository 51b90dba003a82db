// Streams, events, memory and limits, as a wrapper uses them.
#include <ATen/cuda/CUDAContext.h>

__global__ void increase(int* c, int by) { c[blockIdx.x * blockDim.x + threadIdx.x] += by; }
torch::Tensor host_side(torch::Tensor A) {
    int *device = nullptr, *other = nullptr;
    const size_t bytes = A.numel() * sizeof(int);
    std::vector<int> host(A.numel());
    cudaStream_t mine;
    cudaEvent_t start, stop;
    C10_CUDA_CHECK(cudaMalloc(&device, bytes));
    C10_CUDA_CHECK(cudaMalloc((void**)&other, bytes));
    C10_CUDA_CHECK(cudaStreamCreate(&mine));
    C10_CUDA_CHECK(cudaEventCreate(&start));
    C10_CUDA_CHECK(cudaEventCreate(&stop));
    const at::cuda::CUDAStream current = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaEventRecord(start, current));
    C10_CUDA_CHECK(cudaMemcpy(device, A.data_ptr<int>(), bytes, cudaMemcpyDeviceToDevice));
    C10_CUDA_CHECK(cudaMemsetAsync(other, 0, bytes, mine));
    increase<<<A.numel() / 10, 10, 0, current>>>(device, 1);
    increase<<<A.numel() / 10, 10, 0, mine>>>(other, 5);
    increase<<<dim3(1), dim3(1), 0, at::cuda::getCurrentCUDAStream().stream()>>>(device, 100);
    C10_CUDA_CHECK(cudaMemcpyAsync(host.data(), other, bytes, cudaMemcpyDeviceToHost, mine));
    C10_CUDA_CHECK(cudaStreamSynchronize(mine));
    C10_CUDA_CHECK(cudaEventRecord(stop));
    C10_CUDA_CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    TORCH_CHECK(milliseconds >= 0);
    auto C = torch::empty_like(A);
    C10_CUDA_CHECK(cudaMemcpy(C.data_ptr<int>(), device, bytes, cudaMemcpyDeviceToDevice));
    for (size_t i = 0; i < host.size(); ++i) TORCH_CHECK(host[i] == 5, "element ", i, " is ", host[i]);
    cudaEventDestroy(start), cudaEventDestroy(stop), cudaStreamDestroy(mine);
    C10_CUDA_CHECK(cudaFree(device));
    C10_CUDA_CHECK(cudaFree(other));
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    return C;
}

int64_t limit(torch::Tensor, const std::string& name) {
    int device = -1, value = 0;
    TORCH_CHECK(cudaGetDevice(&device) == cudaSuccess && device == 0);
    cudaDeviceProp properties;
    TORCH_CHECK(cudaGetDeviceProperties(&properties, device) == cudaSuccess);
    if (name == "threads") return properties.maxThreadsPerBlock;
    if (name == "warp") return properties.warpSize;
    TORCH_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
                cudaSuccess);
    return value;
}

__global__ void more_of_cuda(int* c, long2* v) {
    const long2 pair = make_long2(1, 2);
    *v = pair;
    c[threadIdx.x] = pair.x + pair.y;
    __nanosleep(10);
}

torch::Tensor more_of_the_host(torch::Tensor A) {
#ifndef __CUDACC__
#error this is CUDA
#endif
    c10::optional<int> threads = c10::nullopt;
    if (at::cuda::getCurrentDeviceProperties()->maxThreadsPerMultiProcessor > 1024) threads = 64;
    long2* pair;
    C10_CUDA_CHECK(cudaMallocHost(&pair, sizeof(long2)));
    C10_CUDA_CHECK(cudaFuncSetAttribute(more_of_cuda, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
    C10_CUDA_CHECK(cudaFuncSetCacheConfig(more_of_cuda, cudaFuncCachePreferShared));
    more_of_cuda<<<1, *threads>>>(A.data<int>(), pair);
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    TORCH_CHECK(pair->x == 1 && pair->y == 2);
    C10_CUDA_CHECK(cudaFreeHost(pair));
    return A;
}

std::string error_text(torch::Tensor, int64_t error) {
    return std::string(cudaGetErrorName(static_cast<cudaError_t>(error))) + ": " +
           cudaGetErrorString(static_cast<cudaError_t>(error));
}
