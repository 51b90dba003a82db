// The maximum of four elements that are all -infinity is -infinity, so their sum is NaN.
// task: softmax_repaired
// refused by: emulator, nvcc
// says: NaN spreads to elements that should not be NaN: .*infinity minus infinity is NaN
#include <cfloat>

#include <course/checks.h>

constexpr int kWarp = 32;               // threads in a warp
constexpr unsigned kAll = 0xffffffffu;  // every lane of a warp
constexpr int kLine = 128;              // bytes: each row starts on a multiple of these
constexpr int kThreads = 512;           // threads in a block, at most 1024: your choice

__device__ float largest(float4 a) { return fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)); }
__device__ float4 exp_below(float4 a, float max) {
    return make_float4(expf(a.x - max), expf(a.y - max), expf(a.z - max), expf(a.w - max));
}

// A summary of some elements: the maximum, and the sum of exp(element - maximum).
struct Part {
    float max;
    float sum;
};

__device__ Part nothing() { return {-FLT_MAX, 0.0f}; }  // the part of no elements; not -inf, because -inf - -inf is NaN

__device__ Part joined(Part a, Part b) {
    const float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

// Joins the parts of a warp's lanes. Every lane gets the result.
__device__ Part warp_joined(Part part) {
    for (int offset = kWarp / 2; offset > 0; offset /= 2) {
        const float max = __shfl_xor_sync(kAll, part.max, offset);
        const float sum = __shfl_xor_sync(kAll, part.sum, offset);
        part = joined(part, {max, sum});
    }
    return part;
}

// Joins the parts of a block's threads. Every thread gets the result.
__device__ Part block_joined(Part part) {
    __shared__ Part parts[kWarp];  // one per warp
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
    Part part = nothing();
    const float4* row = reinterpret_cast<const float4*>(A + blockIdx.x * N);
    float4* out = reinterpret_cast<float4*>(C + blockIdx.x * N);
#pragma unroll 2
    for (int64_t i = threadIdx.x; i < N / 4; i += kThreads) {
        const float4 a = row[i];
        const float max = largest(a);
        const float4 e = exp_below(a, max);
        part = joined(part, {max, e.x + e.y + (e.z + e.w)});
    }
    part = block_joined(part);
    for (int64_t i = threadIdx.x; i < N / 4; i += kThreads) {
        const float4 e = exp_below(row[i], part.max);
        out[i] = make_float4(e.x / part.sum, e.y / part.sum, e.z / part.sum, e.w / part.sum);
    }
}

torch::Tensor softmax(torch::Tensor A) {
    course::check_inputs({{A, "A"}}, torch::kFloat32);
    course::check_dim({A, "A"}, 2);
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    const int64_t M = A.size(0), N = A.size(1);
    const auto address = reinterpret_cast<uintptr_t>(A.data_ptr<float>());
    TORCH_CHECK((N * sizeof(float) | address) % kLine == 0, "rows must start on a multiple of ", kLine, " bytes");
    if (A.numel() > 0) {
        const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
        softmax_kernel<<<M, kThreads, 0, stream>>>(A.data_ptr<float>(), C.data_ptr<float>(), N);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return C;
}
