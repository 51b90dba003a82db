// The loop over a thread's loads begins at 1 instead of 0.
// task: scaled_relu
// refused by: emulator, nvcc
// says: begins at 1, and a loop of the same length in line
#include <course/checks.h>

constexpr int kThreads = 128;              // threads in a block
constexpr int kLoads = 2;                  // float4 that a thread loads before it stores
constexpr int kChunk = kLoads * kThreads;  // float4 of a row that a block takes

__device__ float relu(float x) { return x < 0.0f ? 0.0f : x; }  // keeps NaN

bool on_16_bytes(const float* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

// For rows that do not all start on 16 bytes: one element per thread.
__global__ void fused_scalar_kernel(const float* __restrict__ A, const float* __restrict__ B, float s,
                                    float* __restrict__ C, int64_t count, int64_t N) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;  // element
    if (e < count) {
        C[e] = relu(A[e / N] * s * B[e]);
    }
}

// For rows that do, of `fours` float4 each: block c of a row's `chunks` takes kChunk of them.
__global__ void fused_kernel(const float* __restrict__ A, const float* __restrict__ B, float s,
                             float* __restrict__ C, int64_t fours, unsigned chunks) {
    const unsigned row = blockIdx.x / chunks;
    const float4* B4 = reinterpret_cast<const float4*>(B) + row * fours;
    float4* C4 = reinterpret_cast<float4*>(C) + row * fours;
    float4 b[kLoads];
    const int64_t first = static_cast<int64_t>(blockIdx.x % chunks) * kChunk + threadIdx.x;
#pragma unroll
    for (int k = 1; k < kLoads; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < fours) {
            b[k] = B4[i];
        }
    }
    const float scale = A[row] * s;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        const int64_t i = first + k * kThreads;
        if (i < fours) {
            C4[i] = make_float4(relu(scale * b[k].x), relu(scale * b[k].y), relu(scale * b[k].z),
                                relu(scale * b[k].w));
        }
    }
}

torch::Tensor scaled_relu(torch::Tensor A, torch::Tensor B, double s) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({B, "B"}, 2);
    course::check_shape({A, "A"}, {B.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(B));
    torch::Tensor C = torch::empty_like(B);
    const int64_t M = B.size(0), N = B.size(1);
    if (M * N == 0) {
        return C;
    }
    const float* a = A.data_ptr<float>();
    const float* b = B.data_ptr<float>();
    float* c = C.data_ptr<float>();
    const float factor = static_cast<float>(s);
    const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    if (N % 4 == 0 && on_16_bytes(b) && on_16_bytes(c)) {
        const int64_t chunks = course::cdiv(N / 4, kChunk);
        fused_kernel<<<M * chunks, kThreads, 0, stream>>>(a, b, factor, c, N / 4, chunks);
    } else {
        const int64_t blocks = course::cdiv(M * N, kThreads);
        fused_scalar_kernel<<<blocks, kThreads, 0, stream>>>(a, b, factor, c, M * N, N);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
