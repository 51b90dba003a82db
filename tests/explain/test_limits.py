"""Least times on cards: each limit by hand, and the one that binds."""

from __future__ import annotations

import pytest
import torch

from course.build import load_inline, load_traced
from course.errors import CourseError
from course.explain.limits import CARDS, H200, Demand, card, two_digits
from course.notebook.trace import trace
from course.toolchains.emulator import calls

SUMS = r"""
#include <torch/extension.h>
__global__ void sum_kernel(const float* A, float* total, int64_t n) {
    const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (e < n) atomicAdd(total, A[e]);
}
__global__ void one_warp_kernel(const float* A, float* C, int64_t n) {
    if (threadIdx.x >= 32) return;
    for (int64_t e = threadIdx.x; e < n; e += 32) C[e] = A[e];
}
torch::Tensor sum(torch::Tensor A) {
    auto total = torch::zeros({1}, A.options());
    sum_kernel<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), total.data_ptr<float>(), A.numel());
    return total;
}
torch::Tensor one_warp(torch::Tensor A) {
    auto C = torch::empty_like(A);
    one_warp_kernel<<<1, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
torch::Tensor no_blocks(torch::Tensor A) {
    sum_kernel<<<0, 256>>>(A.data_ptr<float>(), A.data_ptr<float>(), A.numel());
    return A;
}
"""


@pytest.fixture(scope="module")
def sums():
    return load_inline("sums", cuda_sources=SUMS, functions=["sum", "one_warp", "no_blocks"], toolchain="emulator")


@pytest.mark.parametrize(
    ("demand", "binding", "ms"),
    [
        (Demand(blocks=1, dram_bytes=4.305e9), "DRAM traffic", 1.0),
        (Demand(blocks=1660_000), "block starts", 1.0),
        (Demand(blocks=1, l1_wavefronts=132 * 1_500_000, shared_wavefronts=132 * 480_000), "L1 wavefronts", 1.0),
        (Demand(blocks=1, l1_wavefronts=132 * 480_000, shared_wavefronts=132 * 1_500_000), "shared wavefronts", 1.0),
        (Demand(blocks=1, l1_wavefronts=1_980_000, busiest_block=1_980_000), "the busiest block", 1.0),
        (Demand(blocks=1, l1_wavefronts=132, lines=132 * 4 * 1_980_000), "L1 lookups", 1.0),
        (Demand(blocks=1, operations=132 * 128 * 2 * 1_980_000), "arithmetic", 1.0),
    ],
)
def test_each_limit_by_hand(demand, binding, ms):
    bound = demand.bound(H200)
    assert bound.binding == binding and bound.ms == pytest.approx(ms + H200.launch_ms, rel=1e-3)


def test_the_second_limit_is_named_too():
    bound = Demand(blocks=1, dram_bytes=4.305e9, l1_wavefronts=132 * 990_000).bound()
    assert str(bound) == "at least 1.0 ms on an H200, bound by DRAM traffic; then L1 wavefronts, 0.50 ms"
    assert bound.to_json() == {
        "card": "H200", "ms": 1.0, "bound_by": "DRAM traffic",
        "limits": {"DRAM traffic": 1.0, "L1 wavefronts": 0.5, "block starts": 6e-7},
    }  # fmt: skip


def test_a_card_whose_block_starts_were_not_measured_has_no_such_limit():
    assert Demand(blocks=10**9).bound(card("T4")).ms == 0
    assert str(Demand(blocks=1, dram_bytes=3.2e8).bound(card("T4"))).startswith(
        "at least 1.0 ms on a T4, bound by DRAM"
    )


def test_peaks_are_those_of_the_data_sheets():
    assert [f"{each.peak_flops / 1e12:.1f}" for each in CARDS] == ["66.9", "66.9", "19.5", "30.3", "8.1"]


def test_an_unknown_card_is_one_sentence():
    with pytest.raises(CourseError, match="'B200' are not known, only those of H200, H100, A100, L4, T4"):
        card("B200")


@pytest.mark.parametrize(
    ("x", "shown"), [(0, "0.0"), (0.00351, "0.0035"), (0.995, "0.99"), (9.96, "10"), (271.4, "270")]
)
def test_times_have_two_digits(x, shown):
    assert two_digits(x) == shown


def test_a_trace_shows_the_least_time_and_what_is_uneven(sums):
    found = trace(sums.sum, torch.ones(10_000))
    assert "sum_kernel: contention, since 10,000 atomic operations of threads go to one address" in str(found)
    assert "too small for an H200: the launch alone takes 0.0028 ms" in str(found) and "at least" not in str(found)
    # a load and a store of each 32 of 262,144 elements, by the only warp of 8 that works: 16,384 wavefronts
    found = trace(sums.one_warp, torch.ones(1 << 18))
    assert "one_warp_kernel: the busiest warp makes 16,384 requests, 8 times as many as a warp on" in str(found)
    assert "This call takes at least 0.011 ms on an H200, bound by the busiest block; then DRAM traffic" in str(found)
    assert found.demand.busiest_block == 16_384 and found.bound("L4").ms == pytest.approx(16_384 / 2.04e9 * 1e3)


def test_a_blank_call_counts_what_adds_to_zeros(sums):
    """Its tensors have no values, and `torch::zeros` takes no memory, so nothing it reads was written before."""
    with calls.counting(max_accesses=10_000, blank=True) as counted:
        load_traced(sums.sum)(torch.empty(1 << 20))
    assert counted.blocks == 4096 and sum(line.requests for line in counted.traffic) == 2 * (1 << 20) // 32
    assert trace(sums.sum, torch.ones(1000)).hazards == ()  # and the next call has values again


def test_no_number_for_a_launch_without_blocks_or_an_unknown_card(sums):
    found = trace(sums.no_blocks, torch.ones(10))
    assert [hazard.kind for hazard in found.hazards] == ["bad-launch"] and "at least" not in str(found)
    with pytest.raises(CourseError, match="no launch was counted"):
        found.bound()
    with pytest.raises(CourseError, match="are not known"):
        trace(sums.one_warp, torch.ones(64)).bound("GTX 1080")
