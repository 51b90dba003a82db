// The maximum that a shuffle returns is converted to an integer.
// task: softmax
// refused by: emulator, nvcc
// says: makes max an integer: is a fraction cut off|invalid narrowing conversion from "int" to "float"
#include <algorithm>
#include <cfloat>

#include <course/checks.h>

constexpr int kWarp = 32;               // threads of a warp
constexpr int kMaxThreads = 1024;       // of a block: 32 warps, so that one warp can join all parts
constexpr unsigned kAll = 0xffffffffu;  // every lane of a warp

// What is known of some elements: the maximum, and the sum of exp(element - maximum).
struct Part {
    float max;
    float sum;
};

__device__ Part nothing() { return {-FLT_MAX, 0.0f}; }  // no element; not -inf, since -inf - -inf is NaN

__device__ Part joined(Part a, Part b) {
    const float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// The parts of a warp's lanes, joined; every lane gets the result.
__device__ Part warp_joined(Part part) {
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
        const int max = __shfl_xor_sync(kAll, part.max, offset);
        const float sum = __shfl_xor_sync(kAll, part.sum, offset);
        part = joined(part, {max, sum});
    }
    return part;
}

// The parts of a block's threads, joined; every thread gets the result.
__device__ Part block_joined(Part part) {
    __shared__ Part parts[kMaxThreads / kWarp];  // one part per warp
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
    part = warp_joined(part);
    if (lane == 0) {
        parts[warp] = part;
    }
    __syncthreads();  // waits for the parts of all warps
    return warp_joined(lane < warps ? parts[lane] : nothing());
}

// One block per row.
__global__ void softmax_kernel(const float* __restrict__ A, float* __restrict__ C, int64_t N) {
    const float* row = A + blockIdx.x * N;
    Part part = nothing();
#pragma unroll 4
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        part = joined(part, {row[j], 1.0f});
    }
    part = block_joined(part);
    for (int64_t j = threadIdx.x; j < N; j += blockDim.x) {
        C[blockIdx.x * N + j] = expf(row[j] - part.max) / part.sum;
    }
}

torch::Tensor softmax(torch::Tensor A) {
    course::check_inputs({{A, "A"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    if (A.numel() > 0) {
        const int64_t warps = (A.size(1) + kWarp - 1) / kWarp;  // one thread per element, in whole warps
        const int threads = std::min<int64_t>(warps * kWarp, kMaxThreads);
        softmax_kernel<<<A.size(0), threads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return C;
}
