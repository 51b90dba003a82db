// Registers 1 and 2 of a are exchanged: the second has the next columns, not the next rows.
// task: linear_bfloat16
// refused by: emulator, nvcc
// says: a\[1\] and a\[2\] are exchanged: a\[1\] belongs to row g \+ 8
#include <course/checks.h>
#include <course/mma.h>

constexpr int kM = 16, kN = 8, kK = 16;  // of one mma: (16 x 8) += (16 x 16) (16 x 8)
constexpr int kLanes = 32;
constexpr int64_t kMaxGridY = 65535;  // blocks that a grid may have in y

// Two neighbouring elements as the 32 bits of a register. Their address must be a multiple of 4.
__device__ uint32_t pair(const at::BFloat16* place) { return *reinterpret_cast<const uint32_t*>(place); }

// A block is one warp, which makes 16 x 8 elements of C.
__global__ void __launch_bounds__(kLanes)
    linear_kernel(const at::BFloat16* __restrict__ X, const at::BFloat16* __restrict__ W, float* __restrict__ C,
                  int64_t N, int64_t K) {
    const int g = threadIdx.x / 4, h = threadIdx.x % 4;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kM;  // first row of the warp's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kN;  // and its first column
    float d[4] = {};
    for (int64_t k0 = 0; k0 < K; k0 += kK) {
        uint32_t a[4] = {}, b[2] = {};
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            a[n] = pair(&X[(i0 + g + n / 2 * 8) * K + k0 + 2 * h + n % 2 * 8]);
        }
#pragma unroll
        for (int n = 0; n < 2; ++n) {
            b[n] = pair(&W[(j0 + g) * K + k0 + 2 * h + n * 8]);
        }
        course::mma_bfloat16(d, a, b, d);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        C[(i0 + g + n / 2 * 8) * N + j0 + 2 * h + n % 2] = d[n];
    }
}

torch::Tensor linear(torch::Tensor X, torch::Tensor W) {
    course::check_inputs({{X, "X"}, {W, "W"}}, torch::kBFloat16);
    course::check_dim({X, "X"}, 2);
    course::check_shape({W, "W"}, {W.size(0), X.size(1)});
    const at::cuda::OptionalCUDAGuard guard(device_of(X));
    const int64_t M = X.size(0), N = W.size(0), K = X.size(1);
    TORCH_CHECK(M % kM == 0 && N % kN == 0 && K % kK == 0, "M and K must be multiples of ", kM, ", and N of ", kN);
    TORCH_CHECK(reinterpret_cast<uintptr_t>(X.data_ptr<at::BFloat16>()) % sizeof(uint32_t) == 0 &&
                    reinterpret_cast<uintptr_t>(W.data_ptr<at::BFloat16>()) % sizeof(uint32_t) == 0,
                "X and W must begin at a multiple of 4 bytes");
    torch::Tensor C = torch::empty({M, N}, X.options().dtype(torch::kFloat32));
    if (C.numel() == 0) {
        return C;
    }
    const dim3 blocks(N / kN, M / kM);
    TORCH_CHECK(blocks.y <= kMaxGridY, "X must have at most ", kMaxGridY * kM, " rows");
    linear_kernel<<<blocks, kLanes, 0, at::cuda::getCurrentCUDAStream()>>>(
        X.data_ptr<at::BFloat16>(), W.data_ptr<at::BFloat16>(), C.data_ptr<float>(), N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
