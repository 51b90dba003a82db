"""What the emulator runs: every feature of CUDA that the course's kernels use, one kernel a feature, in one module."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from course.build import Module, bindable_functions, load_inline
from course.toolchains.base import KernelError
from course.toolchains.symbols import foreign_symbols

HEAD = "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
PARTS: list[str] = []  # of the one source; each stands before the test that calls it


@pytest.fixture(scope="module")
def run() -> Module:
    source = HEAD + "\n".join(PARTS)
    return load_inline("features", cuda_sources=source, functions=bindable_functions(source), toolchain="emulator")


def part(text: str) -> None:
    PARTS.append(text)


def test_kernels_take_nothing_from_elsewhere_that_would_cost_them_their_marks(run: Module) -> None:
    assert foreign_symbols(run.undefined_symbols) == []


# ----------------------------------------------------------------------------------------------------------------------
# Grids, blocks, indices.

part(r"""
__global__ void write_indices(int* out) {
    const dim3 threads = blockDim;
    const uint3 thread = threadIdx;
    const int inside = (thread.z * threads.y + thread.y) * threads.x + thread.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int* mine = out + 6 * (block * static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + inside);
    mine[0] = blockIdx.x, mine[1] = blockIdx.y, mine[2] = blockIdx.z;
    mine[3] = threadIdx.x, mine[4] = threadIdx.y, mine[5] = threadIdx.z;
}
torch::Tensor indices(int gx, int gy, int gz, int bx, int by, int bz) {
    auto out = torch::empty({gz, gy, gx, bz, by, bx, 6}, torch::dtype(torch::kInt32).device(torch::kCUDA));
    const dim3 grid(gx, gy, gz);
    dim3 block{static_cast<unsigned>(bx), static_cast<unsigned>(by)};
    block.z = bz;
    write_indices<<<grid, block>>>(out.data_ptr<int>());
    return out;
}
""")


def test_every_thread_of_a_three_dimensional_grid_knows_its_place(run: Module) -> None:
    out = run.indices(3, 2, 4, 5, 3, 2)
    gz, gy, gx, bz, by, bx = np.indices((4, 2, 3, 2, 3, 5))
    assert np.array_equal(out.numpy(), np.stack([gx, gy, gz, bx, by, bz], axis=-1))


part(r"""
__device__ int started = 0;
__global__ void no_arguments() { atomicAdd(&started, 1); }
int64_t count_threads(int blocks, int threads) {
    started = 0;
    no_arguments<<<blocks, threads>>>();
    no_arguments<<<1, 1>>>(/* nothing */);
    cudaDeviceSynchronize();
    int host = 0;
    cudaMemcpyFromSymbol(&host, started, sizeof(int));
    return host;
}
torch::Tensor as_tensor(int blocks, int threads) {
    return torch::full({1}, count_threads(blocks, threads), torch::kInt64);
}
""")


def test_a_kernel_without_arguments_and_a_device_variable(run: Module) -> None:
    assert run.as_tensor(7, 1024).tolist() == [7 * 1024 + 1]


# ----------------------------------------------------------------------------------------------------------------------
# Vector types.

part(r"""
__global__ void swap_pairs(const float4* a, float4* c, const int2* i, int2* j, const double2* d, double2* e,
                           uchar4* u) {
    const float4 v = a[threadIdx.x];
    c[threadIdx.x] = make_float4(v.y, v.x, v.w, v.z);
    const int2 p = i[threadIdx.x];
    j[threadIdx.x] = make_int2(p.y, p.x);
    double2 q = d[threadIdx.x];
    e[threadIdx.x] = {q.y, q.x};
    u[threadIdx.x] = make_uchar4(1, 2, 3, 255);
}
std::vector<torch::Tensor> vectors(torch::Tensor A, torch::Tensor I, torch::Tensor D) {
    static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16 && alignof(int2) == 8, "");
    static_assert(sizeof(double4) == 32 && alignof(double2) == 16 && alignof(short4) == 8 && alignof(uint4) == 16, "");
    auto C = torch::empty_like(A), J = torch::empty_like(I), E = torch::empty_like(D);
    auto U = torch::empty({A.numel()}, A.options().dtype(torch::kByte));
    swap_pairs<<<1, A.numel() / 4>>>(reinterpret_cast<const float4*>(A.data_ptr<float>()),
                                     reinterpret_cast<float4*>(C.data_ptr<float>()),
                                     reinterpret_cast<const int2*>(I.data_ptr<int>()),
                                     reinterpret_cast<int2*>(J.data_ptr<int>()),
                                     reinterpret_cast<const double2*>(D.data_ptr<double>()),
                                     reinterpret_cast<double2*>(E.data_ptr<double>()),
                                     reinterpret_cast<uchar4*>(U.data_ptr<uint8_t>()));
    return {C, J, E, U};
}
""")


def test_vector_types_load_and_store_their_elements(run: Module) -> None:
    A, D = torch.randn(8, 4), torch.randn(8, 2, dtype=torch.double)
    C, J, E, U = run.vectors(A, torch.arange(16, dtype=torch.int32).view(8, 2), D)
    assert torch.equal(C, A[:, [1, 0, 3, 2]])
    assert torch.equal(J, torch.arange(16, dtype=torch.int32).view(8, 2).flip(1))
    assert torch.equal(E, D.flip(1))
    assert U.tolist() == [1, 2, 3, 255] * 8


# ----------------------------------------------------------------------------------------------------------------------
# Shared memory.

part(r"""
template <typename T, int kThreads>
__global__ void reverse_static(const T* a, T* c) {
    __shared__ T tile[kThreads];
    __shared__ int last;
    tile[threadIdx.x] = a[blockIdx.x * kThreads + threadIdx.x];
    if (threadIdx.x == 0) last = kThreads - 1;
    __syncthreads();
    c[blockIdx.x * kThreads + threadIdx.x] = tile[last - threadIdx.x];
}
template <typename T>
__global__ void reverse_dynamic(const T* a, T* c) {
    extern __shared__ unsigned char raw[];
    T* tile = reinterpret_cast<T*>(raw);
    tile[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    c[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void reverse_float4(const float4* a, float4* c) {
    extern __shared__ float4 quads[];
    quads[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = quads[blockDim.x - 1 - threadIdx.x];
}
__global__ void reverse_double(const double* a, double* c) {
    extern __shared__ __align__(16) double doubles[];
    doubles[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = doubles[blockDim.x - 1 - threadIdx.x];
}
torch::Tensor reversed_static(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_ALL_TYPES(A.scalar_type(), "reverse", [&] {
        reverse_static<scalar_t, 64><<<A.numel() / 64, 64>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    });
    return C;
}
torch::Tensor reversed_dynamic(torch::Tensor A, int threads) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "reverse", ([&] {
        reverse_dynamic<scalar_t><<<A.numel() / threads, threads, threads * sizeof(scalar_t)>>>(
            A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>());
    }));
    return C;
}
torch::Tensor reversed_quads(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_float4<<<1, A.numel() / 4, A.nbytes()>>>((const float4*)A.data_ptr<float>(), (float4*)C.data_ptr<float>());
    return C;
}
torch::Tensor reversed_doubles(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_double<<<1, A.numel(), A.nbytes()>>>(A.data_ptr<double>(), C.data_ptr<double>());
    return C;
}
""")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.uint8])
def test_static_shared_memory_in_a_template(run: Module, dtype: torch.dtype) -> None:
    A = torch.arange(5 * 64).to(dtype)
    assert torch.equal(run.reversed_static(A), A.view(5, 64).flip(1).flatten())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("threads", [1, 33, 1024])
def test_dynamic_shared_memory_of_bytes_in_a_template(run: Module, dtype: torch.dtype, threads: int) -> None:
    A = torch.randn(3 * threads).to(dtype)
    assert torch.equal(run.reversed_dynamic(A, threads), A.view(3, threads).flip(1).flatten())


def test_dynamic_shared_memory_of_float4_and_of_double(run: Module) -> None:
    A = torch.randn(100, 4)
    assert torch.equal(run.reversed_quads(A), A.flip(0))
    D = torch.randn(300, dtype=torch.double)
    assert torch.equal(run.reversed_doubles(D), D.flip(0))


part(r"""
__global__ void opened(float* c, int n) {
    extern __shared__ float wide[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) wide[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = wide[n - 1 - i];
}
template <typename T>
__global__ void opened_template(T* c, int n) {
    extern __shared__ double wide_template[];
    T* wide = reinterpret_cast<T*>(wide_template);
    for (int i = threadIdx.x; i < n; i += blockDim.x) wide[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = wide[n - 1 - i];
}
torch::Tensor wide_shared(int64_t n) {
    auto C = torch::empty({n}, torch::device(torch::kCUDA));
    const int bytes = n * sizeof(float);
    AT_CUDA_CHECK(cudaFuncSetAttribute(opened, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    opened<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    return C;
}
torch::Tensor wide_shared_template(int64_t n) {
    auto C = torch::empty({n}, torch::device(torch::kCUDA));
    const int bytes = n * sizeof(float);
    AT_CUDA_CHECK(cudaFuncSetAttribute(opened_template<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    opened_template<float><<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    opened_template<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    void (*kernel)(float*, int) = opened_template<float>;
    kernel<<<1, 128, bytes>>>(C.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
""")


@pytest.mark.parametrize("function", ["wide_shared", "wide_shared_template"])
def test_more_than_48_kb_of_dynamic_shared_memory_after_opting_in(run: Module, function: str) -> None:
    n = 200 * 1024 // 4
    assert torch.equal(getattr(run, function)(n), torch.arange(n).flip(0).float())


# ----------------------------------------------------------------------------------------------------------------------
# Barriers.

part(r"""
__global__ void block_sums(const float* a, float* c, int n) {
    __shared__ float partial[1024];
    float sum = 0;
    for (int i = blockIdx.x * n + threadIdx.x; i < (blockIdx.x + 1) * n; i += blockDim.x) sum += a[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) c[blockIdx.x] = partial[0];
}
torch::Tensor row_sums(torch::Tensor A, int threads) {
    auto C = torch::empty({A.size(0)}, A.options());
    block_sums<<<A.size(0), threads>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
    return C;
}
__global__ void predicates(const int* a, int* c) {
    const int predicate = a[threadIdx.x];
    const int count = __syncthreads_count(predicate);
    const int all = __syncthreads_and(predicate);
    const int any = __syncthreads_or(predicate);
    int* mine = c + 3 * threadIdx.x;
    mine[0] = count, mine[1] = all != 0, mine[2] = any != 0;
}
torch::Tensor barrier_predicates(torch::Tensor A) {
    auto C = torch::empty({A.numel(), 3}, A.options());
    predicates<<<1, A.numel()>>>(A.data_ptr<int>(), C.data_ptr<int>());
    return C;
}
""")


part(r"""
#include <cuda_pipeline.h>
__global__ void copied_later(const float* a, float* c) {
    __shared__ __align__(16) float tile[3][128];
    float* mine[] = {&tile[0][4 * threadIdx.x], &tile[1][4 * threadIdx.x], &tile[2][4 * threadIdx.x]};
    for (float* place : mine) place[0] = place[1] = place[2] = place[3] = -1.0f;
    const auto look = [&](int row) {
        for (int i = 0; i < 12; ++i) c[(row * 32 + threadIdx.x) * 12 + i] = mine[i / 4][i % 4];
    };
    __pipeline_memcpy_async(mine[0], &a[4 * threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(mine[1], &a[4 * threadIdx.x], 16, 8);
    __pipeline_memcpy_async(mine[1] + 2, &a[4 * threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(mine[2], a, 16, 16);  // never committed
    look(0);
    __pipeline_wait_prior(1);
    look(1);
    __pipeline_wait_prior(0);
    look(2);
}
torch::Tensor asynchronous(torch::Tensor A) {
    auto C = torch::empty({3, 32, 12}, A.options());
    copied_later<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void copied_by_threes(const float* a) {
    __shared__ float tile[1];
    __pipeline_memcpy_async(tile, a, 3);
}
__global__ void copied_from_within(const float* a) {
    __shared__ alignas(16) float tile[4];
    __pipeline_memcpy_async(tile, a + 1, 16);
}
torch::Tensor misaligned_copy(torch::Tensor A) {
    copied_from_within<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
torch::Tensor three_bytes(torch::Tensor A) {
    copied_by_threes<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
""")


def test_an_asynchronous_copy_arrives_when_its_batch_is_waited_for(run: Module) -> None:
    A = torch.rand(32, 4)
    nothing = torch.full((32, 4), -1.0)
    zeros = torch.stack([A[:, 0], A[:, 1], A[:, 0], torch.zeros(32)], 1)
    expected = [[nothing, nothing, nothing], [A, nothing, nothing], [A, zeros, nothing]]
    assert torch.equal(run.asynchronous(A), torch.stack([torch.cat(row, 1) for row in expected]))


def test_an_asynchronous_copy_of_another_size_or_unaligned_is_refused(run: Module) -> None:
    with pytest.raises(KernelError, match="copies 4, 8 or 16 bytes"):
        run.three_bytes(torch.ones(1))
    with pytest.raises(KernelError, match=r"misaligned: .* no multiple of 16"):
        run.misaligned_copy(torch.ones(8))


@pytest.mark.parametrize("threads", [1, 64, 1024])
def test_many_blocks_with_barriers(run: Module, threads: int) -> None:
    A = torch.randint(-8, 8, (300, 1500)).float()
    assert torch.equal(run.row_sums(A, threads), A.sum(1))


@pytest.mark.parametrize("size", [1, 32, 77, 1024])
def test_barriers_that_count_and_combine_predicates(run: Module, size: int) -> None:
    some = torch.randint(0, 3, (size,), dtype=torch.int32)
    for values in (some, torch.zeros_like(some), torch.full_like(some, 5)):
        expected = [int((values != 0).sum()), int(bool((values != 0).all())), int(bool((values != 0).any()))]
        assert run.barrier_predicates(values).tolist() == [expected] * size


# ----------------------------------------------------------------------------------------------------------------------
# Warps. The property tests have random masks, widths and values.

part(r"""
template <typename T>
__device__ T warp_sum(T value) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}
template <typename T>
__global__ void sum_block(const T* a, T* c, int n) {
    __shared__ T partial[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T value = warp_sum(static_cast<int>(threadIdx.x) < n ? a[threadIdx.x] : T(0));
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < static_cast<int>(blockDim.x / 32) ? partial[lane] : T(0));
        if (lane == 0) *c = value;
    }
}
torch::Tensor warp_sums(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "sum", [&] {
        sum_block<scalar_t><<<1, 1024>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.numel());
    });
    return C;
}
// Lanes past the end have returned: a mask may name them, and the others do not wait for them.
__global__ void guarded_any(const int* a, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __any_sync(0xffffffff, a[i] == 7) * 2 + __all_sync(0xffffffff, a[i] >= 0);
}
torch::Tensor guarded_votes(torch::Tensor A) {
    auto C = torch::empty_like(A);
    guarded_any<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<int>(), C.data_ptr<int>(), A.numel());
    return C;
}
// The lower half of a warp exchanges values through shared memory while the upper half does something else.
__global__ void half_warps(int* c) {
    __shared__ int slot[32];
    const unsigned lane = threadIdx.x;
    if (lane < 16) {
        slot[lane] = lane;
        __syncwarp(0x0000ffff);
        c[lane] = slot[15 - lane];
        __syncwarp(0x0000ffffu);
    } else {
        c[lane] = __shfl_xor_sync(0xffff0000, lane, 1);
    }
    __syncwarp();
    c[lane] += 100 * __popc(__activemask());
}
torch::Tensor partial_masks() {
    auto C = torch::empty({32}, torch::dtype(torch::kInt).device(torch::kCUDA));
    half_warps<<<1, 32>>>(C.data_ptr<int>());
    return C;
}
// One atomic for all the lanes that come here together, whichever they are.
__global__ void append_even(const int* a, int* count, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] % 2 == 0) {
        const unsigned together = __activemask();
        const int lane = threadIdx.x % 32, leader = __ffs(together) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(together));
        base = __shfl_sync(together, base, leader);
        c[base + __popc(together & ((1u << lane) - 1))] = a[i];
    }
}
torch::Tensor even_ones(torch::Tensor A) {
    auto C = torch::zeros_like(A);
    auto count = torch::zeros({1}, A.options());
    append_even<<<(A.numel() + 127) / 128, 128>>>(A.data_ptr<int>(), count.data_ptr<int>(), C.data_ptr<int>(),
                                                 A.numel());
    return C.slice(0, 0, count.item<int>());
}
""")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_block_sum_by_shuffles(run: Module, dtype: torch.dtype) -> None:
    for size in (1, 31, 1000, 1024):
        A = torch.randint(-100, 100, (size,)).to(dtype)
        assert run.warp_sums(A).item() == A.sum().item()


@pytest.mark.parametrize("size", [1, 31, 33, 250, 1000])
def test_a_vote_does_not_wait_for_lanes_that_have_returned(run: Module, size: int) -> None:
    A = torch.randint(-1, 9, (size,), dtype=torch.int32)
    warps = [A[at : at + 32] for at in range(0, size, 32)]
    expected = [2 * int((w == 7).any()) + int((w >= 0).all()) for w in warps for _ in w]
    assert run.guarded_votes(A).tolist() == expected


def test_parts_of_a_warp_go_their_own_ways(run: Module) -> None:
    expected = [15 - lane for lane in range(16)] + [lane ^ 1 for lane in range(16, 32)]
    assert run.partial_masks().tolist() == [value + 3200 for value in expected]


def test_activemask_names_the_lanes_that_are_here(run: Module) -> None:
    A = torch.randint(1, 100, (1000,), dtype=torch.int32)
    assert sorted(run.even_ones(A).tolist()) == sorted(A[A % 2 == 0].tolist())


# ----------------------------------------------------------------------------------------------------------------------
# Atomics.

part(r"""
template <typename T>
__global__ void add_all(const T* a, T* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(c, a[i]);
}
__global__ void add_all_long(const int64_t* a, int64_t* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(reinterpret_cast<unsigned long long*>(c), static_cast<unsigned long long>(a[i]));
}
torch::Tensor atomic_sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    const int n = A.numel(), blocks = (n + 255) / 256;
    if (A.scalar_type() == torch::kInt64) {
        add_all_long<<<blocks, 256>>>(A.data_ptr<int64_t>(), C.data_ptr<int64_t>(), n);
    } else if (A.scalar_type() == torch::kInt32) {
        add_all<<<blocks, 256>>>(A.data_ptr<int>(), C.data_ptr<int>(), n);
    } else {
        AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "atomic_sum", [&] {
            add_all<scalar_t><<<blocks, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), n);
        });
    }
    return C;
}
__device__ float atomicMaxFloat(float* address, float value) {
    int* as_int = (int*)address;
    int old = *as_int, assumed;
    do {
        assumed = old;
        old = atomicCAS(as_int, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void max_all(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMaxFloat(c, a[i]);
}
torch::Tensor cas_maximum(torch::Tensor A) {
    auto C = torch::full({1}, -INFINITY, A.options());
    max_all<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void every_atomic(int* c, unsigned* u) {
    __shared__ int shared;
    const int i = threadIdx.x;
    if (i == 0) shared = 0;
    __syncthreads();
    atomicAdd(&shared, 1);
    atomicSub(c, i);
    atomicMin(c + 1, 50 - i);
    atomicMax(c + 2, i);
    atomicAnd(c + 3, ~(1 << (i % 20)));
    atomicOr(c + 4, 1 << (i % 20));
    atomicXor(c + 5, i);
    if (i == 63) c[6] = atomicExch(c + 7, -1);
    c[8] = atomicCAS(c + 9, 12, 13);
    atomicInc(u, 9);
    atomicDec(u + 1, 9);
    atomicMax(u + 2, 4000000000u);
    __syncthreads();
    if (i == 0) c[10] = shared;
}
std::vector<torch::Tensor> atomics(torch::Tensor C, torch::Tensor U) {
    every_atomic<<<1, 64>>>(C.data_ptr<int>(), reinterpret_cast<unsigned*>(U.data_ptr<int>()));
    return {C, U};
}
""")


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
def test_atomic_add_of_every_type(run: Module, dtype: torch.dtype) -> None:
    A = torch.randint(-1000, 1000, (5000,)).to(dtype)
    assert run.atomic_sum(A).item() == A.sum().item()


def test_a_compare_and_swap_loop(run: Module) -> None:
    A = torch.randn(3000)
    assert run.cas_maximum(A).item() == A.max().item()


def test_the_other_atomics(run: Module) -> None:
    C = torch.tensor([0, 100, -5, -1, 0, 0, 0, 42, 0, 12, 0], dtype=torch.int32)
    C, U = run.atomics(C, torch.zeros(3, dtype=torch.int32))
    xor = 0
    for i in range(64):
        xor ^= i
    low20 = (1 << 20) - 1
    assert C.tolist() == [-sum(range(64)), 50 - 63, 63, ~low20, low20, xor, 42, -1, 13, 13, 64]
    # 64 increments modulo 10; 64 decrements from 0, of which the first wraps to 9; as unsigned bits.
    assert U.tolist() == [64 % 10, (-64) % 10, 4000000000 - 2**32]


# ----------------------------------------------------------------------------------------------------------------------
# Half precision.

part(r"""
__global__ void half_to_float(const __half* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __half2float(a[i]);
}
__global__ void float_to_half(const float* a, __half* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __float2half(a[i]);
}
const __half* half_pointer(const torch::Tensor& A) { return reinterpret_cast<const __half*>(A.data_ptr<at::Half>()); }
torch::Tensor widened(torch::Tensor A) {
    auto C = torch::empty_like(A, A.options().dtype(torch::kFloat));
    half_to_float<<<(A.numel() + 255) / 256, 256>>>(half_pointer(A), C.data_ptr<float>(), A.numel());
    return C;
}
torch::Tensor narrowed(torch::Tensor A) {
    auto C = torch::empty_like(A, A.options().dtype(torch::kHalf));
    float_to_half<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), (half*)C.data_ptr(), A.numel());
    return C;
}
__global__ void half_arithmetic(const half* a, const half* b, half* c, int* tests, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hadd(a[i], b[i]);
    c[n + i] = __hsub(a[i], b[i]);
    c[2 * n + i] = __hmul(a[i], b[i]);
    c[3 * n + i] = __hdiv(a[i], b[i]);
    c[4 * n + i] = __hfma(a[i], b[i], a[i]);
    c[5 * n + i] = hexp(__hneg(__habs(a[i])));
    tests[i] = __hlt(a[i], b[i]) | __hge(a[i], b[i]) << 1 | __heq(a[i], a[i]) << 2 | __hisnan(a[i]) << 3;
    const half2 sum = __hadd2(__halves2half2(a[i], b[i]), __half2half2(a[i]));
    const half2 fused = __hfma2(sum, sum, __float2half2_rn(1.0f));
    c[6 * n + i] = __low2half(sum);
    c[7 * n + i] = __high2half(fused);
}
std::vector<torch::Tensor> halves(torch::Tensor A, torch::Tensor B) {
    const int n = A.numel();
    auto C = torch::empty({8, n}, A.options());
    auto T = torch::empty({n}, A.options().dtype(torch::kInt));
    half_arithmetic<<<(n + 255) / 256, 256>>>(half_pointer(A), half_pointer(B), (half*)C.data_ptr<at::Half>(),
                                             T.data_ptr<int>(), n);
    return {C, T};
}
template <typename scalar_t>
__global__ void scale(const scalar_t* a, scalar_t* c, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = static_cast<scalar_t>(static_cast<float>(a[i]) * factor) + a[i] * scalar_t(2);
}
torch::Tensor scaled(torch::Tensor A, double factor) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(A.scalar_type(), "scaled", [&] {
        scale<scalar_t><<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), factor,
                                                         A.numel());
    });
    return C;
}
""")


def every_half() -> torch.Tensor:
    return torch.from_numpy(np.arange(65536, dtype=np.uint16).view(np.int16)).view(torch.float16)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Equal, NaN where the other is NaN, and zeros of the same sign."""
    return bool(((a == b) & (torch.signbit(a) == torch.signbit(b)) | (a.isnan() & b.isnan())).all())


def rounded_once(exact: torch.Tensor) -> torch.Tensor:
    """Of float64, to half: PyTorch goes by way of float32, NumPy straight."""
    with np.errstate(over="ignore"):
        return torch.from_numpy(exact.numpy().astype(np.float16))


def test_every_half_becomes_its_float_and_itself_again(run: Module) -> None:
    halves = every_half()
    floats = run.widened(halves)
    assert same(floats, halves.float())
    assert same(run.narrowed(floats), halves)


def test_floats_between_two_halves_round_to_the_nearest_and_ties_to_even(run: Module) -> None:
    finite = every_half()[every_half().isfinite()].float().sort().values
    middle = (finite[1:].double() + finite[:-1].double()) / 2
    around = torch.cat([middle.float(), middle.float().nextafter(finite[1:]), middle.float().nextafter(finite[:-1])])
    extremes = torch.tensor([65519.996, 65520.0, 1e30, -65520.0, 2.0**-25, 2.0**-25 * 1.001, -1e-30, math.nan])
    floats = torch.cat([around, extremes])
    assert same(run.narrowed(floats), floats.half())


def test_half_arithmetic_rounds_once(run: Module) -> None:
    torch.manual_seed(1)
    A, B = every_half(), every_half()[torch.randperm(65536)]
    C, tests = run.halves(A, B)
    a, b = A.double(), B.double()
    for row, exact in enumerate((a + b, a - b, a * b, a / b)):
        assert same(C[row], exact.half()), row
    finite = (a.abs() < 1000) & (b.abs() < 1000)  # where float64 holds a product and a sum of halves exactly
    assert same(C[4][finite], rounded_once(a * b + a)[finite])
    assert torch.allclose(
        C[5].float(), torch.exp(-A.float().abs()).half().float(), rtol=1e-3, atol=1e-7, equal_nan=True
    )
    assert torch.equal(tests, (a < b) * 1 + (a >= b) * 2 + (a == a) * 4 + a.isnan() * 8)
    assert same(C[6], (a + a).half())
    upper = (b + a).half().double()
    small = upper.abs() < 100
    assert same(C[7][small], rounded_once(upper * upper + 1)[small])


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_dispatch_runs_the_kernel_of_the_tensors_type(run: Module, dtype: torch.dtype) -> None:
    A = torch.randint(-50, 50, (700,)).to(dtype)
    assert torch.equal(run.scaled(A, 0.5), A * 2.5)


def test_dispatch_refuses_other_types_as_pytorch_does(run: Module) -> None:
    with pytest.raises(NotImplementedError, match="\"scaled\" not implemented for 'Int'"):
        run.scaled(torch.ones(3, dtype=torch.int32), 1.0)


# ----------------------------------------------------------------------------------------------------------------------
# Mathematics.

UNARY = {  # CUDA's function of a float: PyTorch's, and the relative error allowed
    "expf": torch.exp, "logf": torch.log, "sqrtf": torch.sqrt, "rsqrtf": torch.rsqrt, "tanhf": torch.tanh,
    "sinf": torch.sin, "cosf": torch.cos, "erff": torch.erf, "log1pf": torch.log1p, "fabsf": torch.abs,
    "floorf": torch.floor, "ceilf": torch.ceil, "exp2f": torch.exp2, "log2f": torch.log2, "expm1f": torch.expm1,
    "__expf": torch.exp, "__logf": torch.log, "__sinf": torch.sin, "__cosf": torch.cos, "__frsqrt_rn": torch.rsqrt,
    "__frcp_rn": torch.reciprocal, "__log2f": torch.log2, "__log10f": torch.log10,
    "__saturatef": lambda x: x.clamp(0, 1),
    # CUDA has these for float too; C's would take an int or a double.
    "abs": torch.abs, "exp": torch.exp, "sqrt": torch.sqrt, "tanh": torch.tanh, "fabs": torch.abs, "rsqrt": torch.rsqrt,
    "normcdff": torch.special.ndtr, "rcbrtf": lambda x: x.pow(-1 / 3),
}  # fmt: skip
BINARY = {
    "fmaxf": torch.maximum, "fminf": torch.minimum, "powf": torch.pow, "__powf": torch.pow, "fmodf": torch.fmod,
    "__fdividef": torch.divide, "max": torch.maximum, "min": torch.minimum, "atan2f": torch.atan2,
    "hypotf": torch.hypot,
    "__fadd_rn": torch.add, "__fmul_rn": torch.mul, "fdividef": torch.divide, "pow": torch.pow, "fmax": torch.maximum,
    "copysignf": torch.copysign,
}  # fmt: skip

part(
    "__global__ void mathematics(const float* a, const float* b, float* c, int n) {\n"
    "    const int i = threadIdx.x;\n    const float x = a[i], y = b[i];\n    float* out = c + i;\n"
    + "".join(f"    *out = {name}(x); out += n;\n" for name in UNARY)
    + "".join(f"    *out = {name}(x, y); out += n;\n" for name in BINARY)
    + r"""
}
torch::Tensor maths(torch::Tensor A, torch::Tensor B, int64_t functions) {
    auto C = torch::empty({functions, A.numel()}, A.options());
    mathematics<<<1, A.numel()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void integers(int* c) {
    int k = 0;
    c[k++] = __popc(0xF0F0u), c[k++] = __clz(1), c[k++] = __clz(0), c[k++] = __ffs(8), c[k++] = __ffs(0);
    c[k++] = __popcll(~0ull), c[k++] = __clzll(1), c[k++] = static_cast<int>(__brev(1u));
    c[k++] = __mul24(-3, 5), c[k++] = __umulhi(0x80000000u, 4u), c[k++] = min(3, 5), c[k++] = max(-3, -5);
    c[k++] = max(7u, 5), c[k++] = min(1LL << 40, 9LL), c[k++] = abs(-9), c[k++] = __float2int_rn(2.5f);
    c[k++] = __float2int_rz(-2.7f), c[k++] = __float_as_int(1.0f), c[k++] = __funnelshift_l(0x80000000u, 1u, 1);
    float s, t;
    sincosf(0.0f, &s, &t);
    c[k++] = static_cast<int>(s + t), c[k++] = isnan(NAN) && isinf(INFINITY) && !isfinite(-INFINITY);
    c[k++] = __ldg(c) + static_cast<int>(warpSize), c[k++] = INT_MAX == 2147483647;
}
torch::Tensor integer_maths() {
    auto C = torch::empty({23}, torch::dtype(torch::kInt).device(torch::kCUDA));
    integers<<<1, 1>>>(C.data_ptr<int>());
    return C;
}
"""
)


def test_maths_functions_and_fast_intrinsics(run: Module) -> None:
    A, B = torch.rand(500) * 3 + 0.1, torch.rand(500) * 3 + 0.1
    out = run.maths(A, B, len(UNARY) + len(BINARY))
    expected = [function(A) for function in UNARY.values()] + [function(A, B) for function in BINARY.values()]
    for name, got, want in zip([*UNARY, *BINARY], out, expected, strict=True):
        assert torch.allclose(got, want, rtol=3e-6, atol=1e-7), name


def test_functions_of_negative_floats_are_not_those_of_integers(run: Module) -> None:
    A = -torch.rand(100)
    out = dict(zip(UNARY, run.maths(A, A, len(UNARY) + len(BINARY)), strict=False))
    assert torch.equal(out["abs"], A.abs()) and torch.equal(out["fabs"], A.abs())
    assert torch.equal(out["floorf"], A.floor()) and out["sqrt"].isnan().all()


def test_integer_and_bit_functions(run: Module) -> None:
    assert run.integer_maths().tolist() == [
        8, 31, 32, 4, 0, 64, 63, -(2**31), -15, 2, 3, -3, 7, 9, 9, 2, -2, 0x3F800000, 3, 1, 1, 40, 1,
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------
# Functions, templates, constants.

part(r"""
namespace course_test {
template <int N>
struct Power {
    __device__ static float of(float x) { return x * Power<N - 1>::of(x); }
};
template <>
struct Power<0> {
    __device__ static float of(float) { return 1.0f; }
};
}  // namespace course_test
struct AddConstant {
    float constant;
    __host__ __device__ float operator()(float x) const { return x + constant; }
};
template <typename Op>
__global__ void map(Op f, const float* a, float* c, int n);  // declared first, defined below
constexpr int kBlock = 128;
inline int cdiv(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int twice(int x) { return 2 * x; }
constexpr int shared_by_both(int x) { return x + 1; }
torch::Tensor mapped(torch::Tensor A, double constant) {
    auto C = torch::empty_like(A);
    map<<<cdiv(A.numel(), kBlock), kBlock>>>(AddConstant{static_cast<float>(constant)}, A.data_ptr<float>(),
                                           C.data_ptr<float>(), A.numel());
    return C;
}
template <typename Op>
__global__ void map(Op f, const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = f(a[i]) + course_test::Power<3>::of(a[i]) + twice(shared_by_both(0));
}
torch::Tensor f(torch::Tensor A) { return A; }  // a host function of the functor parameter's name

__constant__ float coefficients[4];
__constant__ int constants_used = 3;
__global__ void polynomial(const float* __restrict__ a, float* __restrict__ c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = constants_used; k >= 0; --k) sum = sum * a[i] + coefficients[k];
    c[i] = sum;
}
torch::Tensor evaluated(torch::Tensor A, std::vector<double> values) {
    std::vector<float> floats(values.begin(), values.end());
    C10_CUDA_CHECK(cudaMemcpyToSymbol(coefficients, floats.data(), 2 * sizeof(float)));
    C10_CUDA_CHECK(cudaMemcpyToSymbol(coefficients, floats.data() + 2, 2 * sizeof(float), 2 * sizeof(float)));
    TORCH_CHECK(cudaMemcpyToSymbol(coefficients, floats.data(), 5 * sizeof(float)) == cudaErrorInvalidValue);
    auto C = torch::empty_like(A);
    polynomial<<<cdiv(A.numel(), 64), 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
""")


def test_functors_templates_and_helpers_of_both_sides(run: Module) -> None:
    A = torch.randint(-5, 5, (300,)).float()
    assert torch.equal(run.mapped(A, 10.0), A + 10 + A**3 + 2)


def test_constant_memory(run: Module) -> None:
    A = torch.randint(-5, 5, (300,)).float()
    assert torch.equal(run.evaluated(A, [1, 2, 3, 4]), 1 + 2 * A + 3 * A**2 + 4 * A**3)


# ----------------------------------------------------------------------------------------------------------------------
# The host's side: streams, events, memory, several kernels in a row, attributes.

part(r"""
__global__ void increase(int* c, int by) { c[blockIdx.x * blockDim.x + threadIdx.x] += by; }
torch::Tensor host_side(torch::Tensor A) {
    int *device = nullptr, *other = nullptr;
    const size_t bytes = A.numel() * sizeof(int);
    std::vector<int> host(A.numel());
    cudaStream_t mine;
    cudaEvent_t start, stop;
    C10_CUDA_CHECK(cudaMalloc(&device, bytes));
    C10_CUDA_CHECK(cudaMalloc((void**)&other, bytes));
    C10_CUDA_CHECK(cudaStreamCreate(&mine));
    C10_CUDA_CHECK(cudaEventCreate(&start));
    C10_CUDA_CHECK(cudaEventCreate(&stop));
    const at::cuda::CUDAStream current = at::cuda::getCurrentCUDAStream();
    C10_CUDA_CHECK(cudaEventRecord(start, current));
    C10_CUDA_CHECK(cudaMemcpy(device, A.data_ptr<int>(), bytes, cudaMemcpyDeviceToDevice));
    C10_CUDA_CHECK(cudaMemsetAsync(other, 0, bytes, mine));
    increase<<<A.numel() / 10, 10, 0, current>>>(device, 1);
    increase<<<A.numel() / 10, 10, 0, mine>>>(other, 5);
    increase<<<dim3(1), dim3(1), 0, at::cuda::getCurrentCUDAStream().stream()>>>(device, 100);
    C10_CUDA_CHECK(cudaMemcpyAsync(host.data(), other, bytes, cudaMemcpyDeviceToHost, mine));
    C10_CUDA_CHECK(cudaStreamSynchronize(mine));
    C10_CUDA_CHECK(cudaEventRecord(stop));
    C10_CUDA_CHECK(cudaEventSynchronize(stop));
    float milliseconds = -1;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    TORCH_CHECK(milliseconds >= 0);
    auto C = torch::empty_like(A);
    C10_CUDA_CHECK(cudaMemcpy(C.data_ptr<int>(), device, bytes, cudaMemcpyDeviceToDevice));
    for (size_t i = 0; i < host.size(); ++i) TORCH_CHECK(host[i] == 5, "element ", i, " is ", host[i]);
    cudaEventDestroy(start), cudaEventDestroy(stop), cudaStreamDestroy(mine);
    C10_CUDA_CHECK(cudaFree(device));
    C10_CUDA_CHECK(cudaFree(other));
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    return C;
}
int64_t limit(torch::Tensor, const std::string& name) {
    int device = -1, value = 0;
    TORCH_CHECK(cudaGetDevice(&device) == cudaSuccess && device == 0);
    cudaDeviceProp properties;
    TORCH_CHECK(cudaGetDeviceProperties(&properties, device) == cudaSuccess);
    if (name == "threads") return properties.maxThreadsPerBlock;
    if (name == "warp") return properties.warpSize;
    TORCH_CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess);
    return value;
}
__global__ void more_of_cuda(int* c, long2* v) {
    const long2 pair = make_long2(1, 2);
    *v = pair;
    int all = -1;
    c[threadIdx.x] = __match_all_sync(0xffffffff, threadIdx.x / 32, &all) != 0 && all;
    c[threadIdx.x] += 2 * (__match_all_sync(0xffffffff, threadIdx.x / 8, &all) == 0 && all == 0);
    __nanosleep(10);
}
torch::Tensor more_of_the_host(torch::Tensor A) {
#ifndef __CUDACC__
#error this is CUDA
#endif
    c10::optional<int> threads = c10::nullopt;
    if (at::cuda::getCurrentDeviceProperties()->maxThreadsPerMultiProcessor > 1024) threads = 64;
    long2* pair;
    C10_CUDA_CHECK(cudaMallocHost(&pair, sizeof(long2)));
    more_of_cuda<<<1, *threads>>>(A.data<int>(), pair);
    C10_CUDA_CHECK(cudaDeviceSynchronize());
    TORCH_CHECK(pair->x == 1 && pair->y == 2);
    C10_CUDA_CHECK(cudaFreeHost(pair));
    return A;
}
std::string error_text(torch::Tensor, int64_t error) {
    return std::string(cudaGetErrorName(static_cast<cudaError_t>(error))) + ": " +
           cudaGetErrorString(static_cast<cudaError_t>(error));
}
""")


def test_streams_events_and_device_memory(run: Module) -> None:
    A = torch.arange(50, dtype=torch.int32)
    C = run.host_side(A)
    assert C[0] == 101 and torch.equal(C[1:], A[1:] + 1)


def test_attributes_and_error_texts(run: Module) -> None:
    some = torch.zeros(1)
    assert [run.limit(some, name) for name in ("threads", "warp", "shared")] == [1024, 32, 227 * 1024]
    assert run.error_text(some, 0) == "cudaSuccess: no error"
    assert run.error_text(some, 9) == "cudaErrorInvalidConfiguration: invalid configuration argument"
    assert run.error_text(some, 719) == "cudaErrorLaunchFailure: unspecified launch failure"


def test_what_else_kernels_and_wrappers_use(run: Module) -> None:
    assert run.more_of_the_host(torch.zeros(64, dtype=torch.int32)).tolist() == [3] * 64


def test_a_template_built_again_with_a_larger_shared_array_uses_its_own() -> None:
    template = """
    #include <torch/extension.h>
    template <typename T>
    __global__ void reverse(const T* a, T* c) {
        __shared__ T tile[SIZE];
        tile[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        c[threadIdx.x] = tile[SIZE - 1 - threadIdx.x];
    }
    torch::Tensor reversed(torch::Tensor A) {
        auto C = torch::empty_like(A);
        reverse<float><<<1, SIZE>>>(A.data_ptr<float>(), C.data_ptr<float>());
        return C;
    }
    """
    modules = []
    for size in (8, 1024):
        source = template.replace("SIZE", str(size))
        modules.append((size, load_inline("twice", cuda_sources=source, functions="reversed", toolchain="emulator")))
    for size, module in modules + modules:
        A = torch.randn(size)
        assert torch.equal(module.reversed(A), A.flip(0))
