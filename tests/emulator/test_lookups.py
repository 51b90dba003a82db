"""Lookups and wavefronts that the tracer counts, beside what Nsight Compute counted on an H200 (docs/notes.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
import torch

from autograder.classroom import ROOT
from course.build import bindable_functions, load_inline
from course.notebook.trace import trace
from tests.benchmarks.kernels import source
from tests.tiers import tiered

TABLE = re.findall(r"^\| (\d\d) `(\w+)`(, [\w ]+)? \|(.*)\|$", (ROOT / "docs" / "notes.md").read_text(), re.MULTILINE)
# The notebook and the cell of each row of the table, the function, and the shapes of its tensors.
SQUARE, SMALL = (1024, 1024), (512, 512)
KERNELS = {
    "by_row": ("01-row-scaling", "row-kernel", "scale_rows", [(1024,), SQUARE]),
    "by_block": ("01-row-scaling", "01-row-block", "scale_rows", [(1024,), SQUARE]),
    "by_loads, 4": ("02-scalar-multiply", "02-loads", "scale_4", [SQUARE, 2.0]),
    "along_j": ("03-matmul", "03-along-j", "transposed_matmul", [SMALL, SMALL]),
    "along_i": ("03-matmul", "03-along-i", "transposed_matmul", [SMALL, SMALL]),
    "tile_of_a": ("04-tiled-matmul", "tile-of-a", "transposed_matmul", [SMALL, SMALL]),
    "tiled_jk, unpadded": ("04-tiled-matmul", "04-jk", "unpadded", [SMALL, SMALL]),
    "tiled_jk, padded": ("04-tiled-matmul", "04-jk", "padded", [SMALL, SMALL]),
    "registers": ("04-tiled-matmul", "04-registers", "transposed_matmul", [SMALL, SMALL]),
    "by_warps": ("06-row-scaling-backward", "06-dots", "row_dots", [SQUARE, SQUARE]),
    "online": ("08-model-new", "08-online", "softmax", [SQUARE]),
}
SHUFFLES = ("by_warps", "online")  # which the hardware serves as wavefronts too, and the tracer does not count


def test_every_row_of_the_table_is_compared():
    assert [name + option for _, name, option, _ in TABLE] == list(KERNELS)


@pytest.mark.parametrize("row", tiered(TABLE, lambda row: [row[0]], lambda row: row[1] + row[2]))
def test_lookups_and_wavefronts_are_those_of_nsight_compute(row: Sequence[str]):
    name = row[1] + row[2]
    _, loads, stores, wavefronts = (int(number.replace(",", "")) for number in row[3].split("|")[:4])
    notebook, cell, function, shapes = KERNELS[name]
    text = source(notebook, cell)
    module = load_inline(row[1], cuda_sources=text, functions=bindable_functions(text), toolchain="emulator")
    arguments = [torch.ones(shape) if isinstance(shape, tuple) else shape for shape in shapes]
    traffic = trace(getattr(module, function), *arguments).traffic

    def total(space: str, op: str, count: str) -> int:
        return sum(getattr(t, count) for t in traffic if (t.space, t.op) == (space, op))

    if name == "by_row":  # nvcc takes the load of A[i] out of the loop: one lookup for each row and each of 32 warps
        loads += 32 * 1024 - 32
    assert (total("global", "load", "lines"), total("global", "store", "lines")) == (loads, stores)
    shared = total("shared", "load", "cycles") + total("shared", "store", "cycles")
    if shared and name not in SHUFFLES:
        assert 0.98 * wavefronts < shared <= wavefronts


FOUR = """
#include <torch/extension.h>

__global__ void four(const float* B, float* C, int K) {
    const float* row = B + threadIdx.x * K;
    float sum = 0.0f;
    for (int k = 0; k < K; k += 4) {
        sum += row[k];
        sum += row[k + 1];
        sum += row[k + 2];
        sum += row[k + 3];
    }
    C[threadIdx.x] = sum;
}

torch::Tensor sums(torch::Tensor B) {
    torch::Tensor C = torch::empty({B.size(0)}, B.options());
    four<<<1, 32>>>(B.data_ptr<float>(), C.data_ptr<float>(), B.size(1));
    return C;
}
"""


@pytest.mark.parametrize("length", [32, 36])
def test_no_line_takes_less_than_0_if_loads_in_several_lines_may_be_merged(length: int):
    module = load_inline("four", cuda_sources=FOUR, functions=["sums"], toolchain="emulator")
    found = [t.cycles for t in trace(module.sums, torch.ones(32, length)).traffic if t.op == "load"]
    assert len(found) == 4 and found[:3] == [0, 0, 0] and 4 * length // 4 <= found[3] <= 32 * length // 4
