// The largest tile is used for every shape.
// task: fast_matmul_few_requests
// refused by: emulator, nvcc
// says: The kernels make .* requests to global memory, but .* are enough
#include <ATen/cuda/CUDAContext.h>
#include <cuda_pipeline.h>
#include <torch/extension.h>

constexpr int kDepth = 8;                // values of k in a step
constexpr int kStages = 3;               // tiles in shared memory: one in use, the others being copied
constexpr int kMineJ = 8;                // columns of C that a thread makes, in groups of kVector
constexpr int kLanesI = 4, kLanesJ = 8;  // threads of a warp along the rows and columns of C that it makes
constexpr int kVector = 4;               // floats in a float4
constexpr int kPad = 4;                  // floats after each row of Bs, against bank conflicts
constexpr int kRegisters = 65536;        // registers of a multiprocessor
constexpr int64_t kMaxGridY = 65535;     // the most blocks that a grid may have in y

constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }  // a / b, rounded up

// The float4 at this address, which must be a multiple of 16.
__device__ float4& four(float* place) { return *reinterpret_cast<float4*>(place); }
__device__ const float4& four(const float* place) { return *reinterpret_cast<const float4*>(place); }

// A block makes kTileI x kTileJ of C, a thread kMineI x kMineJ.
template <int kTileI, int kTileJ, int kMineI>
constexpr int kThreads = kTileI / kMineI * (kTileJ / kMineJ);
// The blocks that a multiprocessor should hold: a thread then has twice the registers that its sums need, or
// 255, the most that a thread can have.
template <int kTileI, int kTileJ, int kMineI>
constexpr int kBlocks = kRegisters / (2 * kMineI * kMineJ) / kThreads<kTileI, kTileJ, kMineI>;

// kWidth: the floats of A in one copy.
template <int kTileI, int kTileJ, int kMineI, int kWidth>
__global__ void __launch_bounds__(kThreads<kTileI, kTileJ, kMineI>, kBlocks<kTileI, kTileJ, kMineI>)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    constexpr int kAll = kThreads<kTileI, kTileJ, kMineI>;
    constexpr int kWarpsJ = kTileJ / (kLanesJ * kMineJ);  // warps side by side
    __shared__ __align__(16) float As[kStages][kDepth][kTileI];
    __shared__ __align__(16) float Bs[kStages][kDepth][kTileJ + kPad];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTileI;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTileJ;  // and its first column
    // Where the thread's first float4 of As and of Bs are. Lanes n and n ^ 2 load the same of As, n and n ^ 1
    // the same of Bs: such pairs are served together.
    const int i = warp / kWarpsJ * kLanesI * kMineI + (lane % 2 + lane / 16 * 2) * kVector;
    const int j = warp % kWarpsJ * kLanesJ * kMineJ + lane / 2 % kLanesJ * kVector;

    // What this thread copies in each step. Past the last row or column of C it copies the last one again:
    // the results are never stored, and the loop needs no guard.
    constexpr int kRowA = kTileI / kWidth;                     // copies per row of As
    constexpr int kAcrossA = kRowA > kAll ? kRowA / kAll : 1;  // copies of one thread per row
    constexpr int kStepA = kAll * kAcrossA / kRowA;            // rows that all threads copy at a time
    constexpr int kStepB = kAll / kDepth, kCopiesB = kTileJ / kStepB;
    const int k_A = t / kRowA, i_A = t % kRowA * kWidth, k_B = t % kDepth, j_B = t / kDepth;
    const float *from_A[kAcrossA], *from_B[kCopiesB];
#pragma unroll
    for (int n = 0; n < kAcrossA; ++n) {
        from_A[n] = A + k_A * M + min(i0 + i_A + n * kAll * kWidth, M - kWidth);
    }
