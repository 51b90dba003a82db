// The first lanes have no lane before them, and add their own value again.
// task: cumsum_rows
// refused by: emulator
// says: get their own value: add only if lane >= step
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

__device__ float warp_scan(float x) {
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        float earlier = __shfl_up_sync(0xffffffff, x, step);
        x += earlier;
    }
    return x;
}

__global__ void scan_rows_kernel(const float* B, float* C, int64_t N) {
    __shared__ float sums[32];
    int t = threadIdx.x;
    float x = warp_scan(t < N ? B[blockIdx.x * N + t] : 0);
    if (t % 32 == 31) sums[t / 32] = x;
    __syncthreads();
    if (t < 32) sums[t] = warp_scan(sums[t]);
    __syncthreads();
    if (t >= 32) x += sums[t / 32 - 1];
    if (t < N) C[blockIdx.x * N + t] = x;
}

torch::Tensor scan_rows(torch::Tensor B) {
    TORCH_CHECK(B.is_cuda() && B.is_contiguous() && B.scalar_type() == torch::kFloat32, "B must be float32, contiguous, on the GPU");
    auto C = torch::empty_like(B);
    if (B.numel() == 0) return C;
    scan_rows_kernel<<<B.size(0), 1024>>>(B.data_ptr<float>(), C.data_ptr<float>(), B.size(1));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
