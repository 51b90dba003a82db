"""The tracer: every hazard with its line, block and thread, and none where the kernel is right."""

from __future__ import annotations

import re

import pytest
import torch

from course.build import Module, bindable_functions, load_inline
from course.judge import judge
from course.toolchains import emulator
from course.toolchains.base import Hazard
from course.tracing import trace
from course.worker import Answer

HEAD = "#include <torch/extension.h>\n#include <cuda_fp16.h>\n"

WRONG = r"""
__global__ void copy_one_more(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) c[i] = a[i];  // past-the-end
}
torch::Tensor past_the_end(torch::Tensor A) {
    auto C = torch::empty({A.numel() + 1}, A.options());
    copy_one_more<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void shift(const float* a, float* c) { c[threadIdx.x] = a[threadIdx.x - 1]; }  // before-the-start
torch::Tensor before_the_start(torch::Tensor A) {
    auto C = torch::empty_like(A);
    shift<<<1, A.numel()>>>(A.data_ptr<float>() , C.data_ptr<float>());
    return C;
}
__global__ void copy_quads(const float4* a, float4* c) {
    c[threadIdx.x] = a[threadIdx.x];  // last-quad, misaligned
}
torch::Tensor last_quad(torch::Tensor A) {
    auto C = torch::empty({(A.numel() + 3) / 4 * 4}, A.options());
    copy_quads<<<1, (A.numel() + 3) / 4>>>(reinterpret_cast<const float4*>(A.data_ptr<float>()),
                                           reinterpret_cast<float4*>(C.data_ptr<float>()));
    return C;
}
torch::Tensor misaligned(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_quads<<<1, 2>>>(reinterpret_cast<const float4*>(A.data_ptr<float>() + 1),
                         reinterpret_cast<float4*>(C.data_ptr<float>()));
    return C;
}
__global__ void from_the_host(const float* a, float* c) { *c = *a; }  // host-pointer
torch::Tensor host_pointer(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    float scalar = 2.0f;
    from_the_host<<<1, 1>>>(&scalar, C.data_ptr<float>());
    return C;
}
torch::Tensor host_access(torch::Tensor A) {
    float sum = 0;
    for (int i = 0; i < A.numel(); ++i) sum += A.data_ptr<float>()[i];  // host-access
    TORCH_CHECK(sum == sum);
    return A;
}

// ---- shared memory
__global__ void into_the_neighbour(float* c) {
    __shared__ float first[32], second[32];
    first[threadIdx.x + 1] = 1.0f;  // neighbour
    second[threadIdx.x] = 2.0f;
    __syncthreads();
    c[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
torch::Tensor neighbour(torch::Tensor A) {
    into_the_neighbour<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
__global__ void next_row(float* c) {
    __shared__ float tile[4][8];
    tile[threadIdx.x / 9][threadIdx.x % 9] = 1.0f;  // row
    __syncthreads();
    c[threadIdx.x] = tile[0][0];
}
torch::Tensor row(torch::Tensor A) {
    next_row<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
__global__ void dynamic_reach(float* c) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1.0f;  // dynamic
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];
}
torch::Tensor dynamic(torch::Tensor A) {
    dynamic_reach<<<1, 32, 31 * sizeof(float)>>>(A.data_ptr<float>());
    return A;
}
__global__ void reverse_at_once(const float* a, float* c) {
    __shared__ float tile[64];
    tile[threadIdx.x] = a[threadIdx.x];  // first-stores
    c[threadIdx.x] = tile[63 - threadIdx.x];  // first-loads
}
torch::Tensor first_barrier(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_at_once<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void reverse_in_a_loop(const float* a, float* c, int n) {
    __shared__ float tile[64];
    for (int from = 0; from < n; from += 64) {
        tile[threadIdx.x] = a[from + threadIdx.x];  // second-stores
        __syncthreads();
        c[from + threadIdx.x] = tile[63 - threadIdx.x];  // second-loads
    }
}
torch::Tensor second_barrier(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_in_a_loop<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void sum_by_a_tree(const float* a, float* c) {
    __shared__ float sums[64];
    sums[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // tree
    }
    if (threadIdx.x == 0) *c = sums[0];
}
torch::Tensor tree(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    sum_by_a_tree<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void part_of_a_tile(const float* a, float* c) {
    __shared__ float tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];  // unfilled
}
torch::Tensor unfilled(torch::Tensor A) {
    auto C = torch::empty_like(A);
    part_of_a_tile<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

// ---- global memory
__global__ void add_up(const float* a, float* c) { *c += a[blockIdx.x * blockDim.x + threadIdx.x]; }  // sum
torch::Tensor sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    add_up<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void pass_on(const float* a, float* b, float* c) {
    b[blockIdx.x] = a[blockIdx.x];  // blocks-store
    __syncthreads();
    c[blockIdx.x] = blockIdx.x ? b[blockIdx.x - 1] : 0.0f;  // blocks-load
}
torch::Tensor blocks(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty_like(A);
    pass_on<<<A.numel(), 1>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void store_index(int* c) { c[threadIdx.x / 2] = threadIdx.x; }  // two-writers
torch::Tensor two_writers(torch::Tensor A) {
    auto C = torch::empty({16}, A.options().dtype(torch::kInt32));
    store_index<<<1, 32>>>(C.data_ptr<int>());
    return C;
}
__global__ void total_at_once(const int* a, int* total, int* c) {
    atomicAdd(total, a[threadIdx.x]);  // total-atomic
    c[threadIdx.x] = *total;  // total-read
}
torch::Tensor total(torch::Tensor A) {
    auto T = torch::zeros({1}, A.options().dtype(torch::kInt32)), C = torch::empty_like(A, torch::kInt32);
    auto I = A.to(torch::kInt32);
    total_at_once<<<1, 32>>>(I.data_ptr<int>(), T.data_ptr<int>(), C.data_ptr<int>());
    return C;
}
__global__ void add_to(const float* a, float* c) { c[threadIdx.x] += a[threadIdx.x]; }  // not-zeroed
torch::Tensor not_zeroed(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_to<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void every_other(float* c) { c[2 * threadIdx.x] = 1.0f; }
torch::Tensor half_written(torch::Tensor A) {
    auto C = torch::empty_like(A);
    every_other<<<1, A.numel() / 2>>>(C.data_ptr<float>());
    return C;
}
torch::Tensor copied_by_the_host(torch::Tensor A) { return A.clone(); }

__global__ void spin(volatile float* c) { while (c[0] == c[0]) {} }
torch::Tensor endless(torch::Tensor A) {
    spin<<<1, 64>>>(A.data_ptr<float>());
    return A;
}

__global__ void add_up_volatile(const float* a, volatile float* c) { *c += a[threadIdx.x]; }  // volatile-sum
torch::Tensor volatile_sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    add_up_volatile<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void count_threads(int* c, bool zeroed) {
    __shared__ int counts[8];
    if (zeroed && threadIdx.x < 8) counts[threadIdx.x] = 0;  // counts-zeroed
    atomicAdd(counts + threadIdx.x % 8, 1);  // counted
    __syncthreads();
    if (threadIdx.x < 8) c[threadIdx.x] = counts[threadIdx.x];
}
torch::Tensor counts_not_zeroed(torch::Tensor A) {
    auto C = torch::empty({8}, A.options().dtype(torch::kInt32));
    count_threads<<<1, 64>>>(C.data_ptr<int>(), false);
    return C;
}
torch::Tensor counts_zeroed_late(torch::Tensor A) {
    auto C = torch::empty({8}, A.options().dtype(torch::kInt32));
    count_threads<<<1, 64>>>(C.data_ptr<int>(), true);
    return C;
}
__global__ void zeroed_by_one(int* c) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *c = 0;  // zeroed-by-one
    __syncthreads();
    atomicAdd(c, 1);  // all-add
}
torch::Tensor zeroed_in_the_kernel(torch::Tensor A) {
    auto C = torch::full({1}, 5, A.options().dtype(torch::kInt32));
    zeroed_by_one<<<2, 32>>>(C.data_ptr<int>());
    return C;
}
__global__ void copy_all(const float* a, float* c, int n) {
    memcpy(c, a, n * sizeof(float));  // copied-too-far
}
torch::Tensor copied_too_far(torch::Tensor A) {
    auto C = torch::empty({A.numel() + 1}, A.options());
    copy_all<<<1, 1>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel() + 1);
    return C;
}

// ---- barriers, as without the tracer
__global__ void some_wait(float* c) {
    if (threadIdx.x < 16) __syncthreads();  // barrier
    c[threadIdx.x] = 1.0f;
}
torch::Tensor divergent(torch::Tensor A) {
    some_wait<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
"""


