// A.T @ B.T in single precision by tensor cores: three products in TF32, by `mma.sync`. Notebook 09 loads
// this file. A GPU needs compute capability 8.0 or more.
#include <course/mma.h>
#include <course/three_products.h>

constexpr int kTileI = 128, kTileJ = 64;  // rows and columns of C that a block makes
constexpr int kDepth = 32;                // values of k in a step
constexpr int kStages = 2;                // tiles in shared memory: one in use, the others being copied
constexpr int kRows = 64, kColumns = 32;  // of C that a warp makes
constexpr int kThreads = 32 * (kTileI / kRows) * (kTileJ / kColumns);
constexpr int kBlocks = 2;                                    // blocks that a multiprocessor should hold
constexpr int kM = 16, kN = 8, kK = 8;                        // of one mma: (16 x 8) += (16 x 8) (8 x 8)
constexpr int kTilesI = kRows / kM, kTilesJ = kColumns / kN;  // mma tiles of a warp, down and across
constexpr int kVector = 4;                                    // floats in a float4
// Half a warp loads its float2s at a time: 16 pairs, with four values of h and four of g. In As a pair is in
// row 2 h, at 2 g. In Bs it is in row g, at 2 h. With rows of these lengths, the next h in As, and the next g
// in Bs, is 8 banks further, so the pairs are in 32 different banks. And rows begin on multiples of 16 bytes.
constexpr int kRowA = kTileI + 4, kRowB = kDepth + 8;
constexpr int kStageA = kDepth * kRowA, kStageB = kTileJ * kRowB;
constexpr int kSharedBytes = kStages * (kStageA + kStageB) * sizeof(float);

__global__ void __launch_bounds__(kThreads, kBlocks)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    extern __shared__ __align__(16) float shared[];
    float* const As = shared;                      // As[slot][k][i]
    float* const Bs = shared + kStages * kStageA;  // Bs[slot][j][k], as in B: an mma takes it by columns
    const int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, h = t % 4;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTileI;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTileJ;  // and its first column
    const int i = warp / (kTileJ / kColumns) * kRows;              // first row of the warp's part of the tile
    const int j = warp % (kTileJ / kColumns) * kColumns;           // and its first column
    const int64_t steps = K / kDepth;

    // Past the last row or column of C, the last one is copied again.
    constexpr int kStepA = kThreads / (kTileI / kVector), kStepB = kThreads / (kDepth / kVector);
    const int k_A = t / (kTileI / kVector), i_A = t % (kTileI / kVector) * kVector;
    const int j_B = t / (kDepth / kVector), k_B = t % (kDepth / kVector) * kVector;
    const float* from_A = A + k_A * M + min(i0 + i_A, M - kVector);
    const float* from_B[kTileJ / kStepB];
