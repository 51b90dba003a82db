"""No false alarm: right kernels of many kinds, and every solution at ten sizes, give the values of PyTorch, and no
hazard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from course.build import Module, bindable_functions, load_inline
from course.judge import judge
from course.tasks import Case, load_task
from course.tracing import trace
from course.worker import Answer

KERNELS = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
constexpr int kWarp = 32;
__device__ float warp_sum(float x) {
    for (int delta = kWarp / 2; delta > 0; delta /= 2) x += __shfl_down_sync(0xffffffffu, x, delta);
    return x;
}
__global__ void block_sums(const float* __restrict__ a, float* c, int n) {
    __shared__ float sums[kWarp];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += __ldg(a + i);
    sum = warp_sum(sum);
    if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = sum;
    __syncthreads();
    if (threadIdx.x < kWarp) {
        sum = warp_sum(threadIdx.x < blockDim.x / kWarp ? sums[threadIdx.x] : 0.0f);
        if (threadIdx.x == 0) atomicAdd(c, sum);
    }
}
torch::Tensor warp_reduction(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    block_sums<<<3, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void tree_sum(const float* a, float* c, int n) {
    extern __shared__ float sums[];
    sums[threadIdx.x] = threadIdx.x < n ? a[threadIdx.x] : 0.0f;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *c = sums[0];
}
torch::Tensor tree(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    tree_sum<<<1, 1024, 1024 * sizeof(float)>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// The last steps in one warp: what each lane stored is seen after __syncwarp(), also through volatile.
__global__ void tree_and_warp(const float* a, float* c, int n) {
    __shared__ volatile float sums[64];
    const int i = threadIdx.x;
    sums[i] = (i < n ? a[i] : 0.0f) + (i + 64 < n ? a[i + 64] : 0.0f);
    __syncthreads();
    if (i >= kWarp) return;
    for (int half = 32; half > 0; half /= 2) {
        const float other = sums[i + half];
        __syncwarp();
        sums[i] = sums[i] + other;
        __syncwarp();
    }
    if (i == 0) *c = sums[0];
}
torch::Tensor tree_in_a_warp(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    tree_and_warp<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// Threadfence reduction: the block that comes last adds up what all have left.
__device__ unsigned int blocks_done = 0;
__global__ void last_block_adds(const float* a, float* parts, float* c, int n) {
    __shared__ bool last;
    __shared__ float sums[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    sums[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int j = 0; j < 64; ++j) sum += sums[j];
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int j = 0; j < gridDim.x; ++j) sum += parts[j];
        *c = sum;
    }
}
torch::Tensor last_block(torch::Tensor A) {
    const int64_t blocks = (A.numel() + 63) / 64;
    auto C = torch::empty({1}, A.options()), parts = torch::empty({blocks}, A.options());
    last_block_adds<<<blocks, 64>>>(A.data_ptr<float>(), parts.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void inclusive_scan(const float* a, float* c, int n) {
    __shared__ float buffers[2][128];
    int from = 0;
    const int i = threadIdx.x;
    buffers[0][i] = i < n ? a[i] : 0.0f;
    for (int distance = 1; distance < 128; distance *= 2, from = 1 - from) {
        __syncthreads();
        buffers[1 - from][i] = buffers[from][i] + (i >= distance ? buffers[from][i - distance] : 0.0f);
    }
    if (i < n) c[i] = buffers[from][i];
}
torch::Tensor scan(torch::Tensor A) {
    auto C = torch::empty_like(A);
    inclusive_scan<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void count_bytes(const uint8_t* a, int* c, int n) {
    __shared__ int counts[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(counts + a[i], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (counts[b]) atomicAdd(c + b, counts[b]);
    }
}
torch::Tensor histogram(torch::Tensor A) {
    auto C = torch::zeros({256}, A.options().dtype(torch::kInt32));
    auto bytes = A.to(torch::kUInt8);
    count_bytes<<<3, 64>>>(bytes.data_ptr<uint8_t>(), C.data_ptr<int>(), A.numel());
    return C;
}
template <typename T, int kTile>
__global__ void transpose_tiles(const T* a, T* c, int rows, int columns) {
    __shared__ T tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = a[y * columns + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
    if (x < rows && y < columns) c[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
torch::Tensor transpose(torch::Tensor A) {
    const int rows = 9, columns = A.numel() / 9;
    auto C = torch::empty({columns, rows}, A.options());
    const dim3 grid((columns + 7) / 8, (rows + 7) / 8), block(8, 8);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "transpose", [&] {
        transpose_tiles<scalar_t, 8><<<grid, block>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), rows, columns);
    });
    return C;
}
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__global__ void three_point(const float* a, float* c, int n) {
    __shared__ float tile[66];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? a[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? a[i - 1] : 0.0f;
    if (threadIdx.x == 63) tile[65] = i + 1 < n ? a[i + 1] : 0.0f;
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) sum += weights[d] * tile[threadIdx.x + d];
    c[i] = sum;
}
torch::Tensor stencil(torch::Tensor A) {
    auto C = torch::empty_like(A);
    three_point<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void add_quads(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<const float4*>(a)[i];
        v.x += 1, v.y += 1, v.z += 1, v.w += 1;
        reinterpret_cast<float4*>(c)[i] = v;
    } else if (i < n / 4 + n % 4) {
        const int tail = n / 4 * 4 + i - n / 4;
        c[tail] = a[tail] + 1;
    }
}
torch::Tensor quads(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_quads<<<2, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
struct Complex {
    float re, im;
    __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};
__noinline__ __device__ Complex conjugate(Complex x) { return {x.re, -x.im}; }
__global__ void square_all(const Complex* a, Complex* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = conjugate(a[threadIdx.x] * conjugate(a[threadIdx.x]));
}
torch::Tensor structs(torch::Tensor A) {
    const int64_t n = A.numel() / 2;
    auto C = torch::empty({2 * n}, A.options());
    square_all<<<1, 1024>>>(reinterpret_cast<const Complex*>(A.data_ptr<float>()),
                           reinterpret_cast<Complex*>(C.data_ptr<float>()), n);
    return C;
}
__global__ void next_while_this(const float* a, float* c, int n) {
    __shared__ float tiles[2][64];
    int now = 0;
    tiles[0][threadIdx.x] = threadIdx.x < n ? a[threadIdx.x] : 0.0f;
    for (int from = 0; from < n; from += 64, now = 1 - now) {
        __syncthreads();
        const int next = from + 64 + threadIdx.x;
        if (from + 64 < n) tiles[1 - now][threadIdx.x] = next < n ? a[next] : 0.0f;
        const int i = from + threadIdx.x;
        if (i < n) c[i] = tiles[now][threadIdx.x] + tiles[now][63 - threadIdx.x];
    }
}
torch::Tensor double_buffer(torch::Tensor A) {
    auto C = torch::empty_like(A);
    next_while_this<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__device__ float atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void maximum(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(c, a[i]);
}
torch::Tensor compare_and_swap(torch::Tensor A) {
    auto C = torch::full({1}, -INFINITY, A.options());
    maximum<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void to_half(const float* a, __half* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __float2half(a[i]);
}
torch::Tensor halves(torch::Tensor A) {
    auto C = torch::empty_like(A, torch::kHalf);
    to_half<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), reinterpret_cast<__half*>(C.data_ptr<at::Half>()),
                                          A.numel());
    return C;
}
__global__ void mark(const float* a, bool* c, int n) {
    __shared__ bool found[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    found[threadIdx.x] = i < n && a[i] > 0;
    __syncthreads();
    if (i < n) c[i] = found[threadIdx.x] || found[threadIdx.x ^ 1];
}
torch::Tensor bytes(torch::Tensor A) {
    auto C = torch::empty_like(A, torch::kBool);
    mark<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<bool>(), A.numel());
    return C;
}
__global__ void in_three_dimensions(float* c, int width, int height, int depth) {
    const dim3 at(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, threadIdx.z);
    if (at.x >= width || at.y >= height || at.z >= depth) return;
    c[(at.z * height + at.y) * width + at.x] = std::min(threadIdx.x, 3u) + static_cast<float>(at.z);
}
torch::Tensor dimensions(torch::Tensor A) {
    auto C = torch::empty({3, 5, A.numel()}, A.options());
    in_three_dimensions<<<dim3((A.numel() + 7) / 8, 2), dim3(8, 4, 3)>>>(C.data_ptr<float>(), A.numel(), 5, 3);
    return C;
}
__global__ void own_arrays(const float* a, float* c, int n, int64_t stride) {
    float values[4] = {};
    const float signs[2] = {1.0f, -1.0f};
    for (int i = 0; i < n; ++i) values[i % 4] += a[i * stride] * signs[i % 2];
    c[threadIdx.x] = values[threadIdx.x % 4];
}
torch::Tensor local_memory(torch::Tensor A) {
    auto C = torch::empty({8}, A.options());
    own_arrays<<<1, 8>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel(), 1);
    return C;
}
__device__ float table[64];
__global__ void fill_table() { table[threadIdx.x] = threadIdx.x; }
__global__ void use_table(float* c) { c[threadIdx.x] = table[63 - threadIdx.x]; }
torch::Tensor two_launches(torch::Tensor A) {
    auto C = torch::empty({64}, A.options());
    fill_table<<<1, 64>>>();
    use_table<<<2, 64>>>(C.data_ptr<float>());
    C.fill_(1);
    use_table<<<1, 64>>>(C.data_ptr<float>());
    return C;
}
torch::Tensor scratch(torch::Tensor A) {
    float* memory = nullptr;
    TORCH_CHECK(cudaMalloc(&memory, 64 * sizeof(float)) == cudaSuccess);
    cudaMemset(memory, 0, 64 * sizeof(float));
    use_table<<<1, 64>>>(memory);
    auto C = torch::empty({64}, A.options());
    three_point<<<1, 64>>>(memory, C.data_ptr<float>(), 64);
    TORCH_CHECK(cudaFree(memory) == cudaSuccess);
    return C;
}
torch::Tensor in_place(torch::Tensor A) {
    add_quads<<<2, 128>>>(A.data_ptr<float>(), A.data_ptr<float>(), A.numel());
    return A;
}
__global__ void any_negative(const float* a, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 0) *c = 1;
}
torch::Tensor flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_negative<<<3, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
__global__ void products(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[8][8], Bs[8][8];
    const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < K; k += 8) {
        As[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = k + threadIdx.y < K && column < N ? B[(k + threadIdx.y) * N + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && column < N) C[row * N + column] = sum;
}
torch::Tensor tiled_matmul(torch::Tensor A) {
    const int M = 9, K = A.numel() / 9, N = 7;
    auto B = torch::ones({K, N}, A.options()), C = torch::empty({M, N}, A.options());
    products<<<dim3(1, 2), dim3(8, 8)>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
// Padding is copied with a struct, and nobody writes it.
struct Best {
    float value;
    int64_t index;
};
__global__ void argmax_kernel(const float* a, int64_t* c, int n) {
    extern __shared__ Best bests[];
    bests[threadIdx.x].value = threadIdx.x < n ? a[threadIdx.x] : -INFINITY;
    bests[threadIdx.x].index = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        const Best other = bests[threadIdx.x + half];
        if (other.value > bests[threadIdx.x].value) bests[threadIdx.x] = other;
    }
    if (threadIdx.x == 0) *c = bests[0].index;
}
torch::Tensor padding(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt64));
    argmax_kernel<<<1, 128, 128 * sizeof(Best)>>>(A.data_ptr<float>(), C.data_ptr<int64_t>(), A.numel());
    return C;
}
__global__ void add_halves(const float* a, __half* c, __half2* pairs, int n) {
    if (threadIdx.x >= n) return;
    atomicAdd(c, __float2half(a[threadIdx.x]));
    atomicAdd(pairs, __float2half2_rn(a[threadIdx.x]));
}
torch::Tensor half_atomics(torch::Tensor A) {
    auto C = torch::zeros({3}, A.options().dtype(torch::kHalf));
    auto* c = reinterpret_cast<__half*>(C.data_ptr<at::Half>());
    add_halves<<<1, 128>>>(A.data_ptr<float>(), c + 2, reinterpret_cast<__half2*>(c), A.numel());
    return C;
}
__global__ void copy_threes(const float* a, float* c, int n) {
    __shared__ float zeros[8][8];
    if (threadIdx.x == 0) memset(zeros, 0, sizeof zeros);
    __syncthreads();
    const int at = 3 * threadIdx.x;
    if (at < n) memcpy(c + at, a + at, min(3, n - at) * sizeof(float));
    if (at < n) c[at] += zeros[threadIdx.x % 8][threadIdx.x / 8];
}
torch::Tensor copied_in_kernels(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_threes<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void negative_to_zero(float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && c[i] < 0) c[i] = 0;
}
torch::Tensor some_of_a_copy(torch::Tensor A) {
    auto C = A.clone();
    negative_to_zero<<<2, 64>>>(C.data_ptr<float>(), A.numel());
    return C;
}
torch::Tensor kept_memory(torch::Tensor A) {
    static torch::Tensor kept = torch::zeros({1000}, A.options());
    static float* allocated = nullptr;
    if (!allocated) TORCH_CHECK(cudaMalloc(&allocated, 1000 * sizeof(float)) == cudaSuccess);
    auto C = torch::empty_like(A);
    add_quads<<<2, 128>>>(A.data_ptr<float>(), kept.data_ptr<float>(), A.numel());
    add_quads<<<2, 128>>>(kept.data_ptr<float>(), allocated, A.numel());
    add_quads<<<2, 128>>>(allocated, C.data_ptr<float>(), A.numel());
    return C;
}
// A block waits for the one before it, by a flag that is volatile.
__global__ void running_total(const float* a, float* totals, volatile int* ready, float* c, int n) {
    static __shared__ float before;
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x == 0) {
        before = 0;
        if (blockIdx.x > 0) {
            while (!ready[blockIdx.x - 1]) {}
            __threadfence();
            before = totals[blockIdx.x - 1];
        }
        float sum = before;
        for (int j = i; j < min(n, i + 32); ++j) sum += a[j];
        totals[blockIdx.x] = sum;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    __syncthreads();
    if (i < n) c[i] = a[i] + before;
}
torch::Tensor volatile_flags(torch::Tensor A) {
    const int64_t blocks = (A.numel() + 31) / 32;
    auto C = torch::empty_like(A), totals = torch::empty({blocks}, A.options());
    auto ready = torch::zeros({blocks}, A.options().dtype(torch::kInt32));
    running_total<<<blocks, 32>>>(A.data_ptr<float>(), totals.data_ptr<float>(), ready.data_ptr<int>(),
                                  C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void one_after_another(const float* a, float* c, int* lock, int n) {
    bool done = threadIdx.x >= n;
    while (!done) {
        if (atomicCAS(lock, 0, 1) != 0) continue;
        __threadfence();
        *c += a[threadIdx.x];
        __threadfence();
        atomicExch(lock, 0);
        done = true;
    }
}
torch::Tensor locked(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options()), lock = torch::zeros({1}, A.options().dtype(torch::kInt32));
    one_after_another<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), lock.data_ptr<int>(), A.numel());
    return C;
}
// What no thread reaches is not read before the loop either.
__global__ void never_read(const float* a, float* c, int n) {
    __shared__ union {
        float quads[4];
        int unset[4];
    } both;
    if (threadIdx.x == 0) both.quads[0] = 2.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] > 1e30f ? both.unset[3] : a[i] * both.quads[0];
}
torch::Tensor conditional_read(torch::Tensor A) {
    auto C = torch::empty_like(A);
    never_read<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void from_the_heap(float* c, int n) {
    int* numbers = new int[2];
    numbers[1] = threadIdx.x;
    if (threadIdx.x < n) c[threadIdx.x] = numbers[1];
    delete[] numbers;
}
torch::Tensor heap(torch::Tensor A) {
    auto C = torch::empty_like(A);
    from_the_heap<<<1, 128>>>(C.data_ptr<float>(), A.numel());
    return C;
}
// ---- warps
__global__ void scan_by_warps(const float* a, float* c, int n) {
    __shared__ float totals[4];
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    float sum = threadIdx.x < n ? a[threadIdx.x] : 0.0f;
    for (int distance = 1; distance < kWarp; distance *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += before;
    }
    if (lane == kWarp - 1) totals[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += totals[w];
    if (threadIdx.x < n) c[threadIdx.x] = sum;
}
torch::Tensor warp_scan(torch::Tensor A) {
    auto C = torch::empty_like(A);
    scan_by_warps<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// Each half of a warp reverses 16 elements of its own, and waits for no other.
__global__ void reverse_sixteens(const float* a, float* c, int n) {
    __shared__ float tile[128];
    const int i = threadIdx.x, lane = i % kWarp;
    tile[i] = i < n ? a[i] : 0.0f;
    if (lane < 16) {
        __syncwarp(0x0000ffffu);
        if (i < n) c[i] = tile[i ^ 15];
    } else {
        __syncwarp(0xffff0000u);
        if (i < n) c[i] = tile[i ^ 15];
    }
}
torch::Tensor half_warps(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_sixteens<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// Lane 2 waits for lane 1, which has waited for lane 0.
__global__ void pass_along(const float* a, float* c, int n) {
    __shared__ float value;
    const int lane = threadIdx.x;
    if (lane == 0) value = a[0];
    if (lane < 2) __syncwarp(0b011u);
    if (lane >= 1) __syncwarp(0b110u);
    if (lane == 2) *c = value;
}
torch::Tensor waits_along_a_line(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    pass_along<<<1, 3>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void sum_by_butterflies(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0.0f;
    for (int mask = 4; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask, 8);
    if (i < n) c[i] = sum;
}
torch::Tensor butterflies(torch::Tensor A) {
    auto C = torch::empty_like(A);
    sum_by_butterflies<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void keep_positive(const float* a, float* c, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && a[i] > 0;
    const unsigned int kept = __ballot_sync(0xffffffffu, keep);
    int first = 0;
    if (threadIdx.x % kWarp == 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (keep) c[first + __popc(kept & ((1u << threadIdx.x % kWarp) - 1))] = a[i];
}
torch::Tensor compaction(torch::Tensor A) {
    auto C = torch::zeros_like(A);
    auto count = torch::zeros({1}, A.options().dtype(torch::kInt32));
    keep_positive<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), count.data_ptr<int>(), A.numel());
    return C;
}
// One row a warp; the warps of a block know nothing of each other.
__global__ void rows_by_warps(const float* a, float* c, int rows, int columns) {
    const int row = blockIdx.x * 4 + threadIdx.x / kWarp;
    if (row >= rows) return;
    float sum = 0;
    for (int j = threadIdx.x % kWarp; j < columns; j += kWarp) sum += a[row * columns + j];
    sum = warp_sum(sum);
    if (threadIdx.x % kWarp == 0) c[row] = sum;
}
torch::Tensor row_sums(torch::Tensor A) {
    auto C = torch::empty({9}, A.options());
    rows_by_warps<<<3, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), 9, A.numel() / 9);
    return C;
}

// ---- barriers
__global__ void sort_by_neighbours(const float* a, float* c, int n) {
    __shared__ float values[128];
    const int i = threadIdx.x;
    values[i] = i < n ? a[i] : INFINITY;
    for (int round = 0;; ++round) {
        bool changed = false;
        for (int odd = 0; odd < 2; ++odd) {
            __syncthreads();
            const int j = 2 * i + odd;
            if (j + 1 < 128 && values[j] > values[j + 1]) {
                const float larger = values[j];
                values[j] = values[j + 1], values[j + 1] = larger;
                changed = true;
            }
        }
        if (!__syncthreads_or(changed)) break;
    }
    if (i < n) c[i] = values[i];
}
torch::Tensor neighbour_sort(torch::Tensor A) {
    auto C = torch::empty_like(A);
    sort_by_neighbours<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void bitonic(const float* a, float* c, int n) {
    __shared__ float values[128];
    const int i = threadIdx.x;
    values[i] = i < n ? a[i] : INFINITY;
    __syncthreads();
    for (int length = 2; length <= 128; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            const int other = i ^ distance;
            if (other > i && (values[i] > values[other]) == ((i & length) == 0)) {
                const float mine = values[i];
                values[i] = values[other], values[other] = mine;
            }
            __syncthreads();
        }
    }
    if (i < n) c[i] = values[i];
}
torch::Tensor bitonic_sort(torch::Tensor A) {
    auto C = torch::empty_like(A);
    bitonic<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// The work-efficient scan, up and down a tree.
__global__ void scan_by_a_tree(const float* a, float* c, int n) {
    extern __shared__ float sums[];
    const int i = threadIdx.x;
    sums[2 * i] = 2 * i < n ? a[2 * i] : 0.0f, sums[2 * i + 1] = 2 * i + 1 < n ? a[2 * i + 1] : 0.0f;
    int distance = 1;
    for (int pairs = 64; pairs > 0; pairs /= 2, distance *= 2) {
        __syncthreads();
        if (i < pairs) sums[distance * (2 * i + 2) - 1] += sums[distance * (2 * i + 1) - 1];
    }
    __syncthreads();
    if (i == 0) sums[127] = 0;
    for (int pairs = 1; pairs <= 64; pairs *= 2) {
        distance /= 2;
        __syncthreads();
        if (i < pairs) {
            float& left = sums[distance * (2 * i + 1) - 1];
            float& right = sums[distance * (2 * i + 2) - 1];
            const float old = left;
            left = right, right += old;
        }
    }
    __syncthreads();
    for (int j = 2 * i; j < min(n, 2 * i + 2); ++j) c[j] = sums[j];
}
torch::Tensor exclusive_scan(torch::Tensor A) {
    auto C = torch::empty_like(A);
    scan_by_a_tree<<<1, 64, 128 * sizeof(float)>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
template <typename Op>
__device__ float over_block(float x, float* shared, Op op) {
    shared[threadIdx.x] = x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
    const float result = shared[0];
    __syncthreads();  // the next one must not overwrite what a slower thread still reads
    return result;
}
__global__ void softmax_of_a_row(const float* a, float* c, int columns) {
    __shared__ float shared[32];
    a += blockIdx.x * columns, c += blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < columns; j += blockDim.x) most = fmaxf(most, a[j]);
    most = over_block(most, shared, [](float x, float y) { return fmaxf(x, y); });
    for (int j = threadIdx.x; j < columns; j += blockDim.x) sum += expf(a[j] - most);
    sum = over_block(sum, shared, [](float x, float y) { return x + y; });
    for (int j = threadIdx.x; j < columns; j += blockDim.x) c[j] = expf(a[j] - most) / sum;
}
torch::Tensor softmax(torch::Tensor A) {
    auto C = torch::empty({3, A.numel() / 3}, A.options());
    softmax_of_a_row<<<3, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel() / 3);
    return C;
}
// A thread that finds a negative number ends the search of its block, in the same round for all of them.
__global__ void first_negative(const float* a, int* c, int n) {
    __shared__ int found;
    if (threadIdx.x == 0) found = n;
    __syncthreads();
    for (int from = 0; from < n; from += blockDim.x) {
        const int i = from + threadIdx.x;
        if (i < n && a[i] < 0) atomicMin(&found, i);
        __syncthreads();
        if (found < n) break;
        __syncthreads();
    }
    if (threadIdx.x == 0) *c = found;
}
torch::Tensor search(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt32));
    first_negative<<<1, 16>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
__global__ void count_negative(const float* a, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int count = __syncthreads_count(i < n && a[i] < 0);
    if (threadIdx.x == 0) c[blockIdx.x] = count;
}
torch::Tensor block_counts(torch::Tensor A) {
    auto C = torch::empty({2}, A.options().dtype(torch::kInt32));
    count_negative<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
// All threads clear the flag, and any may set it.
__global__ void any_above(const float* a, int* c, int n, float bound) {
    __shared__ bool above;
    above = false;
    __syncthreads();
    if (threadIdx.x < n && a[threadIdx.x] > bound) above = true;
    __syncthreads();
    if (threadIdx.x == 0) *c = above;
}
torch::Tensor shared_flag(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt32));
    any_above<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel(), 0.5f);
    return C;
}
// The same shared memory, first as int, then as float.
__global__ void used_twice(const float* a, float* c, int n) {
    extern __shared__ unsigned char memory[];
    int* signs = reinterpret_cast<int*>(memory);
    float* halves = reinterpret_cast<float*>(memory);
    const int i = threadIdx.x;
    signs[i] = i < n && a[i] < 0 ? -1 : 1;
    __syncthreads();
    const int neighbour = signs[i ^ 1];
    __syncthreads();
    halves[i] = i < n ? a[i] / 2 : 0.0f;
    __syncthreads();
    if (i < n) c[i] = neighbour * halves[i];
}
torch::Tensor memory_used_twice(torch::Tensor A) {
    auto C = torch::empty_like(A);
    used_twice<<<1, 128, 512>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
// Two arrays of different types in one dynamic allocation.
__global__ void largest_and_where(const float* a, float* c, int n) {
    extern __shared__ double both[];
    double* values = both;
    short* places = reinterpret_cast<short*>(values + blockDim.x);
    const int i = threadIdx.x;
    values[i] = i < n ? a[i] : -INFINITY, places[i] = static_cast<short>(i);
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (i < half && values[i + half] > values[i]) values[i] = values[i + half], places[i] = places[i + half];
    }
    if (i == 0) c[0] = static_cast<float>(values[0]), c[1] = places[0];
}
torch::Tensor two_arrays_in_one(torch::Tensor A) {
    auto C = torch::empty({2}, A.options());
    largest_and_where<<<1, 128, 128 * 10>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

// ---- tiles
__global__ void blur(const float* a, float* c, int rows, int columns) {
    __shared__ float tile[10][10];
    const int x0 = blockIdx.x * 8 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 8 + threadIdx.x; k < 100; k += 64) {
        const int y = y0 + k / 10, x = x0 + k % 10;
        tile[k / 10][k % 10] = y >= 0 && y < rows && x >= 0 && x < columns ? a[y * columns + x] : 0.0f;
    }
    __syncthreads();
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x >= columns || y >= rows) return;
    float sum = 0;
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    }
    c[y * columns + x] = sum / 9;
}
torch::Tensor halo(torch::Tensor A) {
    const int columns = A.numel() / 9;
    auto C = torch::empty({9, columns}, A.options());
    blur<<<dim3((columns + 7) / 8, 2), dim3(8, 8)>>>(A.data_ptr<float>(), C.data_ptr<float>(), 9, columns);
    return C;
}
// A thread exchanges a pair, and no two threads have the same.
__global__ void transpose_square(float* c, int n) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= i) return;
    const float above = c[j * n + i];
    c[j * n + i] = c[i * n + j], c[i * n + j] = above;
}
torch::Tensor square_in_place(torch::Tensor A) {
    const int n = static_cast<int>(sqrtf(A.numel()));
    auto C = torch::empty({n, n}, A.options());
    C.copy_(A.narrow(0, 0, n * n).view({n, n}));
    transpose_square<<<dim3(2, 2), dim3(8, 8)>>>(C.data_ptr<float>(), n);
    return C;
}
__global__ void reverse_pairs(float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const float last = c[n - 1 - i];
    c[n - 1 - i] = c[i], c[i] = last;
}
torch::Tensor reverse_in_place(torch::Tensor A) {
    auto C = A.clone();
    reverse_pairs<<<2, 64>>>(C.data_ptr<float>(), A.numel());
    return C;
}
// Each thread has 2 by 4 elements in registers, loaded four at once; the next tile comes while this one is used.
__global__ void in_registers(const float* A, const float* B, float* C, int K) {
    __shared__ float As[2][4][16];
    __shared__ float4 Bs[2][4][8];
    const int t = threadIdx.x, row = t / 8 * 2, column = t % 8;
    float4 sums[2] = {};
    const auto load = [&](int buffer, int k) {
        As[buffer][t / 16][t % 16] = A[(k + t / 16) * 16 + t % 16];
        if (t < 32) Bs[buffer][t / 8][t % 8] = reinterpret_cast<const float4*>(B)[(k + t / 8) * 8 + t % 8];
    };
    load(0, 0);
    for (int k = 0; k < K; k += 4) {
        __syncthreads();
        const int now = k / 4 % 2;
        if (k + 4 < K) load(1 - now, k + 4);
        for (int l = 0; l < 4; ++l) {
            const float4 b = Bs[now][l][column];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const float x = As[now][l][row + r];
                sums[r].x += x * b.x, sums[r].y += x * b.y, sums[r].z += x * b.z, sums[r].w += x * b.w;
            }
        }
    }
    for (int r = 0; r < 2; ++r) reinterpret_cast<float4*>(C)[(row + r) * 8 + column] = sums[r];
}
torch::Tensor register_tiles(torch::Tensor A) {
    const int K = 8;
    auto C = torch::empty({16, 32}, A.options()), At = torch::ones({K, 16}, A.options());
    auto B = torch::full({K, 32}, 0.5, A.options());
    in_registers<<<1, 64>>>(At.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), K);
    return C;
}
__global__ void largest_of_four(const float* __restrict__ a, uint8_t* __restrict__ c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 4) return;
    int place = 0;
    for (int k = 1; k < 4; ++k) {
        if (__ldg(a + 4 * i + k) > __ldg(a + 4 * i + place)) place = k;
    }
    c[i] = static_cast<uint8_t>(place);
}
torch::Tensor byte_neighbours(torch::Tensor A) {
    auto C = torch::empty({A.numel() / 4}, A.options().dtype(torch::kUInt8));
    largest_of_four<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<uint8_t>(), A.numel());
    return C;
}
__global__ void shared_bytes(const float* a, uint8_t* c, int n) {
    __shared__ uint8_t bytes[130];
    const int i = threadIdx.x;
    if (i < 2) bytes[129 * i] = 0;
    bytes[i + 1] = i < n && a[i] > 0;
    __syncthreads();
    const uint8_t sum = bytes[i] + bytes[i + 1] + bytes[i + 2];
    __syncthreads();
    bytes[i + 1] = sum;
    if (i < n) c[i] = bytes[i + 1];
}
torch::Tensor neighbours_in_shared_bytes(torch::Tensor A) {
    auto C = torch::empty_like(A, torch::kUInt8);
    shared_bytes<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<uint8_t>(), A.numel());
    return C;
}

// ---- between blocks
__global__ void insert_all(const float* a, int* table, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int key = __float_as_int(a[i]);
    for (unsigned int slot = static_cast<unsigned int>(key) * 2654435761u % 256;; slot = (slot + 1) % 256) {
        const int old = atomicCAS(table + slot, 0, key);
        if (old == 0 || old == key) return;
    }
}
torch::Tensor hash_table(torch::Tensor A) {
    auto C = torch::zeros({256}, A.options().dtype(torch::kInt32));
    insert_all<<<3, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
// A block that sees the flag leaves early; reads and writes of it are atomic.
__global__ void any_large(const float* a, int* flag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (atomicAdd(flag, 0)) return;
    if (i < n && a[i] > 1) atomicExch(flag, 1);
}
torch::Tensor atomic_flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large<<<4, 32>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
__global__ void any_large_volatile(const float* a, volatile int* flag, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n && !*flag; i += gridDim.x * blockDim.x) {
        if (a[i] > 1) *flag = 1;
    }
}
torch::Tensor volatile_flag(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large_volatile<<<2, 16>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
// The blocks take their work from a counter.
__global__ void take_work(const float* a, float* c, int* next, int n) {
    __shared__ int from;
    while (true) {
        if (threadIdx.x == 0) from = atomicAdd(next, 32);
        __syncthreads();
        const int i = from + threadIdx.x;
        __syncthreads();
        if (i - threadIdx.x >= n) return;
        if (i < n) c[i] = 2 * a[i];
    }
}
torch::Tensor work_queue(torch::Tensor A) {
    auto C = torch::empty_like(A);
    auto next = torch::zeros({1}, A.options().dtype(torch::kInt32));
    take_work<<<2, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), next.data_ptr<int>(), A.numel());
    return C;
}
__global__ void ping(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = (a[i] + a[(i + 1) % n]) / 2;
}
torch::Tensor ping_pong(torch::Tensor A) {
    torch::Tensor buffers[2] = {A.clone(), torch::empty_like(A)};
    for (int round = 0; round < 4; ++round) {
        ping<<<2, 64>>>(buffers[round % 2].data_ptr<float>(), buffers[1 - round % 2].data_ptr<float>(), A.numel());
    }
    return buffers[0];
}
__global__ void dot(const float* a, const float* b, float* c, int n) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) atomicAdd(&sum, a[i] * b[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(c, sum);
}
torch::Tensor dot_product(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    TORCH_CHECK(cudaMemset(C.data_ptr<float>(), 0, sizeof(float)) == cudaSuccess);
    dot<<<3, 32>>>(A.data_ptr<float>(), A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
"""


