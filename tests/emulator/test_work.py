"""How a launch spreads its work over threads and elements, as the tracer counts it."""

import subprocess
import sys

import pytest

from course.explain.counts import Work
from course.tasks import Case, load_task
from course.worker.messages import MALFORMED
from course.worker.protocol import Answer, outcome_from_json
from course.worker.worker import Worker

SOURCE = """#include <course/mma.h>
#include <cuda_pipeline.h>
#include <torch/extension.h>
__global__ void k(const float* A, const float* B, float* C, int N) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {{
    auto C = torch::zeros_like(A);
    const int N = A.numel();
    k<<<{launch}>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}}
"""
ONE = "if (i < N) C[i] = A[i] + B[i];"
COUNTS = ("working", "storing", "last_storing", "stored", "most_stored", "elements", "repeated", "writers")


@pytest.fixture(scope="module")
def worker():
    with Worker("traced") as worker:
        yield worker


def work_of(worker: Worker, body: str, launch: str) -> Work:
    task = load_task("vector_add")
    worker.load("answer", Answer("cuda", SOURCE.format(body=body, launch=launch), "add"), task)
    (work,) = worker.run("answer", task, Case({"N": 1000}), 0, counting=True).work
    return work


@pytest.mark.parametrize(
    ("body", "launch", "counts"),
    [
        (ONE, "(N + 255) / 256, 256", (1000, 1000, 999, 1000, 1, 1000, 0, 1)),
        (ONE, "dim3(3, 2), dim3(8, 4)", (192, 192, 191, 192, 1, 24, 24, 8)),  # threads in y take the same elements
        ("for (int e = 0; e < N; ++e) C[e] = A[e];", "2, 40", (80, 80, 79, 80000, 1000, 1000, 1000, 80)),
        ("for (int e = i; e < N; ++e) C[e] = A[e];", "1, 64", (64, 64, 63, 61984, 1000, 1000, 999, 64)),
        ("for (int n = 0; n < 3; ++n) if (i < N) C[i] += A[i];", "4, 256", (1000, 1000, 999, 1000, 1, 1000, 0, 1)),
        ("if (i < N / 4) ((float4*)C)[i] = ((const float4*)A)[i];", "1, 256", (250, 250, 249, 1000, 4, 1000, 0, 1)),
        ("atomicAdd(C + i % 10, A[i]);", "1, 64", (64, 64, 63, 0, 0, 0, 0, 0)),  # no store in any order
        ("if (i == 70) C[5] = 0; else if (i < 90) A[i];", "2, 64", (1, 1, 70, 1, 1, 1, 0, 1)),  # a load that g++ drops
    ],
)
def test_work_is_counted_by_threads_and_elements(worker, body, launch, counts):
    work = work_of(worker, body, launch)
    assert tuple(getattr(work, name) for name in COUNTS) == counts


def test_the_element_that_most_threads_store_is_named(worker):
    work = work_of(worker, "C[i < 30 ? i : 30 + i % 2] = 1;", "2, 32")
    assert (work.array, work.element, work.writers, work.threads) == ("C", 30, 17, 64)
    assert (work.grid, work.block) == ((2, 1, 1), (32, 1, 1))


def test_the_barriers_of_the_block_with_the_most_are_counted(worker):
    assert work_of(worker, "for (int n = 0; n < 3 + blockIdx.x; ++n) __syncthreads();", "2, 64").barriers == 4


def test_threads_that_change_the_same_element_between_barriers_count_once(worker):
    body = "for (int n = 0; n < 5; ++n) { if (threadIdx.x == n % 2 * 32) C[0] = 1; __syncthreads(); }"
    assert work_of(worker, body, "1, 64").writers == 2


TILES = "__shared__ float tile[2][64]; float s = 0; const auto use = [&] { s += tile[0][threadIdx.x]; };"
COPY = "__pipeline_memcpy_async(&tile[{slot}][threadIdx.x], A + i, 4); __pipeline_commit();"
FIRST, NEXT, WAIT = COPY.format(slot=0), COPY.format(slot=1), "__pipeline_wait_prior({});".format
FOUR = "for (int n = 0; n < 4; ++n) {{ {} }} C[i] = s;".format


