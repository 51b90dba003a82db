// Two streams, each for half of the elements, and an event between them.
// task: vector_add
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const int n = A.numel(), half = n / 2;
    cudaStream_t current = at::cuda::getCurrentCUDAStream(), streams[2];
    cudaEvent_t ready, done[2];
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventRecord(ready, current);
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
        cudaEventCreate(&done[s]);
        cudaStreamWaitEvent(streams[s], ready, 0);
        const int from = s ? half : 0, count = s ? n - half : half;
        if (count) {
            add_kernel<<<(count + 127) / 128, 128, 0, streams[s]>>>(
                A.data_ptr<float>() + from, B.data_ptr<float>() + from, C.data_ptr<float>() + from, count);
        }
        cudaEventRecord(done[s], streams[s]);
        cudaStreamWaitEvent(current, done[s], 0);
    }
    for (int s = 0; s < 2; ++s) {
        cudaStreamSynchronize(streams[s]);
        cudaEventDestroy(done[s]);
        cudaStreamDestroy(streams[s]);
    }
    cudaEventDestroy(ready);
    return C;
}