def rows(A: torch.Tensor, count: int = 9) -> torch.Tensor:
    return A[: A.numel() // count * count].view(count, -1)


def largest(A: torch.Tensor) -> torch.Tensor:
    return torch.stack([A.max(), A.argmax().float()])


def squared(A: torch.Tensor) -> torch.Tensor:
    complex_ = torch.view_as_complex(A[: A.numel() // 2 * 2].view(-1, 2))
    return torch.view_as_real((complex_ * complex_.conj()).conj().resolve_conj()).flatten()


def blocks_of_three(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (1, 1))
    return padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4


def within_blocks(A: torch.Tensor) -> torch.Tensor:
    """Each element plus its mirror image in its block of 64, zeros past the end."""
    padded = F.pad(A, (0, -A.numel() % 64)).view(-1, 64)
    return (padded + padded.flip(1)).flatten()[: A.numel()]


def with_earlier_blocks(A: torch.Tensor) -> torch.Tensor:
    """Each element plus the sum of the blocks of 32 before its own."""
    totals = F.pad(A, (0, -A.numel() % 32)).view(-1, 32).sum(1)
    return A + (totals.cumsum(0) - totals).repeat_interleave(32)[: A.numel()]


def by_sixteens(A: torch.Tensor) -> torch.Tensor:
    return F.pad(A, (0, 128 - A.numel())).view(-1, 16).flip(1).flatten()[: A.numel()]


def by_eights(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (0, 128 - A.numel())).view(-1, 8)
    return padded.sum(1, keepdim=True).expand(-1, 8).flatten()[: A.numel()]


def marked(A: torch.Tensor) -> torch.Tensor:
    padded = (F.pad(A, (0, -A.numel() % 2)) > 0).view(-1, 2)
    return padded.any(1, keepdim=True).expand(-1, 2).flatten()[: A.numel()]


def with_neighbours_sign(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (0, -A.numel() % 2)).view(-1, 2).flip(1).flatten()[: A.numel()]
    return A / 2 * (1 - 2 * (padded < 0).float())


def pinged(A: torch.Tensor) -> torch.Tensor:
    for _ in range(4):
        A = (A + A.roll(-1)) / 2
    return A


def dimensions(A: torch.Tensor) -> torch.Tensor:
    z, _, x = torch.meshgrid(torch.arange(3), torch.arange(5), torch.arange(A.numel()), indexing="ij")
    return (x % 8).clamp(max=3) + z.float()


def own(A: torch.Tensor) -> torch.Tensor:
    signed = A * torch.tensor([1.0, -1.0]).repeat(A.numel())[: A.numel()]
    return F.pad(signed, (0, -A.numel() % 4)).view(-1, 4).sum(0).repeat(2)


# What each function of KERNELS computes.
REFERENCES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "warp_reduction": torch.sum,
    "tree": torch.sum,
    "tree_in_a_warp": torch.sum,
    "last_block": torch.sum,
    "scan": lambda A: A.cumsum(0),
    "histogram": lambda A: torch.bincount(A.to(torch.uint8).int(), minlength=256),
    "transpose": lambda A: rows(A).T,
    "stencil": blocks_of_three,
    "quads": lambda A: A + 1,
    "structs": squared,
    "double_buffer": within_blocks,
    "compare_and_swap": torch.max,
    "halves": torch.Tensor.half,
    "bytes": marked,
    "dimensions": dimensions,
    "local_memory": own,
    "two_launches": lambda A: torch.arange(63.0, -1, -1),
    "scratch": lambda A: blocks_of_three(torch.arange(63.0, -1, -1)),
    "in_place": lambda A: A + 1,
    "flag": lambda A: (A < 0).any(),
    "tiled_matmul": lambda A: rows(A) @ torch.ones(A.numel() // 9, 7),
    "padding": torch.argmax,
    "half_atomics": lambda A: A.sum().expand(3),
    "copied_in_kernels": lambda A: A,
    "some_of_a_copy": torch.relu,
    "kept_memory": lambda A: A + 3,
    "volatile_flags": with_earlier_blocks,
    "locked": torch.sum,
    "conditional_read": lambda A: 2 * A,
    "heap": lambda A: torch.arange(A.numel()).float(),
    "warp_scan": lambda A: A.cumsum(0),
    "half_warps": by_sixteens,
    "waits_along_a_line": lambda A: A[0],
    "butterflies": by_eights,
    "compaction": lambda A: torch.relu(A).sort(descending=True).values,
    "row_sums": lambda A: rows(A).sum(1),
    "neighbour_sort": lambda A: A.sort().values,
    "bitonic_sort": lambda A: A.sort().values,
    "exclusive_scan": lambda A: A.cumsum(0) - A,
    "softmax": lambda A: rows(A, 3).softmax(1),
    "search": lambda A: min([i for i, x in enumerate(A.tolist()) if x < 0], default=A.numel()),
    "block_counts": lambda A: (F.pad(A, (0, 128 - A.numel())) < 0).view(2, 64).sum(1),
    "shared_flag": lambda A: (A > 0.5).any(),
    "memory_used_twice": with_neighbours_sign,
    "two_arrays_in_one": largest,
    "halo": lambda A: F.avg_pool2d(rows(A)[None], 3, 1, 1)[0],
    "square_in_place": lambda A: A[: int(A.numel() ** 0.5) ** 2].view(int(A.numel() ** 0.5), -1).T,
    "reverse_in_place": lambda A: A.flip(0),
    "register_tiles": lambda A: torch.full((16, 32), 4.0),
    "byte_neighbours": lambda A: A[: A.numel() // 4 * 4].view(-1, 4).argmax(1),
    "neighbours_in_shared_bytes": lambda A: F.pad(A > 0, (1, 1)).byte().unfold(0, 3, 1).sum(1),
    "hash_table": lambda A: A.view(torch.int32).sort().values,
    "atomic_flag": lambda A: (A > 1).any(),
    "volatile_flag": lambda A: (A > 1).any(),
    "work_queue": lambda A: 2 * A,
    "ping_pong": pinged,
    "dot_product": lambda A: A @ A,
}
# Where the order of a result is open: what is compared of it.
ORDERS = {
    "compaction": lambda C: C.sort(descending=True).values,
    "hash_table": lambda C: C[C != 0].sort().values,
}

# What the kernel asks of its input; sums of whole numbers are exact in half precision, in any order.
INPUTS = {"histogram": torch.abs, "half_atomics": torch.round}


@pytest.fixture(scope="module")
def right() -> Module:
    return load_inline("right", cuda_sources=KERNELS, functions=bindable_functions(KERNELS), toolchain="emulator")


def test_every_function_has_a_reference() -> None:
    assert set(bindable_functions(KERNELS)) == set(REFERENCES)


@pytest.mark.parametrize("function", REFERENCES)
def test_a_right_kernel(right: Module, function: str) -> None:
    for size in (9, 63, 64, 100, 126):
        A = torch.randn(size)
        A = INPUTS.get(function, lambda A: A)(A)
        expected = torch.as_tensor(REFERENCES[function](A))
        C = getattr(right, function)(A.clone())
        C = ORDERS.get(function, lambda C: C)(C)
        torch.testing.assert_close(C, expected.reshape(C.shape).to(C.dtype), rtol=1e-2, atol=1e-3)
        assert trace(getattr(right, function), A).hazards == (), size


def test_a_traced_call_computes_the_same(right: Module) -> None:
    A = torch.randn(100)
    expected = right.in_place(A.clone())
    trace(right.in_place, A)
    assert torch.equal(A, expected)


def test_several_threads_that_store_the_same_value_are_a_remark(right: Module) -> None:
    found = trace(right.flag, -torch.ones(100))
    assert found.hazards == () and len(found.remarks) == 1
    assert re.match(r"line \d+ stores the same value in the new tensor of shape \(1,\)", found.remarks[0])
    assert trace(right.flag, torch.ones(100)).remarks == ()


# ----------------------------------------------------------------------------------------------------------------------
# The solutions.

SOLUTIONS = Path(__file__).parents[1] / "solutions"
SIZES = {
    ("N",): [(1,), (31,), (32,), (33,), (255,), (256,), (257,), (1000,), (4097,), (10007,)],
    ("M", "N"): [(1, 4), (1, 36), (37, 4), (32, 32), (33, 36), (64, 48), (17, 132), (129, 20), (100, 100), (3, 1028)],
    ("M", "N", "K"): [(1, 1, 1), (16, 16, 16), (17, 15, 33), (33, 31, 15), (32, 32, 32), (40, 8, 5), (1, 50, 40),
                      (50, 1, 40), (35, 37, 49), (8, 8, 100)],
}  # fmt: skip
WHOLE_TILES = [(128, 128, 8), (128, 128, 16), (128, 128, 24), (128, 128, 40), (256, 128, 8), (128, 256, 8),
               (128, 256, 16), (256, 256, 8), (384, 128, 8), (128, 384, 8)]  # fmt: skip


def solutions() -> dict[str, tuple[str, str, str]]:
    """The text of each answer that has kernels, its function and its task, by the answer's grade_id."""
    found = {}
    for path in sorted(SOLUTIONS.glob("*/*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = {cell["metadata"].get("nbgrader", {}).get("grade_id"): "".join(cell["source"]) for cell in cells}
        for question in (cell["metadata"]["course"] for cell in cells if "course" in cell["metadata"]):
            text = texts[question["answer"]]
            if text.startswith("%%"):
                found[question["answer"]] = text, question["function"], question["task"]
    return found


ANSWERS = solutions()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_solution_at_ten_sizes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, function, task = ANSWERS[name]
    monkeypatch.setattr("course.judge.TRACED_ACCESSES", 1 << 40)
    names = tuple(sorted({"M", "N", "K"} & set(load_task(task).integers), key="MNK".index))
    chosen = WHOLE_TILES if task == "fast_matmul_whole_tiles" else SIZES[names]
    cases = [Case(dict(zip(names, sizes, strict=True))) for sizes in chosen]
    verdict = judge(Answer.of_cell(text, function), task, cases=cases, toolchain="emulator")
    assert verdict.correct and not verdict.hazards and not verdict.untraced, verdict.text()
