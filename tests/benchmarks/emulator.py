"""`python -m tests.benchmarks.emulator`: the emulator's speed, traced and not, on the course's solutions."""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections.abc import Callable

import torch

from course import build, trace
from course.toolchains.emulator import clang
from tests.benchmarks.kernels import source

CALLS = 7


def built(notebook: str, cell_id: str) -> build.Module:
    """The module of a `%%cuda` cell of `solutions/`."""
    text = source(notebook, cell_id)
    return build.load_inline(cell_id, cuda_sources=text, functions=build.bindable_functions(text), toolchain="emulator")


def measure(name: str, goal: float, call: Callable[[], object]) -> bool:
    """Print the median times of a call, after one that is not counted; whether the wall-clock time met the goal."""
    call()
    wall, user, system = [], [], []
    for _ in range(CALLS):
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        call()
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_SELF)
        user.append(after.ru_utime - before.ru_utime)
        system.append(after.ru_stime - before.ru_stime)
    seconds = statistics.median(wall)
    print(
        f"{name:38} {seconds:6.3f} s ({min(wall):.3f} to {max(wall):.3f}), on the processor"
        f" {statistics.median(user):.3f} s and {statistics.median(system):.3f} s in the system; goal {goal:g} s"
    )
    return seconds < goal


def whole(function: build.Function, *tensors: torch.Tensor) -> None:
    """Trace a call, and assert that the trace is not a sample."""
    found = trace(function, *tensors)
    assert found.traffic and not found.sampled and not found.hazards


SHORT = """
#include <torch/extension.h>

__global__ void increment_kernel(float* a, int64_t n) {
    if (threadIdx.x < n) a[threadIdx.x] += 1;
}
void increment(std::vector<torch::Tensor> all) {
    for (auto& a : all) increment_kernel<<<1, 32>>>(a.data_ptr<float>(), a.numel());
}
"""


def main() -> int:
    """Exit status 1 if a goal was missed."""
    add = built("00-first-kernel", "00-add").add
    product = built("04-tiled-matmul", "04-jk").padded
    million, others = torch.randn(1 << 20), torch.randn(1 << 20)
    increment = build.load_inline("short", cuda_sources=SHORT, functions="increment", toolchain="emulator").increment
    eight, tensors = torch.zeros(100_000_000)[50_000_000:50_000_008], [torch.zeros(10) for _ in range(20)]
    small, large = torch.randn(256, 256), torch.randn(512, 512)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{os.cpu_count()} cores, load {load}, ziglang {clang.VERSION}; medians of {CALLS} calls")
    met = [
        measure("traced, tiled matmul, 256 x 256 x 256", 2, lambda: whole(product, small, small)),
        measure("traced, sum of two million-vectors", 0.3, lambda: whole(add, million, others)),
        measure("not traced, tiled matmul, 512^3", 1, lambda: product(large, large)),
        measure("100 calls on 8 elements of 400 MB", 0.2, lambda: [increment([eight]) for _ in range(100)]),
        measure("100 calls on 20 tensors of 40 bytes", 0.2, lambda: [increment(tensors) for _ in range(100)]),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
