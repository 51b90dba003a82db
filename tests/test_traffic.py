"""The traffic that the tracer counts, beside counts made by hand and by a model in NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, bindable_functions, load_inline
from course.toolchains.base import CourseError
from course.tracing import trace

KERNELS = r"""
#include <torch/extension.h>
#include <cuda_fp16.h>
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

// ---- too much
__global__ void lengthy_kernel(const float* a, float* c, int n) {
    INDEX;
    for (int j = 0; j < 100000; ++j) c[i] = c[i] + a[i];
}
WRAPPER(lengthy, 1, 256)

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
template <typename T>
__global__ void gather_shared(const int* from, float* c) {
    extern __shared__ float4 memory[];
    T* tile = reinterpret_cast<T*>(memory);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = T{};
    __syncthreads();
    const T value = tile[from[threadIdx.x]];  // gathered from shared memory
    __syncthreads();
    tile[threadIdx.x] = value;
    c[threadIdx.x] = *reinterpret_cast<const float*>(tile + threadIdx.x);
}
torch::Tensor gathered_shared(torch::Tensor from, int size) {
    const int threads = from.numel();
    auto C = torch::empty({threads}, from.options().dtype(torch::kFloat32));
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
    with pytest.raises(CourseError, match="The tensors have 68 MiB, and the tracer takes at most 64"):
        trace(run.copy, torch.empty(17 << 20))


# ----------------------------------------------------------------------------------------------------------------------
# A model.


def line_with(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def sectors(addresses: np.ndarray, size: int) -> int:
    return len(np.unique(np.concatenate([addresses // 32, (addresses + size - 1) // 32])))


def wavefronts(words: np.ndarray) -> int:
    """How often the fullest bank is asked for another word."""
    return int(np.bincount(np.unique(words) % 32).max()) if len(words) else 0


examples = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


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
@given(st.integers(1, 100), st.integers(0, 2**32 - 1), st.sampled_from([4, 8, 16]), st.sampled_from([1, 4, 64, 256]))
def test_loads_from_anywhere_in_shared_memory(run: Module, threads: int, seed: int, size: int, spread: int) -> None:
    places = np.random.default_rng(seed).integers(0, spread, threads)
    found = trace(run.gathered_shared, torch.from_numpy(places).int(), size).traffic
    (line,) = [t for t in found if t.line == line_with("// gathered from") and t.space == "shared"]
    units = ideal = 0
    for first in range(0, threads, 32):
        of_warp = places[first : first + 32]
        words = of_warp[:, None] * (size // 4) + np.arange(size // 4)
        parts = np.split(words, np.arange(128 // size, len(words), 128 // size))
        units += 1 if wavefronts(words) == 1 else sum(wavefronts(part.reshape(-1)) for part in parts)
        ideal += -(-len(np.unique(words)) // 32)
    assert (line.bytes_each, line.requests, line.units, line.ideal) == (size, -(-threads // 32), units, ideal)
