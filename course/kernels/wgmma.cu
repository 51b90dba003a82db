// A.T @ B.T in single precision by tensor cores: three products in TF32, by `wgmma`. Notebook 09 loads this
// file. It needs a GPU of compute capability 9.0, and code for `sm_90a`.
#include <course/three_products.h>

constexpr int kTile = 128;   // rows and columns of C that a block makes
constexpr int kDepth = 32;   // values of k in a step: a row of B's tile has the 128 bytes of the swizzle
constexpr int kStages = 2;   // tiles in shared memory: one in use, one being copied
constexpr int kGroup = 128;  // threads of a warpgroup, which makes kRows x kTile of C
constexpr int kRows = 64, kK = 8;  // of one wgmma: (64 x 128) += (64 x 8) (8 x 128)
constexpr int kThreads = kGroup * (kTile / kRows);
constexpr int kSums = kRows * kTile / kGroup;  // sums of a thread
constexpr int kVector = 4;                     // floats in a float4
constexpr int kRowA = kTile + 8;               // so that the lanes of a warp load from 32 different banks
constexpr int kStageA = kDepth * kRowA, kTileB = kTile * kDepth;
constexpr int kSharedBytes = kStages * (2 * kTileB + kStageA) * sizeof(float);

// The place in a tile of B of row j's float4 with k = 4 n. The order of a row's eight float4 depends on j, so
// that neither stores along k nor loads along j have bank conflicts. It is the 128-byte swizzle of wgmma.
__device__ int swizzled(int j, int n) { return j * kDepth + (n ^ j % 8) * kVector; }

// Describes a tile of B in shared memory to wgmma: its address, the 1024 bytes from 8 rows to the next 8, and
// the swizzle.
__device__ uint64_t descriptor(const float* tile) {
    const uint64_t address = __cvta_generic_to_shared(tile);
    return (address & 0x3FFFF) >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

// Instructions that only sm_90a has. A build may also be for another GPU, where this kernel does not run.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define PTX(...) asm volatile(__VA_ARGS__)
#else
#define PTX(...)
#endif

#define FOUR(n) "+f"(d[n]), "+f"(d[n + 1]), "+f"(d[n + 2]), "+f"(d[n + 3])
#define SIXTEEN(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)

// Starts d = a b + d, or d = a b if `first`, for a whole warpgroup. `finish` waits for it. Each warp has 16
// rows of a and d. In these rows, a lane has the same parts of a, and of 8 columns of d, as in mma.m16n8k8.
__device__ void multiply(float (&d)[kSums], const uint32_t (&a)[4], uint64_t b, bool first) {
    PTX("{.reg .pred p; setp.eq.s32 p, %69, 0; "
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
        "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
        "%59, %60, %61, %62, %63}, "
        "{%64, %65, %66, %67}, %68, p, 1, 1;}"
        : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(first)));
}

