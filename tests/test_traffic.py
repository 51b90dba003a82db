"""The traffic that the tracer counts, beside counts made by hand and by a model in NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, bindable_functions, load_inline
from course.tracing import trace

KERNELS = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void copy_kernel(const float* a, float* c, int n) { INDEX; if (i < n) c[i] = a[i]; }
WRAPPER(copy, (A.numel() + 255) / 256, 256)
__global__ void warp_and_a_half_kernel(const float* a, float* c, int n) { INDEX; if (i < n) c[i] = a[i]; }
WRAPPER(warp_and_a_half, (A.numel() + 47) / 48, 48)
__global__ void every_other_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[2 * i]; }
WRAPPER(every_other, 1, 64)
__global__ void far_apart_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[8 * i]; }
WRAPPER(far_apart, 1, 64)
__global__ void backwards_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[n - 1 - i]; }
WRAPPER(backwards, 1, 64)
__global__ void one_for_all_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[0]; }
WRAPPER(one_for_all, 1, 64)
__global__ void one_off_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[i + 1]; }
WRAPPER(one_off, 1, 64)
__global__ void grid_stride_kernel(const float* a, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i];
}
WRAPPER(grid_stride, 2, 64)
__global__ void quads_kernel(const float* a, float* c, int n) {
    INDEX;
    if (i < n / 4) {
        const float4 v = reinterpret_cast<const float4*>(a)[i];
        reinterpret_cast<float4*>(c)[i] = v;
    }
    const int tail = n / 4 * 4 + i;
    if (tail < n) c[tail] = a[tail];
}
WRAPPER(quads, 1, 64)
__global__ void pairs_kernel(const float* a, float* c, int n) {
    INDEX;
    reinterpret_cast<double*>(c)[i] = reinterpret_cast<const double*>(a)[i];
}
WRAPPER(pairs, 1, 64)
__global__ void halves_kernel(const float* a, float* c, int n) {
    INDEX;
    reinterpret_cast<short*>(c)[i] = reinterpret_cast<const short*>(a)[i];
}
WRAPPER(halves, 1, 64)
__global__ void bytes_kernel(const float* a, float* c, int n) {
    INDEX;
    reinterpret_cast<char*>(c)[i] = reinterpret_cast<const char*>(a)[i];
}
WRAPPER(bytes, 1, 64)
struct Point { float x, y, z; };
__global__ void structs_kernel(const float* a, float* c, int n) {
    INDEX;
    reinterpret_cast<Point*>(c)[i] = reinterpret_cast<const Point*>(a)[i];
}
WRAPPER(structs, 1, 32)
__global__ void members_kernel(const float* a, float* c, int n) {
    INDEX;
    c[i] = reinterpret_cast<const Point*>(a)[i].y;
}
WRAPPER(members, 1, 32)
__global__ void columns_kernel(const float* a, float* c, int n) {
    const int row = threadIdx.x, column = threadIdx.y;
    c[row * 32 + column] = a[row * 32 + column];
}
WRAPPER(columns, 1, dim3(32, 2))
__global__ void sum_kernel(const float* a, float* c, int n) { INDEX; atomicAdd(c, a[i]); }
WRAPPER(sum, 2, 64)
__global__ void float2s_kernel(const float* a, float* c, int n) {
    INDEX;
    const float2 v = reinterpret_cast<const float2*>(a)[i];
    reinterpret_cast<float2*>(c)[i] = v;
}
WRAPPER(float2s, 1, 64)
__global__ void one_quad_off_kernel(const float* a, float* c, int n) {
    INDEX;
    reinterpret_cast<float4*>(c)[i] = reinterpret_cast<const float4*>(a + 4)[i];
}
WRAPPER(one_quad_off, 1, 32)
__global__ void half_type_kernel(const float* a, float* c, int n) {
    INDEX;
    const __half h = reinterpret_cast<const __half*>(a)[2 * i];
    reinterpret_cast<__half*>(c)[i] = h;
}
WRAPPER(half_type, 1, 64)
__global__ void twice_each_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[i / 2]; }
WRAPPER(twice_each, 1, 64)
__global__ void shuffled_kernel(const float* a, float* c, int n) { INDEX; c[i ^ 21] = a[i * 37 % 64]; }
WRAPPER(shuffled, 1, 64)
__global__ void stencil_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[i] + a[i + 1] + a[i + 2]; }
WRAPPER(stencil, 1, 32)
__global__ void in_place_kernel(const float* a, float* c, int n) { INDEX; c[i] += __ldg(a + i); }
WRAPPER(in_place, 1, 64)
__global__ void squares_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 32 + threadIdx.x;
    c[i] = a[i];
}
WRAPPER(squares, 1, dim3(8, 8))
__global__ void odd_rows_kernel(const float* a, float* c, int n) {
    c[threadIdx.y * 32 + threadIdx.x] = a[threadIdx.y * 33 + threadIdx.x];
}
WRAPPER(odd_rows, 1, dim3(8, 8))
__global__ void five_wide_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 32 + threadIdx.x;
    c[i] = a[i];
}
WRAPPER(five_wide, 1, dim3(5, 7))
__global__ void twenty_four_wide_kernel(const float* a, float* c, int n) {
    const int i = threadIdx.y * 40 + threadIdx.x;
    c[i] = a[i];
}
WRAPPER(twenty_four_wide, 1, dim3(24, 4))
__global__ void cube_kernel(const float* a, float* c, int n) {
    const int i = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
    c[i] = a[i];
}
WRAPPER(cube, 1, dim3(4, 4, 4))
__global__ void one_column_kernel(const float* a, float* c, int n) {
    c[threadIdx.y * 32 + blockIdx.x] = a[threadIdx.y * 32 + blockIdx.x];
}
WRAPPER(one_column, 4, dim3(1, 32))
__global__ void own_counters_kernel(const float* a, float* c, int n) {
    INDEX;
    atomicAdd(reinterpret_cast<int*>(c) + i, static_cast<int>(a[i]));
}
WRAPPER(own_counters, 1, 64)
__global__ void row_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
    for (int j = 0; j < 8; ++j) sum += a[8 * i + j];
    c[i] = sum;
}
WRAPPER(row, 1, 32)
__global__ void column_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += a[32 * j + i];
    c[i] = sum;
}
WRAPPER(column, 1, 32)

// ---- divergence
__global__ void odd_and_even_kernel(const float* a, float* c, int n) {
    INDEX;
    float x;
    if (i % 2) x = a[i];
    else x = 2 * a[i + 64];
    c[i] = x;
}
WRAPPER(odd_and_even, 1, 64)
__global__ void triangle_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
    for (int j = 0; j <= i; ++j) sum += a[32 * j + i];
    c[i] = sum;
}
WRAPPER(triangle, 1, 32)
__global__ void found_kernel(const float* a, float* c, int n) {
    INDEX;
    int j = 0;
    while (true) {
        if (j == i % 4) break;
        c[32 * j + i] = 1;
        ++j;
    }
    c[128 + i] = a[i];
}
WRAPPER(found, 1, 32)
__global__ void skipping_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
    for (int j = 0; j < 4; ++j) {
        if ((i + j) % 2) continue;
        sum += a[32 * j + i];
    }
    c[i] = sum;
}
WRAPPER(skipping, 1, 32)
__global__ void nested_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < i % 3; ++k) sum += a[32 * k + i];
        sum *= a[96 + 32 * j + i];
    }
    c[i] = sum;
}
WRAPPER(nested, 1, 32)
__global__ void early_kernel(const float* a, float* c, int n) {
    INDEX;
    if (i >= 20) return;
    c[i] = a[i];
}
WRAPPER(early, 1, 32)
__device__ float larger(const float* a, int i) { return a[i] > 0 ? a[i + 32] : 0; }
__global__ void in_a_function_kernel(const float* a, float* c, int n) { INDEX; c[i] = larger(a, i); }
WRAPPER(in_a_function, 1, 32)
__global__ void last_lanes_kernel(const float* a, float* c, int n) {
    INDEX;
    if (i >= 20) c[i] = a[i];
}
WRAPPER(last_lanes, 1, 32)
__global__ void one_warp_kernel(const float* a, float* c, int n) {
    INDEX;
    if (threadIdx.x / 32 == 1) c[i] = a[i];
}
WRAPPER(one_warp, 2, 96)
__global__ void four_ways_kernel(const float* a, float* c, int n) {
    INDEX;
    float x = 0;
    switch (i % 4) {
        case 0: x = a[i]; break;
        case 1: x = 2 * a[i + 32]; break;
        case 2: x = 3 * a[i + 64]; break;
        case 3: x = 4 * a[i + 96];
    }
    c[i] = x;
}
WRAPPER(four_ways, 1, 32)
__global__ void halvings_kernel(const float* a, float* c, int n) {
    INDEX;
    float sum = 0;
    for (int j = i, r = 0; j > 0; j /= 2, ++r) sum += a[32 * r + i];
    c[i] = sum;
}
WRAPPER(halvings, 1, 32)
__global__ void at_least_once_kernel(const float* a, float* c, int n) {
    INDEX;
    int j = 0;
    float sum = 0;
    do {
        sum += a[32 * j + i];
    } while (++j < i / 16 * 2);
    c[i] = sum;
}
WRAPPER(at_least_once, 1, 32)
__global__ void both_kernel(const float* a, float* c, int n) {
    INDEX;
    if (i < 16 && a[i] > 0) {
        if (i % 2 == 0) c[i] = a[i + 32];
        else c[i] = 1;
    }
}
WRAPPER(both, 1, 32)
__global__ void search_kernel(const float* a, float* c, int n) {
    INDEX;
    for (int j = 0; j < 4; ++j) {
        if (j == i / 8) {
            c[i] = a[i];
            return;
        }
    }
}
WRAPPER(search, 1, 32)
__device__ float sum_of(const float* a, int count) {
    float sum = 0;
    while (count-- > 0) sum += *a++;
    return sum;
}
__global__ void loop_in_a_function_kernel(const float* a, float* c, int n) { INDEX; c[i] = sum_of(a, i < 8 ? 3 : 1); }
WRAPPER(loop_in_a_function, 1, 32)

// ---- shared memory
template <int kPad>
__device__ void transpose(const float* a, float* c) {
    __shared__ float tile[32][32 + kPad];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    c[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void unpadded_kernel(const float* a, float* c, int n) { transpose<0>(a, c); }
__global__ void padded_kernel(const float* a, float* c, int n) { transpose<1>(a, c); }
WRAPPER(unpadded, 1, dim3(32, 32))
WRAPPER(padded, 1, dim3(32, 32))
__global__ void two_apart_kernel(const float* a, float* c, int n) {
    __shared__ float tile[64];
    INDEX;
    tile[i] = a[i], tile[i + 32] = 0;
    __syncthreads();
    c[i] = tile[2 * i];
}
WRAPPER(two_apart, 1, 32)
__global__ void same_word_kernel(const float* a, float* c, int n) {
    __shared__ float tile[64];
    INDEX;
    tile[i] = a[i];
    __syncthreads();
    c[i] = tile[i / 8];
}
WRAPPER(same_word, 1, 64)
__global__ void shared_quads_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[32];
    INDEX;
    tile[i] = reinterpret_cast<const float4*>(a)[i];
    __syncthreads();
    reinterpret_cast<float4*>(c)[i] = tile[31 - i];
}
WRAPPER(shared_quads, 1, 32)
template <typename T, int kStride>
__device__ void strided(float* c) {
    __shared__ T tile[kStride * 32];
    const int i = threadIdx.x;
    tile[kStride * i] = T{};
    __syncthreads();
    const T value = tile[kStride * i];
    c[i] = *reinterpret_cast<const char*>(&value);
}
__global__ void three_apart_kernel(const float* a, float* c, int n) { strided<float, 3>(c); }
WRAPPER(three_apart, 1, 32)
__global__ void four_apart_kernel(const float* a, float* c, int n) { strided<float, 4>(c); }
WRAPPER(four_apart, 1, 32)
__global__ void thirty_two_apart_kernel(const float* a, float* c, int n) { strided<float, 32>(c); }
WRAPPER(thirty_two_apart, 1, 32)
__global__ void shared_bytes_kernel(const float* a, float* c, int n) { strided<char, 1>(c); }
WRAPPER(shared_bytes, 1, 32)
__global__ void shared_halves_kernel(const float* a, float* c, int n) { strided<short, 1>(c); }
WRAPPER(shared_halves, 1, 32)
__global__ void shared_doubles_kernel(const float* a, float* c, int n) { strided<double, 1>(c); }
WRAPPER(shared_doubles, 1, 32)
__global__ void doubles_apart_kernel(const float* a, float* c, int n) { strided<double, 2>(c); }
WRAPPER(doubles_apart, 1, 32)
__global__ void quads_in_a_column_kernel(const float* a, float* c, int n) { strided<float4, 8>(c); }
WRAPPER(quads_in_a_column, 1, 32)
__global__ void padded_quads_kernel(const float* a, float* c, int n) { strided<float4, 9>(c); }
WRAPPER(padded_quads, 1, 32)
__global__ void shared_structs_kernel(const float* a, float* c, int n) {
    __shared__ Point points[32];
    INDEX;
    points[i].x = a[i], points[i].y = 1, points[i].z = 2;
    __syncthreads();
    c[i] = points[31 - i].y;
}
WRAPPER(shared_structs, 1, 32)
__global__ void swizzled_kernel(const float* a, float* c, int n) {
    __shared__ float tile[32][32];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[y][x ^ y] = a[y * 32 + x];
    __syncthreads();
    c[y * 32 + x] = tile[x][y ^ x];
}
WRAPPER(swizzled, 1, dim3(32, 32))
__global__ void two_in_one_kernel(const float* a, float* c, int n) {
    extern __shared__ float both[];
    float* second = both + 40;
    INDEX;
    both[i] = a[i];
    if (i < 8) second[16 * i] = 0;
    __syncthreads();
    c[i] = both[i] + second[16 * (i / 4)];
}
WRAPPER(two_in_one, 1, 32, 200 * sizeof(float))
__global__ void tree_kernel(const float* a, float* c, int n) {
    __shared__ float sums[64];
    const int i = threadIdx.x;
    sums[i] = a[i];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) sums[i] = sums[i] + sums[i + half];
    }
    if (i == 0) *c = sums[0];
}
WRAPPER(tree, 1, 64)
__global__ void spread_tree_kernel(const float* a, float* c, int n) {
    __shared__ float sums[64];
    const int i = threadIdx.x;
    sums[i] = a[i];
    for (int apart = 1; apart < 64; apart *= 2) {
        __syncthreads();
        const int j = 2 * apart * i;
        if (j < 64) sums[j] = sums[j] + sums[j + apart];
    }
    if (i == 0) *c = sums[0];
}
WRAPPER(spread_tree, 1, 64)
__global__ void shared_counters_kernel(const float* a, float* c, int n) {
    __shared__ int counts[64];
    INDEX;
    counts[i] = 0;
    __syncthreads();
    atomicAdd(counts + 2 * i % 64, 1);
    __syncthreads();
    c[i] = counts[i];
}
WRAPPER(shared_counters, 1, 64)
template <typename T>
__device__ void same_for_some(float* c, int part) {
    __shared__ T tile[32];
    const int i = threadIdx.x;
    tile[i] = T{};
    __syncthreads();
    const T value = tile[i / part];
    c[i] = value.x;
}
__global__ void quads_for_pairs_kernel(const float* a, float* c, int n) { same_for_some<float4>(c, 2); }
WRAPPER(quads_for_pairs, 1, 32)
__global__ void quad_for_all_kernel(const float* a, float* c, int n) { same_for_some<float4>(c, 32); }
WRAPPER(quad_for_all, 1, 32)
__global__ void float2s_for_pairs_kernel(const float* a, float* c, int n) { same_for_some<float2>(c, 2); }
WRAPPER(float2s_for_pairs, 1, 32)
__global__ void asynchronous_kernel(const float* a, float* c, int n) {
    __shared__ float tile[128];
    INDEX;
    __pipeline_memcpy_async(&tile[2 * i], &a[i], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    c[i] = tile[2 * i];
}
WRAPPER(asynchronous, 1, 64)
__global__ void halves_alike_kernel(const float* a, float* c, int n) {
    __shared__ float2 tile[32];
    INDEX;
    tile[i] = reinterpret_cast<const float2*>(a)[i];
    __syncthreads();
    const float2 v = tile[i % 16];
    c[i] = v.x + v.y;
}
WRAPPER(halves_alike, 1, 32)
__global__ void quads_of_a_tile_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[64];
    INDEX;
    tile[i] = reinterpret_cast<const float4*>(a)[i], tile[i + 32] = reinterpret_cast<const float4*>(a)[i + 32];
    __syncthreads();
    const float4 v = tile[i % 16 * 4];
    c[i] = v.x + v.y;
}
WRAPPER(quads_of_a_tile, 1, 32)
__global__ void few_quads_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[32];
    INDEX;
    if (i < 12) tile[i] = reinterpret_cast<const float4*>(a)[i];
    __syncthreads();
    c[i] = tile[i % 12].x;
}
WRAPPER(few_quads, 1, 32)
constexpr int T = 16;
__global__ void product_kernel(const float* a, float* c, int n) {
    __shared__ float As[T][T], Bs[T][T];
    const int size = 32, row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < size; k += T) {
        As[threadIdx.y][threadIdx.x] = a[row * size + k + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * size + column];
        __syncthreads();
        for (int l = 0; l < T; ++l) {
            sum += As[threadIdx.y][l]
                   * Bs[l][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}
WRAPPER(product, dim3(2, 2), dim3(T, T))

__global__ void plus_kernel(const float* a, float* c, int n) { INDEX; c[i] = a[i] + 1; }  // added
__global__ void fold_kernel(const float* a, float* c) { INDEX; c[i] = a[2 * i] + a[2 * i + 1]; }  // folded
torch::Tensor one_after_the_other(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty({A.numel() / 2}, A.options());
    plus_kernel<<<1, 64>>>(A.data_ptr<float>(), B.data_ptr<float>(), A.numel());
    fold_kernel<<<1, 32>>>(B.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

// ---- too much
__global__ void lengthy_kernel(const float* a, float* c, int n) {
    INDEX;
    for (int j = 0; j < 400000; ++j) c[i] = c[i] + a[i];
}
WRAPPER(lengthy, 1, 32)

// ---- for the model
__global__ void gather(const float* a, const int* from, const int* rounds, float* c, int n) {
    INDEX;
    float sum = 0;
    const int end = rounds[i];
    for (int j = 0; j < end; ++j) {
        const int k = from[j * n + i];
        if (k >= 0) sum += a[k];  // gathered
    }
    c[i] = sum;
}
torch::Tensor gathered(torch::Tensor A, torch::Tensor from, torch::Tensor rounds) {
    auto C = torch::empty({rounds.numel()}, A.options());
    gather<<<1, rounds.numel()>>>(A.data_ptr<float>(), from.data_ptr<int>(), rounds.data_ptr<int>(),
                                  C.data_ptr<float>(), rounds.numel());
    return C;
}
__global__ void branch(const float* a, const int* from, const int64_t* masks, float* c, int n, int rounds) {
    INDEX;
    const int k = from[i];
    float sum = 0;
    for (int j = 0; j < rounds; ++j) {
        sum += a[k + 1280 * j];  // branch: all
        if (masks[j] >> i % 32 & 1) {
            sum *= a[k + 256 + 1280 * j];  // branch: if
            for (int m = 0; k % (j + 2) == 0 && m < 1; ++m) {
                sum += a[k + 512 + 1280 * j];  // branch: inner
            }
        } else {
            sum -= a[k + 768 + 1280 * j];  // branch: else
        }
        sum *= a[k + 1024 + 1280 * j];  // branch: after
    }
    c[i] = sum;
}
torch::Tensor branched(torch::Tensor A, torch::Tensor from, torch::Tensor masks) {
    auto C = torch::empty({from.numel()}, A.options());
    branch<<<1, from.numel()>>>(A.data_ptr<float>(), from.data_ptr<int>(), masks.data_ptr<int64_t>(),
                                C.data_ptr<float>(), from.numel(), masks.numel());
    return C;
}
template <typename T>
__global__ void gather_shared(const int* from, float* c) {
    extern __shared__ float4 memory[];
    T* tile = reinterpret_cast<T*>(memory);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = T{};
    __syncthreads();
    T value{};
    const int k = from[threadIdx.x];
    if (k >= 0) value = tile[k];  // gathered from shared memory
    __syncthreads();
    if (k >= 0) tile[k] = value;  // scattered to shared memory
    __syncthreads();
    c[threadIdx.x] = *reinterpret_cast<const char*>(tile + threadIdx.x) + *reinterpret_cast<const char*>(&value);
}
torch::Tensor gathered_shared(torch::Tensor from, int size) {
    const int threads = from.numel();
    auto C = torch::empty({threads}, from.options().dtype(torch::kFloat32));
    if (size == 1) gather_shared<char><<<1, threads, 256>>>(from.data_ptr<int>(), C.data_ptr<float>());
    if (size == 4) gather_shared<float><<<1, threads, 256 * 4>>>(from.data_ptr<int>(), C.data_ptr<float>());
    if (size == 8) gather_shared<float2><<<1, threads, 256 * 8>>>(from.data_ptr<int>(), C.data_ptr<float>());
    if (size == 16) gather_shared<float4><<<1, threads, 256 * 16>>>(from.data_ptr<int>(), C.data_ptr<float>());
    return C;
}
"""