#pragma unroll
    for (int n = 0; n < kTileJ / kStepB; ++n) {
        from_B[n] = B + min(j0 + j_B + n * kStepB, N - 1) * K + k_B;
    }
    const auto copy = [&](int64_t step, int slot) {
        if (step < steps) {
            float* const to_A = &As[slot * kStageA + k_A * kRowA + i_A];
            float* const to_B = &Bs[slot * kStageB + j_B * kRowB + k_B];
#pragma unroll
            for (int n = 0; n < kDepth / kStepA; ++n) {
                const float* from = from_A + (step * kDepth + n * kStepA) * M;
                __pipeline_memcpy_async(to_A + n * kStepA * kRowA, from, sizeof(float4));
            }
#pragma unroll
            for (int n = 0; n < kTileJ / kStepB; ++n) {
                __pipeline_memcpy_async(to_B + n * kStepB * kRowB, from_B[n] + step * kDepth, sizeof(float4));
            }
        }
        __pipeline_commit();
    };

    // An mma may use any k for its h and h + 4 if a and b agree, and any rows for its g and g + 8. Here these
    // are 2 h and 2 h + 1, and 2 g and 2 g + 1. They are neighbours, so one float2 loads them.
    float a[2][kTilesI][4], b[2][kTilesJ][2];  // the values in use, and the next ones
    const auto load = [&](int to, int slot, int k) {
#pragma unroll
        for (int n = 0; n < kTilesI * 2; ++n) {
            const int row = k + 2 * h + n % 2, column = i + n / 2 * kM + 2 * g;
            const float2 pair = *reinterpret_cast<const float2*>(&As[slot * kStageA + row * kRowA + column]);
            a[to][n / 2][n % 2 * 2] = pair.x;
            a[to][n / 2][n % 2 * 2 + 1] = pair.y;
        }
#pragma unroll
        for (int n = 0; n < kTilesJ; ++n) {
            const int row = j + n * kN + g, column = k + 2 * h;
            const float2 pair = *reinterpret_cast<const float2*>(&Bs[slot * kStageB + row * kRowB + column]);
            b[to][n][0] = pair.x;
            b[to][n][1] = pair.y;
        }
    };

    float sum[kTilesI][kTilesJ][4] = {};
    for (int step = 0; step < kStages - 1; ++step) {
        copy(step, step);
    }
    for (int64_t step = steps; step < kStages; ++step) {
        copy(0, static_cast<int>(step));  // the loads ahead read one slot past the last step
    }
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    int slot = 0;
    load(0, slot, 0);
    for (int64_t step = 0; step < steps; ++step) {
        // This overwrites the previous step's tiles, which all threads used before the barrier.
        copy(step + kStages - 1, slot == 0 ? kStages - 1 : slot - 1);
        // Tensor cores do not round to nearest when they add. So they add up one step, and float32 units add
        // up the steps.
        float part[kTilesI][kTilesJ][4] = {};
        const auto multiply = [&](const uint32_t(&a)[kTilesI][4], const uint32_t(&b)[kTilesJ][2]) {
#pragma unroll
            for (int n = 0; n < kTilesI * kTilesJ; ++n) {
                float(&d)[4] = part[n / kTilesJ][n % kTilesJ];
                course::mma_tf32(d, a[n / kTilesJ], b[n % kTilesJ], d);
            }
        };
#pragma unroll
        for (int k = 0; k < kDepth; k += kK) {
            const int now = k / kK % 2, next = 1 - now;
            if (k + kK == kDepth) {
                // This step's last values are in registers. The next loads read the next step's tiles, which
                // must have arrived. After the last step these values are not used.
                slot = slot + 1 == kStages ? 0 : slot + 1;
                __pipeline_wait_prior(kStages - 2);
                __syncthreads();
            }
            load(next, slot, (k + kK) % kDepth);  // they arrive while the tensor cores use the current ones
            uint32_t big_a[kTilesI][4], small_a[kTilesI][4], big_b[kTilesJ][2], small_b[kTilesJ][2];
#pragma unroll
            for (int n = 0; n < kTilesJ * 2; ++n) {
                course::split(b[now][n / 2][n % 2], big_b[n / 2][n % 2], small_b[n / 2][n % 2]);
            }
#pragma unroll
            for (int n = 0; n < kTilesI * 4; ++n) {
                course::split(a[now][n / 4][n % 4], big_a[n / 4][n % 4], small_a[n / 4][n % 4]);
            }
            // The mma instructions of one call do not wait for one another. The smallest products come first.
            multiply(small_a, big_b);
            multiply(big_a, small_b);
            multiply(big_a, big_b);
        }
#pragma unroll
        for (int n = 0; n < kTilesI * kTilesJ * 4; ++n) {
            sum[n / 4 / kTilesJ][n / 4 % kTilesJ][n % 4] += part[n / 4 / kTilesJ][n / 4 % kTilesJ][n % 4];
        }
    }
#pragma unroll
    for (int n = 0; n < kTilesI * kTilesJ * 2; ++n) {
        const int r = n / 2 / kTilesJ, c = n / 2 % kTilesJ, half = n % 2;
        const int64_t row = i0 + i + r * kM + 2 * g + half, column = j0 + j + c * kN + 2 * h;
        if (row < M && column < N) {
            *reinterpret_cast<float2*>(&C[row * N + column]) =
                make_float2(sum[r][c][2 * half], sum[r][c][2 * half + 1]);
        }
    }
}

torch::Tensor three_products(torch::Tensor A, torch::Tensor B) {
    return course::three_products(A, B, kTileI, kTileJ, kDepth, [&](torch::Tensor& C, dim3 blocks) {
        // A block gets more than 48 KB of shared memory only on request.
        cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
        matmul_kernel<<<blocks, kThreads, kSharedBytes, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.size(1), B.size(0), A.size(0));
    });
}