// Needed before the first wgmma, so that it finds this thread's values in registers and in shared memory.
__device__ void begin() { PTX("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void stored() { PTX("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void commit() { PTX("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void finish(float (&d)[kSums]) {
    PTX("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int n = 0; n < kSums; ++n) {
        asm volatile("" : "+f"(d[n])::"memory");  // so that d is not read earlier
    }
}

__global__ void __launch_bounds__(kThreads, 1)
    matmul_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int64_t M,
                  int64_t N, int64_t K) {
    extern __shared__ __align__(1024) float shared[];  // the swizzle repeats every 1024 bytes
    float* const big_B = shared;                       // big_B[slot][j][k], swizzled
    float* const small_B = big_B + kStages * kTileB;
    float* const As = small_B + kStages * kTileB;  // As[slot][k][i]
    const int t = threadIdx.x, warp = t / 32, g = t % 32 / 4, h = t % 4;
    const int64_t i0 = static_cast<int64_t>(blockIdx.y) * kTile;  // first row of the block's tile of C
    const int64_t j0 = static_cast<int64_t>(blockIdx.x) * kTile;  // and its first column
    const int i = warp * 16 + g;  // the thread's first row in the tile; the other is i + 8
    const int64_t steps = K / kDepth;

    // Past the last row or column of C, the last one is copied again.
    constexpr int kStepA = kThreads / (kTile / kVector), kStepB = kThreads / (kDepth / kVector);
    constexpr int kLoadsB = kTile / kStepB;
    const int k_A = t / (kTile / kVector), i_A = t % (kTile / kVector) * kVector;
    const int j_B = t / (kDepth / kVector), n_B = t % (kDepth / kVector);
    const float* from_A = A + k_A * M + min(i0 + i_A, M - kVector);
    const float* from_B[kLoadsB];
#pragma unroll
    for (int n = 0; n < kLoadsB; ++n) {
        from_B[n] = B + min(j0 + j_B + n * kStepB, N - 1) * K + n_B * kVector;
    }
    float4 loaded[kLoadsB];
    // Starts to fetch a step's tiles: A by asynchronous copies, and B through registers,
    // where it is split in two.
    const auto fetch = [&](int64_t step, int slot) {
#pragma unroll
        for (int n = 0; n < kDepth / kStepA; ++n) {
            __pipeline_memcpy_async(&As[slot * kStageA + (k_A + n * kStepA) * kRowA + i_A],
                                    from_A + (step * kDepth + n * kStepA) * M, sizeof(float4));
        }
        __pipeline_commit();
#pragma unroll
        for (int n = 0; n < kLoadsB; ++n) {
            loaded[n] = *reinterpret_cast<const float4*>(from_B[n] + step * kDepth);
        }
    };
    const auto store_B = [&](int slot) {
#pragma unroll
        for (int n = 0; n < kLoadsB; ++n) {
            uint4 big, small;
            course::split(loaded[n].x, big.x, small.x);
            course::split(loaded[n].y, big.y, small.y);
            course::split(loaded[n].z, big.z, small.z);
            course::split(loaded[n].w, big.w, small.w);
            const int place = slot * kTileB + swizzled(j_B + n * kStepB, n_B);
            *reinterpret_cast<uint4*>(&big_B[place]) = big;
            *reinterpret_cast<uint4*>(&small_B[place]) = small;
        }
        stored();
    };

    float sum[kSums] = {}, part[kSums];
    fetch(0, 0);
    store_B(0);
    for (int64_t step = 0; step < steps; ++step) {
        const int slot = step % kStages;
        __pipeline_wait_prior(0);
        __syncthreads();  // this step's tiles have arrived, and all threads have used the previous tiles
        if (step + 1 < steps) {
            fetch(step + 1, 1 - slot);
        }
        uint32_t big_a[kDepth / kK][4], small_a[kDepth / kK][4];
#pragma unroll
        for (int n = 0; n < kDepth / kK; ++n) {
            const float* from = &As[slot * kStageA + (n * kK + h) * kRowA + i];
#pragma unroll
            for (int m = 0; m < 4; ++m) {
                course::split(from[m / 2 * 4 * kRowA + m % 2 * 8], big_a[n][m], small_a[n][m]);
            }
        }
        begin();
#pragma unroll
        for (int n = 0; n < kDepth / kK; ++n) {
            const uint64_t big_b = descriptor(&big_B[slot * kTileB + n * kK]);
            const uint64_t small_b = descriptor(&small_B[slot * kTileB + n * kK]);
            multiply(part, small_a[n], big_b, n == 0);
            multiply(part, big_a[n], small_b, false);
            multiply(part, big_a[n], big_b, false);
        }
        commit();
        if (step + 1 < steps) {
            store_B(1 - slot);  // while the tensor cores work
        }
        finish(part);
        // Tensor cores do not round to nearest when they add. So they add up one step, and float32 units add
        // up the steps.
#pragma unroll
        for (int n = 0; n < kSums; ++n) {
            sum[n] += part[n];
        }
    }
#pragma unroll
    for (int n = 0; n < kSums / 2; ++n) {
        const int64_t row = i0 + i + n % 2 * 8, column = j0 + n / 2 * 8 + 2 * h;
        if (row < M && column < N) {
            *reinterpret_cast<float2*>(&C[row * N + column]) = make_float2(sum[2 * n], sum[2 * n + 1]);
        }
    }
}

torch::Tensor three_products(torch::Tensor A, torch::Tensor B) {
    return course::three_products(A, B, kTile, kTile, kDepth, [&](torch::Tensor& C, dim3 blocks) {
        // A block gets more than 48 KB of shared memory only on request.
        cudaFuncSetAttribute(matmul_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
        matmul_kernel<<<blocks, kThreads, kSharedBytes, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.size(1), B.size(0), A.size(0));
    });
}
