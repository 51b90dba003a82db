// The row in dynamic shared memory, with cudaFuncSetAttribute where it is more than 48 KB; else from global memory.
// task: softmax
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__device__ float reduce(float x, bool maximum) {
    __shared__ float parts[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, warps = blockDim.x / warpSize;
    for (int d = warpSize / 2; d > 0; d /= 2) {
        const float o = __shfl_down_sync(~0u, x, d);
        x = maximum ? fmaxf(x, o) : x + o;
    }
    __syncthreads();
    if (lane == 0) parts[warp] = x;
    __syncthreads();
    x = parts[0];
    for (int w = 1; w < warps; ++w) x = maximum ? fmaxf(x, parts[w]) : x + parts[w];
    return x;
}

__global__ void softmax_kernel(const float* A, float* C, int N, bool cached) {
    extern __shared__ float row[];
    const float* a = A + blockIdx.x * size_t(N);
    float* c = C + blockIdx.x * size_t(N);
    float m = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        const float x = a[j];
        if (cached) row[j] = x;
        m = fmaxf(m, x);
    }
    m = reduce(m, true);
    for (int j = threadIdx.x; j < N; j += blockDim.x) sum += expf((cached ? row[j] : a[j]) - m);
    sum = reduce(sum, false);
    for (int j = threadIdx.x; j < N; j += blockDim.x) c[j] = expf((cached ? row[j] : a[j]) - m) / sum;
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.scalar_type() == torch::kFloat32 && A.is_contiguous() && A.dim() == 2);
    auto C = torch::empty_like(A);
    if (!A.numel()) return C;
    const int M = A.size(0), N = A.size(1);
    int most = 0;
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    const size_t bytes = N * sizeof(float);
    const bool cached = bytes + 1024 <= size_t(most);
    C10_CUDA_CHECK(cudaFuncSetAttribute(softmax_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most - 1024));
    softmax_kernel<<<M, 96, cached ? bytes : 0>>>(A.data_ptr<float>(), C.data_ptr<float>(), N, cached);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
