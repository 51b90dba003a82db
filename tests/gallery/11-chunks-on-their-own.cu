// Kernel 3 does not add the sum of the chunks before its own.
// task: cumsum
// refused by: emulator, nvcc
// says: Each 1024 elements are scanned on their own: the sum of all elements before them must be added
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float block_scan(float x) {
    __shared__ float sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        float earlier = __shfl_up_sync(0xffffffff, x, step);
        if (lane >= step) x += earlier;
    }
    if (lane == 31) sums[warp] = x;
    __syncthreads();
    float before = 0;
    for (int w = 0; w < warp; ++w) before += sums[w];
    __syncthreads();
    return before + x;
}

__global__ void sum_kernel(const float* A, float* sums, int64_t N, int64_t chunk) {
    int64_t first = blockIdx.x * chunk, last = min(first + chunk, N);
    float x = 0;
    for (int64_t i = first + threadIdx.x; i < last; i += 1024) x += A[i];
    x = block_scan(x);
    if (threadIdx.x == 1023) sums[blockIdx.x] = x;
}

__global__ void scan_sums_kernel(const float* sums, float* before, int blocks) {
    int b = threadIdx.x;
    float sum = block_scan(b > 0 && b < blocks ? sums[b - 1] : 0);
    if (b < blocks) before[b] = sum;
}

__global__ void scan_kernel(const float* A, const float* before, float* C, int64_t N, int64_t chunk) {
    __shared__ float total;
    int64_t first = blockIdx.x * chunk, last = min(first + chunk, N);
    float sum = 0;
    for (int64_t start = first; start < last; start += 1024) {
        int64_t i = start + threadIdx.x;
        float scanned = sum + block_scan(i < last ? A[i] : 0);
        if (i < last) C[i] = scanned;
        if (threadIdx.x == 1023) total = scanned;
        __syncthreads();
        sum = total;
    }
}

torch::Tensor cumsum(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.is_contiguous() && A.scalar_type() == torch::kFloat32, "A must be float32, contiguous, on the GPU");
    auto C = torch::empty_like(A);
    int64_t N = A.numel(), chunk = (N + 1024 * 1024 - 1) / (1024 * 1024) * 1024;
    if (N == 0) return C;
    int64_t blocks = (N + chunk - 1) / chunk;
    auto sums = torch::empty({blocks}, A.options()), before = torch::empty({blocks}, A.options());
    sum_kernel<<<blocks, 1024>>>(A.data_ptr<float>(), sums.data_ptr<float>(), N, chunk);
    scan_sums_kernel<<<1, 1024>>>(sums.data_ptr<float>(), before.data_ptr<float>(), blocks);
    scan_kernel<<<blocks, 1024>>>(A.data_ptr<float>(), before.data_ptr<float>(), C.data_ptr<float>(), N, chunk);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
