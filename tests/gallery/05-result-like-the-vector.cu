// The result has the shape of the vector A instead of the shape of B.
// task: row_scaling_limit
// refused by: emulator
// hazards: bad-launch, out-of-bounds
// says: past the end of the new tensor of shape \(\d+,\): element
#include <course/checks.h>

constexpr int kThreads = 128;              // threads in a block
constexpr int kLoads = 2;                  // float4 that a thread has in flight
constexpr int kChunk = kLoads * kThreads;  // float4 of a row that a block takes

bool on_16_bytes(const float* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

// Each row has `fours` float4: block c of a row's `chunks` takes kChunk of them.
__global__ void chunk_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                             int64_t fours, unsigned chunks) {
    const unsigned row = blockIdx.x / chunks;
    const float4* B4 = reinterpret_cast<const float4*>(B) + row * fours;
    float4* C4 = reinterpret_cast<float4*>(C) + row * fours;
    const int64_t first = static_cast<int64_t>(blockIdx.x % chunks) * kChunk + threadIdx.x;
    float4 b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < fours) {
            b[k] = B4[i];
        }
    }
    const float a = A[row];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < fours) {
            C4[i] = make_float4(a * b[k].x, a * b[k].y, a * b[k].z, a * b[k].w);
        }
    }
}

torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({B, "B"}, 2);
    course::check_shape({A, "A"}, {B.size(0)});
    TORCH_CHECK(B.size(1) % 4 == 0, "B has rows of ", B.size(1), " elements, which is no multiple of 4");
    TORCH_CHECK(on_16_bytes(B.data_ptr<float>()), "B must start on a multiple of 16 bytes");
    const at::cuda::OptionalCUDAGuard guard(device_of(B));
    torch::Tensor C = torch::empty_like(A);
    if (C.numel() > 0) {
        const int64_t M = B.size(0), fours = B.size(1) / 4;
        const int64_t chunks = course::cdiv(fours, kChunk);
        chunk_kernel<<<M * chunks, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), fours, chunks);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return C;
}