def wrapper(match: re.Match[str]) -> str:
    """A function, in one line, that launches a kernel with the blocks and threads that follow its name."""
    name, launch = match.groups()
    return (
        f"torch::Tensor {name}(torch::Tensor A) {{ auto C = torch::zeros_like(A); "
        f"{name}_kernel<<<{launch}>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel()); return C; }}"
    )


SOURCE = re.sub(r"WRAPPER\((\w+), (.*)\)", wrapper, KERNELS)

# The elements of A, then what the kernel must ask for: requests, sectors or wavefronts, the ideal.
LOAD, STORE = ("global", "load", 4), ("global", "store", 4)
SHARED_LOAD, SHARED_STORE = ("shared", "load", 4), ("shared", "store", 4)
BY_HAND = {
    # 31 warps of 128 bytes, 4 sectors each, and 8 lanes of a 32nd in 1 sector.
    "copy": (1000, {LOAD: (32, 125, 125), STORE: (32, 125, 125)}),
    # In each of 2 blocks a whole warp in 4 sectors and half of one in 2.
    "warp_and_a_half": (96, {LOAD: (4, 12, 12), STORE: (4, 12, 12)}),
    # A warp's 32 floats lie in 256 bytes, 8 sectors; packed they would fill 4.
    "every_other": (128, {LOAD: (2, 16, 8), STORE: (2, 8, 8)}),
    # Each lane has a sector of its own.
    "far_apart": (512, {LOAD: (2, 64, 8), STORE: (2, 8, 8)}),
    # The order within a warp does not matter.
    "backwards": (64, {LOAD: (2, 8, 8), STORE: (2, 8, 8)}),
    "one_for_all": (64, {LOAD: (2, 2, 2), STORE: (2, 8, 8)}),
    # Bytes 4 to 131 touch sectors 0 to 4, bytes 132 to 259 touch 4 to 8.
    "one_off": (65, {LOAD: (2, 10, 8), STORE: (2, 8, 8)}),
    # Elements 0 to 287 are 9 warps of 4 sectors; 288 to 299 are 12 lanes, 48 bytes.
    "grid_stride": (300, {LOAD: (10, 38, 38), STORE: (10, 38, 38)}),
    # 25 lanes load 400 bytes, 12.5 sectors; 3 lanes of the tail 12 bytes in the half that is left.
    "quads": (103, {("global", "load", 16): (1, 13, 13), ("global", "store", 16): (1, 13, 13), LOAD: (1, 1, 1),
                    STORE: (1, 1, 1)}),
    "pairs": (128, {("global", "load", 8): (2, 16, 16), ("global", "store", 8): (2, 16, 16)}),
    "halves": (32, {("global", "load", 2): (2, 4, 4), ("global", "store", 2): (2, 4, 4)}),
    "bytes": (16, {("global", "load", 1): (2, 2, 2), ("global", "store", 1): (2, 2, 2)}),
    # Three loads of a word each; the words of one load lie 12 bytes apart, in each of 384 / 32 = 12 sectors.
    "structs": (96, {LOAD: (3, 36, 12), STORE: (3, 36, 12)}),
    "members": (96, {LOAD: (1, 12, 4), STORE: (1, 4, 4)}),
    # threadIdx.x is the row: 32 rows of 128 bytes, a sector of each, in both warps.
    "columns": (1024, {LOAD: (2, 64, 8), STORE: (2, 64, 8)}),
    "sum": (128, {LOAD: (4, 16, 16), ("global", "atomic", 4): (4, 4, 4)}),
    # Both branches load in either warp: 16 lanes, every other float of 128 bytes; 64 bytes would fill 2 sectors.
    "odd_and_even": (128, {LOAD: (4, 16, 8), STORE: (2, 8, 8)}),
    # In round j the lanes from j on: 4 sectors for j < 8, then 3, 2 and 1; 8 (4 + 3 + 2 + 1) = 80.
    "triangle": (1024, {LOAD: (32, 80, 80), STORE: (1, 4, 4)}),
    # In the loop 24, 16 and 8 lanes, each time out of all 4 sectors, 96, 64 and 32 bytes; then all 32 of them.
    "found": (256, {LOAD: (1, 4, 4), STORE: (4, 16, 3 + 2 + 1 + 4)}),
    # 16 lanes in each of 4 rounds, spread over 4 sectors.
    "skipping": (128, {LOAD: (4, 16, 8), STORE: (1, 4, 4)}),
    # In each of 3 rounds 21 lanes (84 bytes), 10 lanes (40 bytes) and all 32, each spread over 4 sectors.
    "nested": (256, {LOAD: (9, 36, 3 * (3 + 2 + 4)), STORE: (1, 4, 4)}),
    "early": (32, {LOAD: (1, 3, 3), STORE: (1, 3, 3)}),
    "in_a_function": (64, {LOAD: (2, 8, 8), STORE: (1, 4, 4)}),
    # A column of the tile lies in one bank: 32 wavefronts for each of 32 warps. With a padding, in all of the banks.
    "unpadded": (1024, {LOAD: (32, 128, 128), STORE: (32, 128, 128), SHARED_STORE: (32, 32, 32),
                        SHARED_LOAD: (32, 1024, 32)}),
    "padded": (1024, {LOAD: (32, 128, 128), STORE: (32, 128, 128), SHARED_STORE: (32, 32, 32),
                      SHARED_LOAD: (32, 32, 32)}),
    # Words 0, 2, ..., 62: words 0 and 32 share a bank, and so on.
    "two_apart": (32, {LOAD: (1, 4, 4), STORE: (1, 4, 4), SHARED_STORE: (2, 2, 2), SHARED_LOAD: (1, 2, 1)}),
    # Lanes that read the same word are served together.
    "same_word": (64, {LOAD: (2, 8, 8), STORE: (2, 8, 8), SHARED_STORE: (2, 2, 2), SHARED_LOAD: (2, 2, 2)}),
    # 512 bytes are four times what the banks hold.
    "shared_quads": (128, {("global", "load", 16): (1, 16, 16), ("global", "store", 16): (1, 16, 16),
                           ("shared", "store", 16): (1, 4, 4), ("shared", "load", 16): (1, 4, 4)}),
    # 4 blocks of 8 warps, 2 tiles: 64 loads for each of As and Bs, two rows of 16 floats, 2 + 2 sectors; 16 steps with
    # 2 loads from shared memory, of 2 words and of 16; a store for each warp.
    "product": (1024, {LOAD: (128, 512, 512), STORE: (32, 128, 128), SHARED_STORE: (128, 128, 128),
                       SHARED_LOAD: (2048, 2048, 2048)}),
    "float2s": (128, {("global", "load", 8): (2, 16, 16), ("global", "store", 8): (2, 16, 16)}),
    # 512 bytes from byte 16 on: sectors 0 to 16.
    "one_quad_off": (132, {("global", "load", 16): (1, 17, 16), ("global", "store", 16): (1, 16, 16)}),
    # 32 halves, every other of 128 bytes; packed 64 bytes.
    "half_type": (64, {("global", "load", 2): (2, 8, 4), ("global", "store", 2): (2, 4, 4)}),
    # 16 floats for a warp, 64 bytes.
    "twice_each": (64, {LOAD: (2, 4, 4), STORE: (2, 8, 8)}),
    # 37 i takes each of 64 places once; a warp's lie all over the 8 sectors. i ^ 21 stays in the warp's 128 bytes.
    "shuffled": (64, {LOAD: (2, 16, 8), STORE: (2, 8, 8)}),
    # 128 bytes from byte 0, 4 and 8 on.
    "stencil": (34, {LOAD: (3, 4 + 5 + 5, 12), STORE: (1, 4, 4)}),
    # c is loaded too.
    "in_place": (64, {LOAD: (4, 16, 16), STORE: (2, 8, 8)}),
    # A warp is 4 rows of 8 floats: a sector each.
    "squares": (256, {LOAD: (2, 8, 8), STORE: (2, 8, 8)}),
    # Row y begins 4 y bytes past a multiple of 32: row 0 lies in one sector, rows 1 to 7 in two each.
    "odd_rows": (264, {LOAD: (2, 15, 8), STORE: (2, 8, 8)}),
    # 35 threads. The first warp: 6 rows of 5 and 2 of row 6, in 7 sectors, 128 bytes; the second: 3 lanes, 1 sector.
    "five_wide": (224, {LOAD: (2, 8, 5), STORE: (2, 8, 5)}),
    # Rows of 96 bytes, 160 apart. Row 0 and 8 floats of row 1; 16 of row 1 and of row 2; 8 of row 2 and row 3.
    "twenty_four_wide": (160, {LOAD: (3, 12, 12), STORE: (3, 12, 12)}),
    # A warp is 8 rows of 4 floats, 16 bytes in 32: a sector each.
    "cube": (256, {LOAD: (2, 16, 8), STORE: (2, 16, 8)}),
    # In each of 4 blocks 32 rows, a sector each.
    "one_column": (1024, {LOAD: (4, 128, 16), STORE: (4, 128, 16)}),
    "own_counters": (64, {LOAD: (2, 8, 8), ("global", "atomic", 4): (2, 8, 8)}),
    # In each of 8 rounds 32 floats, 32 bytes apart.
    "row": (256, {LOAD: (8, 256, 32), STORE: (1, 4, 4)}),
    "column": (256, {LOAD: (8, 32, 32), STORE: (1, 4, 4)}),
    # 12 lanes, bytes 80 to 127: sectors 2 and 3.
    "last_lanes": (32, {LOAD: (1, 2, 2), STORE: (1, 2, 2)}),
    # The second of three warps, in both blocks.
    "one_warp": (192, {LOAD: (2, 8, 8), STORE: (2, 8, 8)}),
    # Each branch with 8 lanes, every fourth float of 128 bytes; 32 bytes would fill 1 sector.
    "four_ways": (128, {LOAD: (4, 16, 4), STORE: (1, 4, 4)}),
    # In round r the lanes from 2^r on: 31, 30, 28, 24 and 16 of them, 4, 4, 4, 3 and 2 sectors.
    "halvings": (160, {LOAD: (5, 17, 17), STORE: (1, 4, 4)}),
    # All lanes once, the upper 16 once more.
    "at_least_once": (64, {LOAD: (2, 6, 6), STORE: (1, 4, 4)}),
    # 16 lanes load 2 sectors, 8 of them every other float of 64 bytes; two stores of 8 lanes.
    "both": (64, {LOAD: (2, 4, 3), STORE: (2, 4, 2)}),
    # The lanes leave in four groups, so the line runs four times, with 8 neighbours each.
    "search": (32, {LOAD: (4, 4, 4), STORE: (4, 4, 4)}),
    # All lanes ask for a[0], then 8 lanes for a[1] and a[2].
    "loop_in_a_function": (32, {LOAD: (3, 3, 3), STORE: (1, 4, 4)}),
    # 3 and 32 have no common divisor, so word 3 i lies in each bank once.
    "three_apart": (32, {STORE: (1, 4, 4), SHARED_STORE: (1, 1, 1), SHARED_LOAD: (1, 1, 1)}),
    # Words 0, 32, 64, 96 share a bank: 4 wavefronts.
    "four_apart": (32, {STORE: (1, 4, 4), SHARED_STORE: (1, 4, 1), SHARED_LOAD: (1, 4, 1)}),
    # All in bank 0.
    "thirty_two_apart": (32, {STORE: (1, 4, 4), SHARED_STORE: (1, 32, 1), SHARED_LOAD: (1, 32, 1)}),
    # 32 bytes are 8 words: 4 lanes in each.
    "shared_bytes": (32, {STORE: (1, 4, 4), ("shared", "store", 1): (1, 1, 1), ("shared", "load", 1): (1, 1, 1)}),
    "shared_halves": (32, {STORE: (1, 4, 4), ("shared", "store", 2): (1, 1, 1), ("shared", "load", 2): (1, 1, 1)}),
    # 256 bytes, half a warp at a time.
    "shared_doubles": (32, {STORE: (1, 4, 4), ("shared", "store", 8): (1, 2, 2), ("shared", "load", 8): (1, 2, 2)}),
    # Of half a warp the words 4 i and 4 i + 1: lanes i and i + 8 share banks, so 2 wavefronts for each half.
    "doubles_apart": (32, {STORE: (1, 4, 4), ("shared", "store", 8): (1, 4, 2), ("shared", "load", 8): (1, 4, 2)}),
    # 128 bytes apart: the 8 lanes of a quarter all want banks 0 to 3, 8 wavefronts for each quarter.
    "quads_in_a_column": (32, {STORE: (1, 4, 4), ("shared", "store", 16): (1, 32, 4),
                               ("shared", "load", 16): (1, 32, 4)}),
    # 144 bytes apart: the next 4 banks for each lane of a quarter.
    "padded_quads": (32, {STORE: (1, 4, 4), ("shared", "store", 16): (1, 4, 4), ("shared", "load", 16): (1, 4, 4)}),
    # Words 3 i, 3 i + 1, 3 i + 2: each in 32 banks.
    "shared_structs": (32, {LOAD: (1, 4, 4), STORE: (1, 4, 4), SHARED_STORE: (3, 3, 3), SHARED_LOAD: (1, 1, 1)}),
    # x ^ y runs through all banks, with x as well as with y.
    "swizzled": (1024, {LOAD: (32, 128, 128), STORE: (32, 128, 128), SHARED_STORE: (32, 32, 32),
                        SHARED_LOAD: (32, 32, 32)}),
    # Words 40 + 16 j, j < 8, lie in two banks: 4 wavefronts, stored by 8 lanes, loaded by 4 lanes each.
    "two_in_one": (32, {LOAD: (1, 4, 4), STORE: (1, 4, 4), SHARED_STORE: (2, 1 + 4, 2), SHARED_LOAD: (2, 1 + 4, 2)}),
    # 2 warps store; then 32, 16, 8, 4, 2, 1 lanes of one warp load twice and store; the last lane loads the sum.
    "tree": (64, {LOAD: (2, 8, 8), STORE: (1, 1, 1), SHARED_STORE: (8, 8, 8), SHARED_LOAD: (13, 13, 13)}),
    # The words are 2, 4, ..., 64 apart: 32 lanes in 16 banks, 16 in 8, 8 in 4, 4 in 2, 2 in 1, 1: conflicts of 2, but
    # for the last. Two loads and a store each, besides 2 stores at first and the load of the sum.
    "spread_tree": (64, {LOAD: (2, 8, 8), STORE: (1, 1, 1), SHARED_STORE: (8, 2 + 11, 8),
                         SHARED_LOAD: (13, 2 * 11 + 1, 13)}),
    # In either warp words 0, 2, ..., 62: two in a bank.
    "shared_counters": (64, {STORE: (2, 8, 8), SHARED_STORE: (2, 2, 2), SHARED_LOAD: (2, 2, 2),
                             ("shared", "atomic", 4): (2, 4, 2)}),
    # Pairs of lanes ask for the same 16 bytes, so half a warp is served at once: 8 quads, 128 bytes.
    "quads_for_pairs": (32, {STORE: (1, 4, 4), ("shared", "store", 16): (1, 4, 4), ("shared", "load", 16): (1, 2, 2)}),
    # More than half a warp is never served at once.
    "quad_for_all": (32, {STORE: (1, 4, 4), ("shared", "store", 16): (1, 4, 4), ("shared", "load", 16): (1, 2, 1)}),
    # An asynchronous copy is counted once, where it is asked for.
    "asynchronous": (64, {LOAD: (2, 8, 8), SHARED_STORE: (2, 4, 2), SHARED_LOAD: (2, 4, 2), STORE: (2, 8, 8)}),
    "float2s_for_pairs": (32, {STORE: (1, 4, 4), ("shared", "store", 8): (1, 2, 2), ("shared", "load", 8): (1, 1, 1)}),
    # Lanes 16 apart ask for the same 8 bytes, and are not the pairs that are served at once.
    "halves_alike": (64, {("global", "load", 8): (1, 8, 8), STORE: (1, 4, 4), ("shared", "store", 8): (1, 2, 2),
                          ("shared", "load", 8): (1, 2, 1)}),
    # 64 bytes apart: the 8 lanes of a quarter want banks 0 to 3 and 16 to 19, 4 wavefronts for each quarter. That
    # both halves of the warp ask for the same makes them no pairs. An H200 counted 16 as well, and 2 of a quad for all,
    # in the LDS.128 of 04/04-jk and of gallery/04-a-transposed (tests/benchmarks/microscope).
    "quads_of_a_tile": (256, {("global", "load", 16): (2, 32, 32), STORE: (1, 4, 4), ("shared", "store", 16): (2, 8, 8),
                              ("shared", "load", 16): (1, 16, 2)}),
    # 8 lanes, and 4 of the next quarter. Then words 0, 4, ..., 44: the last 4 share banks with the first 4.
    "few_quads": (48, {("global", "load", 16): (1, 6, 6), STORE: (1, 4, 4), ("shared", "store", 16): (1, 2, 2),
                       SHARED_LOAD: (1, 2, 1)}),
}  # fmt: skip


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("traffic", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def counted(function, *arguments) -> dict[tuple[str, str, int], np.ndarray]:
    """Requests, units and ideal of the kernel, by space, operation and bytes."""
    found = trace(function, *arguments)
    assert found.hazards == ()
    totals: dict = {}
    for line in found.traffic:
        key = line.space, line.op, line.bytes_each
        totals[key] = totals.get(key, 0) + np.array([line.requests, line.units, line.ideal])
    return totals


@pytest.mark.parametrize("name", BY_HAND)
def test_counts_made_by_hand(run: Module, name: str) -> None:
    size, expected = BY_HAND[name]
    assert {key: tuple(count) for key, count in counted(getattr(run, name), torch.rand(size) + 1).items()} == expected


def test_each_kernel_of_a_call_has_its_own_counts(run: Module) -> None:
    found = trace(run.one_after_the_other, torch.ones(64)).traffic
    # 64 floats are 2 warps of 4 sectors; of every other float of 64 a warp takes them all, 8 sectors.
    assert [(t.kernel, t.line, t.op, t.requests, t.units) for t in found] == [
        ("fold_kernel", line_with("// folded"), "load", 2, 16), ("fold_kernel", line_with("// folded"), "store", 1, 4),
        ("plus_kernel", line_with("// added"), "load", 2, 8), ("plus_kernel", line_with("// added"), "store", 2, 8),
    ]  # fmt: skip


def test_a_count_has_its_line(run: Module) -> None:
    lines = SOURCE.split("\n")
    first = next(number for number, line in enumerate(lines, 1) if "sum += As[threadIdx.y][l]" in line)
    found = [line for line in trace(run.product, torch.randn(1024)).traffic if (line.space, line.op) == SHARED_LOAD[:2]]
    assert [(line.kernel, line.line, line.requests) for line in found] == [
        ("product_kernel", first, 1024), ("product_kernel", first + 1, 1024)
    ]  # fmt: skip


def test_counts_do_not_add_up_over_calls(run: Module) -> None:
    A = torch.randn(1000)
    assert trace(run.copy, A).traffic == trace(run.copy, A).traffic


def test_what_is_too_much_to_count(run: Module) -> None:
    found = trace(run.lengthy, torch.randn(256))
    assert found.traffic == () and found.remarks == (
        "the kernel does too much between two barriers for its traffic to be counted: trace smaller inputs",
    )


# ----------------------------------------------------------------------------------------------------------------------
# A model.


def line_with(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def sectors(addresses: np.ndarray, size: int) -> int:
    return len(np.unique(np.concatenate([addresses // 32, (addresses + size - 1) // 32])))


def wavefronts(addresses: dict[int, int], size: int) -> int:
    """Of one request to shared memory: the lanes that take part, with their addresses.

    The rules, and where they come from, stand in runtime/traffic.cpp.
    """
    at_once = min(32, 128 // size)
    pairs = (all(addresses.get(lane ^ far, at) == at for lane, at in addresses.items()) for far in (1, 2))
    if size > 4 and any(pairs):
        at_once *= 2
    total = 0
    for first in range(0, 32, at_once):
        asked = [addresses[lane] for lane in range(first, first + at_once) if lane in addresses]
        words = np.unique([at // 4 + k for at in asked for k in range(max(1, size // 4))])
        total += int(np.bincount(words.astype(int) % 32).max()) if asked else 0
    return total


examples = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@examples
@given(st.integers(1, 100), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 40, 256]))
def test_loads_from_anywhere_in_a_loop_that_lanes_leave_when_they_like(
    run: Module, threads: int, rounds: int, seed: int, spread: int
) -> None:
    random = np.random.default_rng(seed)
    ends = random.integers(0, rounds + 1, threads)
    start = random.integers(0, 256 - spread + 1)
    places = random.integers(start, start + spread, (rounds, threads))
    places[random.random(places.shape) < 0.2] = -1  # the lane skips this round
    arguments = (torch.from_numpy(places).int(), torch.from_numpy(ends).int())
    found = [line for line in trace(run.gathered, torch.randn(256), *arguments).traffic]
    expected = np.zeros(3, dtype=int)
    for warp in range(0, threads, 32):
        for j in range(rounds):
            lanes = np.arange(warp, min(warp + 32, threads))
            taken = places[j, lanes[ends[lanes] > j]]
            taken = taken[taken >= 0]
            if len(taken):
                expected += [1, sectors(4 * taken, 4), -(-4 * len(np.unique(taken)) // 32)]
    line = line_with("// gathered")
    got = [[t.requests, t.units, t.ideal] for t in found if t.line == line]
    assert np.array_equal(np.sum(got, axis=0) if got else np.zeros(3), expected)


@examples
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.integers(1, 100), st.integers(0, 100))
def test_branches_within_branches_and_loops(run: Module, masks: list[int], threads: int, seed: int) -> None:
    places = np.random.default_rng(seed).integers(0, 256, threads)
    A = torch.randn(1280 * len(masks))
    found = trace(run.branched, A, torch.from_numpy(places).int(), torch.tensor(masks)).traffic
    expected = dict.fromkeys(("all", "if", "else", "inner", "after"), np.zeros(3, dtype=int))
    for warp in range(0, threads, 32):
        lanes = np.arange(min(32, threads - warp))
        of_lanes = places[warp : warp + 32]
        for round_, mask in enumerate(masks):
            taken = (mask >> lanes) & 1 == 1
            inner = taken & (of_lanes % (round_ + 2) == 0)
            groups = {"all": taken | True, "if": taken, "else": ~taken, "inner": inner, "after": taken | True}
            for name, group in groups.items():
                at = of_lanes[group]
                if len(at):
                    counts = [1, sectors(4 * at, 4), -(-4 * len(np.unique(at)) // 32)]
                    expected[name] = expected[name] + counts
    for name, counts in expected.items():
        got = [[t.requests, t.units, t.ideal] for t in found if t.line == line_with(f"// branch: {name}")]
        assert np.array_equal(np.sum(got, axis=0) if got else np.zeros(3), counts), name


@st.composite
def patterns(draw: st.DrawFn) -> np.ndarray:
    """Where each lane of a block looks: anywhere, in pairs, all alike, in strides; some lanes are absent (-1)."""
    threads = draw(st.integers(1, 100))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    i = np.arange(threads)
    anywhere = random.integers(0, draw(st.sampled_from([1, 4, 64, 256])), 128)
    stride = draw(st.sampled_from([1, 2, 3, 4, 8, 9, 16, 32, 33]))
    places = draw(st.sampled_from([anywhere[i], anywhere[i | 1], anywhere[i & ~2], i * stride, i // 2 * stride, i ^ 5]))
    return np.where(random.random(threads) < draw(st.sampled_from([0, 0, 0.3])), -1, places % 256)


@examples
@given(patterns(), st.sampled_from([1, 4, 8, 16]))
def test_anywhere_in_shared_memory(run: Module, places: np.ndarray, size: int) -> None:
    found = trace(run.gathered_shared, torch.from_numpy(places).int(), size).traffic
    expected = [0, 0, 0]
    for first in range(0, len(places), 32):
        of_warp = {lane: int(at) * size for lane, at in enumerate(places[first : first + 32]) if at >= 0}
        if of_warp:
            ideal = -(-size * len(set(of_warp.values())) // 128)
            expected = [expected[0] + 1, expected[1] + wavefronts(of_warp, size), expected[2] + ideal]
    for text in ("// gathered from", "// scattered to"):
        at_line = [t for t in found if t.line == line_with(text) and t.space == "shared"]
        assert [[t.bytes_each, t.requests, t.units, t.ideal] for t in at_line] == (
            [[size, *expected]] if expected[0] else []
        )
