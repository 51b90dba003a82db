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

HEAD = "#include <torch/extension.h>\n#include <cuda_fp16.h>\n#include <cuda_pipeline.h>\n"

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
__global__ void reverse_pieces(const float* a, float* c, bool late) {
    __shared__ float tile[2][64];
    const int back = 63 - threadIdx.x;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (!late) __pipeline_memcpy_async(&tile[0][threadIdx.x], &a[64 + threadIdx.x], 4);  // copied-too-early
    if (late) __pipeline_memcpy_async(&tile[1][threadIdx.x], &a[64 + threadIdx.x], 4);  // used-too-early
    __pipeline_commit();
    c[back] = tile[0][back];  // copied-over
    __syncthreads();
    __pipeline_wait_prior(0);
    if (!late) __syncthreads();
    c[64 + threadIdx.x] = tile[late][back];  // not-waited-for
}
torch::Tensor copied_too_early(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_pieces<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), false);
    return C;
}
torch::Tensor used_too_early(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_pieces<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), true);
    return C;
}
__global__ void reverse_in_flight(const float* a, float* c, int n) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);
    for (int from = 0; from < n; from += 64) {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        if (from + 64 < n) __pipeline_memcpy_async(&tile[threadIdx.x], &a[from + 64 + threadIdx.x], 4);  // in-flight
        __syncthreads();
        c[from + threadIdx.x] = tile[63 - threadIdx.x];  // read-in-flight
        __syncthreads();
    }
}
torch::Tensor read_in_flight(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_in_flight<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
__global__ void store_in_flight(const float* a, float* c) {
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &a[threadIdx.x], 4);  // never-waited-for
    tile[threadIdx.x] = 0.0f;  // stored-in-flight
    c[threadIdx.x] = a[threadIdx.x];
}
torch::Tensor stored_in_flight(torch::Tensor A) {
    auto C = torch::empty_like(A);
    store_in_flight<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void copy_to_global(const float* a, float* c) {
    __pipeline_memcpy_async(&c[threadIdx.x], &a[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
torch::Tensor copied_to_global(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy_to_global<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
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

// ---- what is missing
__global__ void add_next(float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = c[i + 1];  // next-in-global
}
torch::Tensor next_in_global(torch::Tensor A) {
    add_next<<<1, A.numel() - 1>>>(A.data_ptr<float>());
    return A;
}
torch::Tensor next_between_blocks(torch::Tensor A) {
    add_next<<<A.numel() - 1, 1>>>(A.data_ptr<float>());
    return A;
}
__global__ void next_shared(float* c) {
    __shared__ float tile[33];
    tile[threadIdx.x] = c[threadIdx.x];
    if (threadIdx.x == 0) tile[32] = 0;
    __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x + 1];  // next-in-shared
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];
}
torch::Tensor next_in_shared(torch::Tensor A) {
    next_shared<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
__global__ void neighbours_lanes(float* c) {
    __shared__ float tile[32];
    tile[threadIdx.x] = c[threadIdx.x];  // lane-stores
    c[threadIdx.x] = tile[threadIdx.x ^ 1];  // lane-loads
}
torch::Tensor one_warp(torch::Tensor A) {
    neighbours_lanes<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
// Lanes 1 and 2 have met, but before lane 0 came to lane 1.
__global__ void pass_too_early(float* c) {
    __shared__ float value;
    const int lane = threadIdx.x;
    if (lane >= 1) __syncwarp(0b110u);
    if (lane == 0) value = c[0];  // passed-store
    if (lane < 2) __syncwarp(0b011u);
    if (lane == 2) c[1] = value;  // passed-load
}
torch::Tensor passed_too_early(torch::Tensor A) {
    pass_too_early<<<1, 3>>>(A.data_ptr<float>());
    return A;
}
__global__ void sum_in_shared(const float* a, float* c) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += a[threadIdx.x];  // shared-sum
    __syncthreads();
    *c = sum;
}
torch::Tensor shared_sum(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    sum_in_shared<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
__global__ void any_large(const float* a, int* flag, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*flag) return;  // flag-read
    if (i < n && a[i] > -100) *flag = 1;  // flag-set
}
torch::Tensor flag_in_a_block(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
    return C;
}
torch::Tensor flag_between_blocks(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options().dtype(torch::kInt32));
    any_large<<<64, 1>>>(A.data_ptr<float>(), C.data_ptr<int>(), A.numel());
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
        ("copied_too_early", 128, "race", [("copied-too-early", 0), ("copied-over", 63)],
         r"line {copied-too-early} writes \(asynchronously\).* between the last use of its place and the copy"),
        ("used_too_early", 128, "race", [("not-waited-for", 62), ("used-too-early", 1)],
         r"line {not-waited-for} reads what line {used-too-early} writes \(asynchronously\) before it is waited for"),
        ("read_in_flight", 128, "race", [("read-in-flight", 62), ("in-flight", 1)],
         r"what line {in-flight} writes \(asynchronously\) before it is waited for.* the wait and the next use"),
        ("stored_in_flight", 64, "race", [("stored-in-flight", 0), ("never-waited-for", 0)],
         r"line {stored-in-flight} writes what line {never-waited-for} writes \(asynchronously\) before it is waited"),
        ("copied_to_global", 64, "crash", [], r"copies from global to shared memory: its first argument must point"),
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
        ("next_in_global", 33, "race", [("next-in-global", 1), ("next-in-global", 0)],
         "old value and some the new: write to another tensor than is read"),
        ("next_between_blocks", 33, "race", [("next-in-global", 0, 1), ("next-in-global", 0, 0)],
         "blocks run in no order: write to another tensor than is read, or do one of the two in a launch of its own"),
        ("flag_in_a_block", 64, "race", [("flag-read", 1), ("flag-set", 0)],
         r"a flag that is read while other threads set it.*: use atomicAdd\(flag, 0\) and atomicExch"),
        ("flag_between_blocks", 64, "race", [("flag-read", 0, 1), ("flag-set", 0, 0)], "or a volatile pointer"),
        ("next_in_shared", 32, "race", [("next-in-shared", 1), ("next-in-shared", 0)],
         "missing before line {next-in-shared} runs again, or between what it reads and what it writes"),
        ("one_warp", 32, "race", [("lane-stores", 1), ("lane-loads", 0)],
         r"missing between line {lane-stores} and line {lane-loads} \(a __syncwarp\(\) does where a single warp"),
        ("passed_too_early", 8, "race", [("passed-load", 2), ("passed-store", 0)], "where a single warp runs this"),
        ("shared_sum", 32, "race", [("shared-sum", 0), ("shared-sum", 31)],
         "; give each element to one thread, or use atomicAdd, or a __syncthreads"),
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


CHOSEN = r"""
__global__ void fill(float* out) { out[threadIdx.x] = 1.0f; }
__global__ void twice(float* doubled) { doubled[threadIdx.x] += doubled[threadIdx.x]; }
torch::Tensor chosen(torch::Tensor A, bool fills) {
    const auto kernel = fills ? fill : twice;
    kernel<<<1, 32>>>(A.data_ptr<float>());
    void (*const kernels[])(float*) = {fill, twice};
    kernels[fills]<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
__global__ void later(float* out) {}
"""


def test_a_kernel_launched_through_a_pointer_has_its_own_name():
    module = load_inline("chosen", cuda_sources=HEAD + CHOSEN, functions=["chosen"], toolchain="emulator")
    for fills in (True, False):
        seen = trace(module.chosen, torch.ones(32), fills)
        assert [(row.kernel, row.op) for row in seen.traffic] == [
            ("fill", "store"), ("twice", "load"), ("twice", "store")
        ]  # fmt: skip
        assert {access.array for access in seen.accesses} == {"A"}


BY_ANOTHER = r"""
using Exchange = void* (*)(void*, void*);
__device__ Exchange exchange;
__global__ void reversed(double* out) {
    __shared__ double tile[32];
    double mine = threadIdx.x, other = 0.0;
    exchange(tile + threadIdx.x, &mine);
    exchange(tile + 31 - threadIdx.x, &other);
    out[threadIdx.x] = other;
}
torch::Tensor f(torch::Tensor A) {
    exchange = (Exchange)(at::Tensor & (at::Tensor::*)(at::Tensor) noexcept) & at::Tensor::operator=;
    reversed<<<1, 32>>>(A.data_ptr<double>());
    return A;
}
"""


def test_what_the_stand_in_does_for_a_kernel_is_seen():
    """The stand-in's own unit is traced as the student's are: `operator=` swaps two words, wherever they lie."""
    module = load_inline("by_another", cuda_sources=HEAD + BY_ANOTHER, functions=["f"], toolchain="emulator")
    assert {hazard.kind for hazard in trace(module.f, torch.zeros(32, dtype=torch.float64)).hazards} == {"race"}


# In each kernel the upper half of `tile` and both `counts` are never written: what it does where it reads them.
UNFILLED = {
    "sum": "c[t] = tile[t] + tile[t + 32];",
    "product": "c[t] = tile[t] + 0.0f * tile[t + 32];",
    "maximum": "c[t] = fmaxf(tile[t], tile[t + 32]);",
    "minimum": "c[t] = fminf(tile[t], tile[t + 32]);",
    "equal": "c[t] = tile[t + 32] == tile[63 - t] ? 1.0f : 2.0f;",
    "flag": "c[t] = counts[0] ? 3.0f : tile[t];",
    "count": "c[t] = atomicAdd(&counts[0], 1) == t ? 1.0f : 2.0f;",
    "place": "c[counts[1] & 31] = 1.0f;",
    "far_away": "c[counts[1] == 0x7F7F7F7F ? 1 << 28 : t] = 1.0f;",
    "barrier": "if (counts[0] == 0 && t < 16) __syncthreads();",
    "endless": "while (counts[0] == 0) c[t] = 1.0f;",
    "trap": "if (counts[0] == 0) __trap();",
}
DROPPED = {
    "not_stored": "float sum = 0; for (int k = 0; k < 64; ++k) sum += tile[k]; c[t] = tile[t]; if (t >= n) c[t] = sum;",
    "overwritten": "c[t] = tile[t + 32]; c[t] = tile[t];",
    "other_way": "if (counts[0] > 0) c[t] = tile[t]; else c[t] = a[t];",
    "counted_once": "float sum = 0; for (int k = 0; k < 64; ++k) sum += tile[k]; if (t >= n) c[t] = sum;"
    ' printf("%d\\n", t); atomicAdd(c + t, 1.0f);',
}
UNFILLED_KERNEL = """
__global__ void KERNEL(const float* a, float* c, int n) {
    __shared__ float tile[64];
    __shared__ int counts[2];
    const int t = threadIdx.x;
    c += 32 * blockIdx.x;
    tile[t] = a[t];
    if (n > 32) counts[t % 2] = n;
    __syncthreads();
    BODY
}
torch::Tensor NAME(torch::Tensor A) {
    auto C = torch::zeros({3, A.numel()}, A.options());
    KERNEL<<<3, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), 32);
    return C;
}
"""


@pytest.fixture(scope="module")
def unfilled() -> Module:
    texts = [
        UNFILLED_KERNEL.replace("KERNEL", f"{name}_kernel").replace("NAME", name).replace("BODY", body)
        for name, body in (UNFILLED | DROPPED).items()
    ]
    names = [*UNFILLED, *DROPPED]
    return load_inline("unfilled", cuda_sources=HEAD + "\n".join(texts), functions=names, toolchain="emulator")


@pytest.mark.parametrize("name", UNFILLED)
def test_an_unwritten_shared_value_that_decides_something_is_a_hazard(unfilled: Module, name: str, monkeypatch) -> None:
    monkeypatch.setattr(emulator, "TIME_LIMIT", 1.0)
    hazards = trace(getattr(unfilled, name), torch.ones(32)).hazards
    told = [hazard for hazard in hazards if hazard.kind == "uninitialised-read"]
    assert told and all("is it filled everywhere, with zeros past the edges?" in hazard.detail for hazard in told)


@pytest.mark.parametrize("name", DROPPED)
def test_an_unwritten_shared_value_that_is_dropped_is_a_remark(unfilled: Module, name: str, capfd) -> None:
    seen = trace(getattr(unfilled, name), torch.ones(32))
    capfd.readouterr()
    assert not seen.hazards
    remark = r"reads the shared array (?:tile|counts) where nothing was written before, .*; no result depends on it"
    assert any(re.search(remark, text) for text in seen.remarks), seen.remarks
    if name == "counted_once":  # what runs again counts for nothing
        assert [line.requests for line in seen.traffic if line.op == "atomic"] == [3]
        assert torch.equal(unfilled.counted_once(torch.ones(32)), torch.ones(3, 32))
        capfd.readouterr()


COPIES = r"""
__global__ void twice(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = 2 * a[threadIdx.x];
}
float* temporary(torch::Tensor A) {
    float* memory = nullptr;
    TORCH_CHECK(cudaMalloc(&memory, A.numel() * sizeof(float)) == cudaSuccess);
    return memory;
}
torch::Tensor by_a_kernel(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = temporary(A);
    twice<<<1, 32>>>(A.data_ptr<float>(), memory, n);
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}
torch::Tensor through_two(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float *first = temporary(A), *second = temporary(A);
    twice<<<1, 32>>>(A.data_ptr<float>(), first, n);
    cudaMemcpyAsync(second, first, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(C.data_ptr<float>(), 8, second, 8, 8, A.nbytes() / 8, cudaMemcpyDeviceToDevice);
    cudaFree(first);
    cudaFree(second);
    return C;
}
torch::Tensor by_tensors(torch::Tensor A, int n) {
    auto wide = torch::empty_like(A), C = torch::empty({2, A.numel()}, A.options().dtype(torch::kDouble)).t();
    twice<<<1, 32>>>(A.data_ptr<float>(), wide.data_ptr<float>(), n);
    C.copy_(wide.unsqueeze(1));
    return C;
}
torch::Tensor by_the_host(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = temporary(A);
    cudaMemcpy(memory, A.data_ptr<float>(), A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}
torch::Tensor by_the_host_in_shared_memory(torch::Tensor A, int n) {
    auto C = torch::empty_like(A);
    float* memory = nullptr;
    TORCH_CHECK(cudaMallocManaged(&memory, A.nbytes()) == cudaSuccess);
    for (int i = 0; i < A.numel(); ++i) memory[i] = i;
    cudaMemcpy(C.data_ptr<float>(), memory, A.nbytes(), cudaMemcpyDeviceToDevice);
    cudaFree(memory);
    return C;
}
"""


@pytest.mark.parametrize(
    ("function", "written", "unwritten"),
    [
        ("by_a_kernel", 8, 0),
        ("by_a_kernel", 5, 3),
        ("through_two", 8, 0),
        ("through_two", 5, 3),
        ("by_tensors", 8, 0),
        ("by_tensors", 5, 6),
        ("by_the_host", 8, 8),
        ("by_the_host_in_shared_memory", 8, 8),
    ],
)
def test_a_copy_is_written_by_a_kernel_where_its_source_is(copies: Module, function, written, unwritten) -> None:
    hazards = trace(getattr(copies, function), torch.ones(8), written).hazards
    assert [hazard.kind for hazard in hazards] == ["unwritten-output"] * bool(unwritten)
    assert all(f"no kernel writes {unwritten} of the" in hazard.detail for hazard in hazards)


@pytest.fixture(scope="module")
def copies() -> Module:
    functions = ["by_a_kernel", "through_two", "by_tensors", "by_the_host", "by_the_host_in_shared_memory"]
    return load_inline("copies", cuda_sources=HEAD + COPIES, functions=functions, toolchain="emulator")