@pytest.mark.parametrize(
    ("body", "copied", "unoverlapped"),
    [
        (ONE, 0, 0),
        (FOUR(NEXT + WAIT(0) + "use();"), 4, 4),
        (FIRST + WAIT(0) + FOUR(NEXT + "use();" + WAIT(0)), 5, 1),
        (FIRST + NEXT + FOUR(WAIT(1) + NEXT + "use();"), 4, 1),  # the second copy is on its way at the first load
        (FIRST + NEXT + FOUR(WAIT(0) + NEXT + "use();"), 5, 2),
        (FIRST + "use();" + NEXT + WAIT(0), 2, 1),
        (FIRST + "__pipeline_commit();" * 3 + WAIT(0) + "use();", 1, 1),  # an empty batch is no copy
        (FIRST + WAIT(0) + WAIT(0) + "use();", 1, 1),  # and no copy is waited for twice
        # The first warp only copies, and the second only multiplies.
        ("if (i < 32) {" + FOUR(NEXT + WAIT(0)) + "} else {" + FOUR("use();") + "}", 4, 0),
    ],
)
def test_batches_of_copies_are_overlapped_if_their_thread_loads_from_shared_memory_meanwhile(
    worker, body, copied, unoverlapped
):
    work = work_of(worker, TILES + body, "1, 64")
    assert (work.copied, work.unoverlapped) == (copied, unoverlapped)


PRODUCT = "uint32_t a[4] = {}, b[2] = {}; float d[4] = {}; "


@pytest.mark.parametrize(
    ("body", "sums"),
    [
        (ONE, 0),
        (PRODUCT + "course::mma_bfloat16(d, a, b, d); C[i] = d[0];", 4),
        (PRODUCT + "if (i < 32) for (int n = 0; n < 3; ++n) course::mma_half(d, a, b, d);", 12),
    ],
)
def test_the_sums_of_tensor_cores_are_those_of_the_thread_with_the_most(worker, body, sums):
    assert work_of(worker, body, "2, 64").tensor_sums == sums


LAUNCH = {
    **{"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "working": 32, "storing": 32, "last_storing": 31},
    **{"stored": 32, "most_stored": 1, "elements": 32, "repeated": 0, "writers": 1, "array": "C", "element": 0},
    **{
        "busiest_warp": 1,
        "busiest_block": 1,
        "contended": 0,
        "copied": 0,
        "unoverlapped": 0,
        "tensor_sums": 0,
        "barriers": 0,
    },
}


@pytest.mark.parametrize(
    "data", [3, {}, {**LAUNCH, "more": 1}, {**LAUNCH, "grid": [1, 1]}, {**LAUNCH, "block": 7}, {**LAUNCH, "stored": -1}]
)
def test_work_that_no_tracer_counts_is_nonsense(data):
    assert outcome_from_json({"work": [LAUNCH]}).work[0].threads == 32
    with pytest.raises(MALFORMED):
        outcome_from_json({"work": [data]})


COPIES_AFTER_A_TRACE = """
import torch
from course import load_inline, trace

module = load_inline("copies", cuda_sources=r'''
#include <cuda_pipeline.h>
#include <torch/extension.h>

__global__ void k(const float* A, float* C) {
    __shared__ float tile[1024];
    __pipeline_memcpy_async(&tile[threadIdx.x], A + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    C[threadIdx.x] = tile[threadIdx.x];
}

torch::Tensor copy(torch::Tensor A) {
    torch::Tensor C = torch::empty_like(A);
    k<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
''', functions=["copy"], toolchain="emulator")
assert not trace(module.copy, torch.ones(1)).hazards
for _ in range(200):
    kept = [bytearray(size) for size in range(16, 2000, 16)]
    module.copy(torch.ones(1024))
"""


def test_nothing_is_counted_after_a_trace():
    ended = subprocess.run([sys.executable, "-c", COPIES_AFTER_A_TRACE], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


CALL_AFTER_A_TRACE_THAT_WAS_CUT_OFF = """
import torch
from course import load_inline, trace
from course.build import load_traced
module = load_inline("cut_off", cuda_sources='''
#include <torch/extension.h>
__global__ void k(const float* A, float* C, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) C[i] = A[i];
}
torch::Tensor copied(torch::Tensor A, int64_t n) {
    torch::Tensor C = torch::empty_like(A);
    k<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
''', functions=["copied"], toolchain="emulator")
A = torch.ones(1025)
assert trace(module.copied, A, 1026).hazards
for _ in range(20):
    kept = [bytearray(size) for size in range(16, 2000, 16)]
    assert torch.equal(load_traced(module.copied)(A, 1025), A)
"""


def test_nothing_is_left_of_a_trace_that_was_cut_off():
    ended = subprocess.run([sys.executable, "-c", CALL_AFTER_A_TRACE_THAT_WAS_CUT_OFF], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
