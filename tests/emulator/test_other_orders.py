"""Calls in another order: threads, and blocks, come between what others read and what they store."""

from __future__ import annotations

import pytest
import torch

from course.build import Function, Module, load_inline, load_traced
from course.toolchains.emulator import calls

# How to add `more` to *bin so that counts are lost only if threads, or blocks, run at the same time ...
LOST = {
    "compare and swap once": "const unsigned old = *bin; atomicCAS(bin, old, old + more);",
    "a volatile read": "const unsigned old = *(volatile unsigned*)bin; atomicCAS(bin, old, old + more);",
    "a maximum": "const unsigned old = *bin; atomicMax(bin, old + more);",
    "an exchange after a fence": "const unsigned old = *bin; __threadfence(); atomicExch(bin, old + more);",
    "a read by an addition of 0": "const unsigned old = atomicAdd(bin, 0u); atomicCAS(bin, old, old + more);",
    "a read by compare and swap": "const unsigned old = atomicCAS(bin, 7u, 7u); atomicMax(bin, old + more);",
}
# ... and so that none are.
KEPT = {
    "an addition": "atomicAdd(bin, more);",
    "a loop": "unsigned old = *bin, seen; while ((seen = atomicCAS(bin, old, old + more)) != old) old = seen;",
    "a loop that loads again": "unsigned old; do { old = *bin; } while (atomicCAS(bin, old, old + more) != old);",
    "a look before the addition": "if (*bin < 1000u) atomicAdd(bin, more);",
    "a lock": """
        for (bool done = false; !done;) {
            if (atomicCAS(&lock, 0, 1) != 0) continue;
            __threadfence();
            const unsigned old = *bin;
            atomicExch(bin, old + more);
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }""",
    "a lock that is looked at first": """
        for (bool done = false; !done;) {
            if (*(volatile int*)&lock || atomicCAS(&lock, 0, 1) != 0) continue;
            __threadfence();
            *bin += more;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }""",
}
BODIES = list((LOST | KEPT).values())
SOURCE = "#include <torch/extension.h>\n__device__ int lock;\n" + "".join(
    f"""
__device__ void add{i}(unsigned* bin, unsigned more) {{ {body} }}
__global__ void of_threads{i}(const int* x, unsigned* bins) {{ add{i}(&bins[x[threadIdx.x]], 1); }}
__global__ void of_blocks{i}(const int* x, unsigned* bins) {{
    add{i}(&bins[threadIdx.x], x[blockIdx.x] == threadIdx.x);
}}
torch::Tensor counted{i}(torch::Tensor X, bool by_blocks) {{
    torch::Tensor bins = torch::zeros({{4}}, X.options());
    auto* counts = reinterpret_cast<unsigned*>(bins.data_ptr<int>());
    if (by_blocks) of_blocks{i}<<<X.numel(), 4>>>(X.data_ptr<int>(), counts);
    else of_threads{i}<<<1, X.numel()>>>(X.data_ptr<int>(), counts);
    return bins;
}}"""
    for i, body in enumerate(BODIES)
)
X = torch.randint(4, (100,), dtype=torch.int32, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def counting() -> Module:
    names = [f"counted{i}" for i in range(len(BODIES))]
    return load_inline("other_orders", cuda_sources=SOURCE, functions=names, toolchain="emulator")


def is_right(function: Function, by_blocks: bool, order: int) -> bool:
    with calls.reordered(order):
        return torch.equal(load_traced(function)(X, by_blocks), X.bincount(minlength=4).int())


@pytest.mark.parametrize("by_blocks", [False, True], ids=["threads", "blocks"])
@pytest.mark.parametrize("way", [*LOST, *KEPT])
def test_what_is_lost_between_a_read_and_a_store_is_lost_in_another_order(counting, way, by_blocks) -> None:
    function = getattr(counting, f"counted{BODIES.index((LOST | KEPT)[way])}")
    assert is_right(function, by_blocks, 0)
    assert all(is_right(function, by_blocks, order) == (way in KEPT) for order in (1, 12345))