#pragma unroll
    for (int n = 0; n < kCopiesB; ++n) {
        from_B[n] = B + min(j0 + j_B + n * kStepB, N - 1) * K + k_B;
    }
    const int64_t steps = K / kDepth;  // whole tiles of k
    const auto copy = [&](int64_t step, int slot) {
        if (step < steps) {
#pragma unroll
            for (int k = 0; k < kDepth; k += kStepA) {
#pragma unroll
                for (int n = 0; n < kAcrossA; ++n) {
                    const float* from = from_A[n] + (step * kDepth + k) * M;
                    float* const to = &As[slot][k_A + k][i_A + n * kAll * kWidth];
                    __pipeline_memcpy_async(to, from, kWidth * sizeof(float));
                }
            }
#pragma unroll
            for (int n = 0; n < kCopiesB; ++n) {
                const float* from = from_B[n] + step * kDepth;
                __pipeline_memcpy_async(&Bs[slot][k_B][j_B + n * kStepB], from, sizeof(float));
            }
        }
        __pipeline_commit();
    };

    float sum[kMineI][kMineJ] = {}, a[kMineI], b[kMineJ];
    const auto multiply_and_add = [&] {
        // The order of the sums matters: registers are in banks too (two on Volta, see Jia et al., 2018), and
        // the compiler assigns them by their use. Measured on an H200, this order was the faster for either
        // size.
        constexpr bool kByRows = kMineI > kMineJ;
#pragma unroll
        for (int n = 0; n < kMineI * kMineJ; ++n) {
            const int r = kByRows ? n / kMineJ : n % kMineI, c = kByRows ? n % kMineJ : n / kMineI;
            sum[r][c] += a[r] * b[c];
        }
    };
    for (int step = 0; step < kStages - 1; ++step) {
        copy(step, step);
    }
    int slot = 0, next = kStages - 1;
    for (int64_t step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kStages - 2);
        __syncthreads();
        copy(step + kStages - 1, next);
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
#pragma unroll
            for (int n = 0; n < kMineI; n += kVector) {
                four(&a[n]) = four(&As[slot][k][i + n * kLanesI]);
            }
#pragma unroll
            for (int n = 0; n < kMineJ; n += kVector) {
                four(&b[n]) = four(&Bs[slot][k][j + n * kLanesJ]);
            }
            multiply_and_add();
        }
        slot = slot + 1 == kStages ? 0 : slot + 1;
        next = next + 1 == kStages ? 0 : next + 1;
    }

    int64_t rows[kMineI], columns[kMineJ];  // of C that this thread makes
#pragma unroll
    for (int r = 0; r < kMineI; ++r) {
        rows[r] = i0 + i + r / kVector * kVector * kLanesI + r % kVector;
    }
#pragma unroll
    for (int c = 0; c < kMineJ; ++c) {
        columns[c] = j0 + j + c / kVector * kVector * kLanesJ + c % kVector;
    }
    // The last K % kDepth values of k are too few for a tile: each thread loads what it needs.
    for (int64_t k = steps * kDepth; k < K; ++k) {
#pragma unroll
        for (int r = 0; r < kMineI; ++r) {
            a[r] = A[k * M + min(rows[r], M - 1)];
        }
#pragma unroll
        for (int c = 0; c < kMineJ; ++c) {
            b[c] = B[min(columns[c], N - 1) * K + k];
        }
        multiply_and_add();
    }
    const bool in_fours = N % kVector == 0;  // if so, four columns are all inside C, or none is
#pragma unroll
    for (int r = 0; r < kMineI; ++r) {
#pragma unroll
        for (int c = 0; c < kMineJ; ++c) {
            if (rows[r] < M && columns[c] < N) {
                float* place = &C[rows[r] * N + columns[c]];
                if (!in_fours) {
                    *place = sum[r][c];
                } else if (c % kVector == 0) {
                    four(place) = four(&sum[r][c]);
                }
            }
        }
    }
}

template <int kTileI, int kTileJ, int kMineI>
void launch(const torch::Tensor& A, const torch::Tensor& B, torch::Tensor& C) {
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    const dim3 blocks(cdiv(N, kTileJ), cdiv(M, kTileI));
    TORCH_CHECK(blocks.y <= kMaxGridY, "C must have at most ", kMaxGridY * kTileI, " rows");
    const bool in_fours =
        M % kVector == 0 && reinterpret_cast<uintptr_t>(A.data_ptr<float>()) % sizeof(float4) == 0;
    const auto kernel =
        in_fours ? matmul_kernel<kTileI, kTileJ, kMineI, kVector> : matmul_kernel<kTileI, kTileJ, kMineI, 1>;
    kernel<<<blocks, kThreads<kTileI, kTileJ, kMineI>, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}

struct Tile {
    int64_t rows, columns, warps;
    void (*launch)(const torch::Tensor&, const torch::Tensor&, torch::Tensor&);
};
template <int kTileI, int kTileJ, int kMineI>
Tile tile() {
    return {kTileI, kTileJ, kThreads<kTileI, kTileJ, kMineI> / 32, launch<kTileI, kTileJ, kMineI>};
}
const Tile kTiles[] = {tile<128, 64, 16>(), tile<64, 64, 8>()};

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.dim() == 2 && B.dim() == 2, "A and B must be matrices");
    TORCH_CHECK(A.size(0) == B.size(1), "A has ", A.size(0), " rows but B has ", B.size(1), " columns");
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.scalar_type() == torch::kFloat32 && B.scalar_type() == torch::kFloat32,
                "A and B must be float32");
    TORCH_CHECK(A.is_contiguous() && B.is_contiguous(), "A and B must be contiguous");
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) {
        return C;
    }
    kTiles[0].launch(A, B, C);
    return C;
}