@pytest.fixture(scope="module")
def wrong() -> Module:
    source = HEAD + WRONG
    return load_inline("wrong", cuda_sources=source, functions=bindable_functions(source), toolchain="emulator")


def line_with(marker: str) -> int:
    lines = (HEAD + WRONG).split("\n")
    return next(number for number, line in enumerate(lines, 1) if re.search(rf"// .*\b{marker}\b", line))


def place(marker: str, thread: int, block: int = 0) -> dict:
    return {"line": line_with(marker), "block": [block, 0, 0], "thread": [thread, 0, 0]}


@pytest.mark.parametrize(
    ("function", "size", "kind", "where", "text"),
    [
        ("past_the_end", 100, "out-of-bounds", [("past-the-end", 36, 1)],
         r"reads past the end of A of shape \(100,\): element 100 of 100, .* \(block 1, thread 36\)"),
        ("before_the_start", 8, "out-of-bounds", [("before-the-start", 0)],
         r"reads before the start of A .*: element -1 of 8.* it wraps around"),
        ("last_quad", 6, "out-of-bounds", [("last-quad", 1)],
         r"past the end of .*: element 4 of 6, .* does the last vector access reach too far\?"),
        ("misaligned", 16, "misaligned", [("misaligned", 0)], r"reads 16 bytes at once, 4 past a multiple of 16"),
        ("host_pointer", 1, "out-of-bounds", [("host-pointer", 0)], "a pointer to the host's memory"),
        ("host_access", 3, "host-access", [("host-access", 0)], "of the wrapper reads A"),
        ("neighbour", 32, "out-of-bounds", [("neighbour", 31)], r"uses index 32 in an array of type 'float \[32\]'"),
        ("row", 32, "out-of-bounds", [("row", 8)], r"uses index 8 in an array of type 'float \[8\]'"),
        ("dynamic", 32, "out-of-bounds", [("dynamic", 31)],
         "writes past the end of the dynamic shared memory: element 31 of 31"),
        ("first_barrier", 64, "race", [("first-stores", 32), ("first-loads", 31)],
         "the shared array tile, .*missing between line {first-stores} and line {first-loads}"),
        ("second_barrier", 128, "race", [("second-loads", 0), ("second-stores", 63)],
         "missing after line {second-loads}, before line {second-stores} runs again"),
        ("tree", 64, "race", [("tree", 1), ("tree", 0)], "the shared array sums, .*missing before line {tree} runs"),
        ("unfilled", 64, "uninitialised-read", [("unfilled", 63)], "tile where nothing was written before, element 63"),
        ("sum", 64, "race", [("sum", 1), ("sum", 0)], "give each element to one thread, or use atomicAdd"),
        ("blocks", 4, "race", [("blocks-load", 0, 1), ("blocks-store", 0, 0)], "blocks run in no order"),
        ("two_writers", 1, "race", [("two-writers", 1), ("two-writers", 0)],
         "several threads change it in line {two-writers}"),
        ("total", 32, "race", [("total-atomic", 1), ("total-read", 0)], r"changes \(atomically\) what line"),
        ("not_zeroed", 8, "uninitialised-read", [("not-zeroed", 0)], "new memory holds what was left there"),
        ("half_written", 8, "unwritten-output", [], r"no kernel writes 4 of the 8 elements of the result.* at \[1\]"),
        ("copied_by_the_host", 8, "unwritten-output", [], "no kernel writes 8 of the 8"),
        ("counts_not_zeroed", 1, "uninitialised-read", [("counted", 0)], "counts where nothing was written before"),
        ("counts_zeroed_late", 1, "race", [("counted", 8), ("counts-zeroed", 0)],
         "missing between line {counts-zeroed} and line {counted}"),
        ("zeroed_in_the_kernel", 1, "race", [("all-add", 31, 1), ("zeroed-by-one", 0, 0)], "blocks run in no order"),
        ("volatile_sum", 32, "race", [("volatile-sum", 1), ("volatile-sum", 0)], "use atomicAdd"),
        ("copied_too_far", 8, "out-of-bounds", [("copied-too-far", 0)], "reads past the end of A of shape"),
        ("divergent", 32, "divergent-barrier", [("barrier", 0)], "is reached by 16 of the block's 32 threads"),
    ],
)  # fmt: skip
def test_a_hazard_and_its_place(wrong: Module, function: str, size: int, kind: str, where: list, text: str) -> None:
    (hazard,) = trace(getattr(wrong, function), torch.randn(size)).hazards
    text = re.sub(r"\{([\w-]+)\}", lambda match: str(line_with(match[1])), text)
    assert hazard.kind == kind and re.search(text, hazard.detail), hazard
    assert list(hazard.where) == [place(*each) for each in where]


