"""The self-test of counted traffic: on this machine, it counts a kernel whose traffic was derived by hand."""

import functools
import operator
from pathlib import Path

import torch

from course.errors import BuildError, KernelError, ToolchainMissing
from course.toolchains.base import Source
from course.toolchains.cache import cached, content_hash
from course.toolchains.emulator.calls import counting
from course.toolchains.emulator.library import HERE
from course.toolchains.emulator.toolchain import Emulator

SOURCE = r"""
#include <torch/extension.h>

__global__ void counted_kernel(const float* a, float* c) {
    __shared__ float tile[96];
    const int i = threadIdx.x;  // 48 threads: a warp and half a warp
    // The load has 4 and 2 sectors. The store to every second word, two in a bank for the first warp: 2 and 1
    // wavefronts.
    tile[2 * i] = a[i];
    __syncthreads();
    float sum = tile[2 * (47 - i)];  // the same words
    // Three rounds: 24, 16 and 8 lanes of the first warp over 4 sectors; 12, 8 and 4 of the second warp over 2.
    for (int j = 0; j < i % 4; ++j) sum += a[64 * (j + 1) + i];
    if (i >= 40) return;
    // Two branches: each with 16 lanes over 4 sectors in the first warp, and 4 lanes in 1 sector in the second.
    if (i % 2) {
        sum *= a[256 + i];
    } else {
        sum += a[320 + i];
    }
    // 16 and 4 sectors, in one request per warp.
    float4 v = reinterpret_cast<const float4*>(a)[i];
    v.x += sum;
    reinterpret_cast<float4*>(c)[i] = v;
}
torch::Tensor counted(torch::Tensor A) {
    auto C = torch::empty({160}, A.options());
    counted_kernel<<<1, 48>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
"""
ELEMENTS = 512  # of A
# Requests, units and ideal, by space, operation and bytes.
EXPECTED = {
    ("global", "load", 4): (2 + 6 + 4, 6 + 3 * (4 + 2) + 2 * (4 + 1), 6 + (3 + 2 + 1 + 2 + 1 + 1) + 2 * (2 + 1)),
    ("global", "load", 16): (2, 20, 20),
    ("global", "store", 16): (2, 20, 20),
    ("shared", "load", 4): (2, 3, 2),
    ("shared", "store", 4): (2, 3, 2),
}


@functools.cache
def counting_problem() -> str:
    """Why no traffic can be counted on this machine, in one sentence; "" if the counts are those derived by hand.

    The kernel is built and run only until its counts were right once for this compiler and this version of the tracer.
    The build cache keeps this result.
    """
    traced = Emulator(traced=True)

    def build(folder: Path) -> None:
        source = Source(cuda=SOURCE, functions=(("counted", ""),))
        built = cached(traced.name, f"{source!r} {traced.version()}", lambda work: traced.build(source, work))
        function = traced.load(source, built)["counted"]
        with counting() as counted:
            function(torch.ones(ELEMENTS))
        found: dict[tuple, tuple[int, ...]] = {}
        for line in counted.traffic:
            key, before = (line.space, line.op, line.bytes_each), (0, 0, 0)
            counts = line.requests, line.units, line.ideal
            found[key] = tuple(map(operator.add, found.get(key, before), counts))
        if found != EXPECTED:  # raised, since a failure is not cached
            raise KernelError("its counts differ from the counts derived by hand")

    try:
        cached("counting", f"{traced.version()} {content_hash(HERE)}", build)
        problem = ""
    except (BuildError, KernelError, ToolchainMissing) as error:
        problem = f"fails the self-test of counted traffic ({str(error).splitlines()[0]})"
    return f"The emulator {problem}: nothing is counted here." if problem else ""