def test_an_endless_kernel_ends_and_takes_no_memory_without_end(wrong: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulator, "TIME_LIMIT", 0.5)
    found = trace(wrong.endless, torch.zeros(1))
    assert [hazard.kind for hazard in found.hazards] == ["timeout"] and found.traffic == ()


def test_after_a_hazard_the_next_call_is_right(wrong: Module) -> None:
    for function in (wrong.past_the_end, wrong.first_barrier, wrong.divergent):
        assert trace(function, torch.randn(64)).hazards
    assert trace(wrong.second_barrier, torch.randn(64)).hazards == ()  # one round of the loop needs one barrier


RIGHT = r"""
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
"""


@pytest.fixture(scope="module")
def right() -> Module:
    source = HEAD + RIGHT
    return load_inline("right", cuda_sources=source, functions=bindable_functions(source), toolchain="emulator")


@pytest.mark.parametrize("function", bindable_functions(HEAD + RIGHT))
def test_no_false_alarm(right: Module, function: str) -> None:
    for size in (9, 63, 64, 100, 126):
        A = torch.randn(size)
        assert trace(getattr(right, function), A.abs() if function == "histogram" else A).hazards == ()


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
# The judge.

MATMUL = """
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>
constexpr int kTile = 16;
__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[kTile][kTile], Bs[kTile][kTile];
    const int i = blockIdx.y * kTile + threadIdx.y, j = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < K; k += kTile) {
        const int x = threadIdx.x, y = threadIdx.y;
        As[y][x] = k + y < K && blockIdx.y * kTile + x < M ? A[(k + y) * M + blockIdx.y * kTile + x] : 0.0f;
        Bs[y][x] = k + x < K && blockIdx.x * kTile + y < N ? B[(blockIdx.x * kTile + y) * K + k + x] : 0.0f;
        __syncthreads();
        for (int l = 0; l < kTile; ++l) sum += As[l][y] * Bs[x][l];
        BARRIER
    }
    if (i < M && j < N) C[i * N + j] = sum;
}
torch::Tensor matmul(torch::Tensor A, torch::Tensor B) {
    const int M = A.size(1), K = A.size(0), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile), block(kTile, kTile);
    matmul_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
"""
COPY = """
#include <torch/extension.h>
__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float sum = A[i] + B[i];
    if (sum == sum && i < n) C[i] = sum;
}
torch::Tensor vector_add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    if (A.numel()) add_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                                C.data_ptr<float>(), A.numel());
    return C;
}
"""


def judged(source: str, function: str, task: str) -> tuple[bool, list[Hazard], str]:
    verdict = judge(Answer("cuda", source, function), task, toolchain="emulator")
    return verdict.correct, verdict.hazards, verdict.message


def test_a_kernel_that_passes_by_luck_fails() -> None:
    correct, hazards, message = judged(COPY, "vector_add", "vector_add")
    assert not correct and [hazard.kind for hazard in hazards] == ["out-of-bounds"]
    assert message.startswith("The values of 10 cases are right, but: line 5 reads past the end of ")


@pytest.mark.parametrize("barrier", ["__syncthreads();", ""])
def test_the_missing_second_barrier(barrier: str) -> None:
    correct, hazards, message = judged(MATMUL.replace("BARRIER", barrier), "matmul", "transposed_matmul")
    assert correct == bool(barrier), message
    if not barrier and message.startswith("The values"):  # else the emulator's own order of the threads told
        assert {hazard.kind for hazard in hazards} == {"race"}
        assert "a __syncthreads() is missing after line 15, before line 12 runs again" in message
