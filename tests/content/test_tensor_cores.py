"""The kernels in PTX that notebook 09 loads: whether their lanes have what each instruction expects.

The emulator does not run `wgmma`. Here CUDA C++ stands in for it, with the layouts that the PTX ISA manual draws. The
rest is the file's own text, whose indices must be right. nvcc builds the text as it is.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import nbformat
import pytest
import torch

from course import device, trace
from course.build import Function, bindable_functions, load_inline
from course.toolchains.base import Source
from course.toolchains.emulator import calls
from course.toolchains.nvcc import Nvcc

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "course" / "kernels"
# A tile has rows of 128 bytes; bits 4 to 6 of an address are changed by bits 7 to 9.
WGMMA = r"""
__device__ uint64_t descriptor(const float* tile) { return reinterpret_cast<uint64_t>(tile); }
__device__ void multiply(float (&d)[kSums], const uint32_t (&a)[4], uint64_t b, bool first) {
    const int lane = threadIdx.x % 32, g = lane / 4, h = lane % 4;
    float rows[2][8];
    for (int n = 0; n < 16; ++n) {
        rows[n / 8][n % 8] = __uint_as_float(__shfl_sync(0xFFFFFFFF, a[n % 8 / 4 * 2 + n / 8], g * 4 + n % 4));
    }
    for (int n = 0; n < kSums; ++n) {
        const int column = n / 4 * 8 + 2 * h + n % 2;
        float found = first ? 0.0f : d[n];
        for (int k = 0; k < 8; ++k) {
            uint64_t place = b + column * 128 + k * 4;
            place ^= (place >> 7 & 7) << 4;
            found += rows[n % 4 / 2][k] * *reinterpret_cast<const float*>(place);
        }
        d[n] = found;
    }
}
__device__ void begin() {}
__device__ void stored() {}
__device__ void commit() {}
__device__ void finish(float (&)[kSums]) {}
"""


CELLS = ("mma", "wgmma")


def text_of(cell_id: str) -> str:
    """The text of a cell of notebook 09."""
    notebook = nbformat.read(ROOT / "solutions" / "09-beat-cublas" / "09-beat-cublas.ipynb", as_version=4)
    return next(cell.source for cell in notebook.cells if cell.id == cell_id)


def cuda_source(cell: str) -> str:
    """The text of the file that a cell loads."""
    return (KERNELS / f"{cell}.cu").read_text()


def three_products(cell: str) -> Function:
    """The function of a cell under the emulator, with stand-ins for `wgmma`."""
    source = cuda_source(cell)
    if cell == "wgmma":
        source = source[: source.index("// Describes a tile of B")] + WGMMA + source[source.index("__global__") :]
    module = load_inline(
        cell,
        cuda_sources=source,
        functions=bindable_functions(source),
        toolchain="emulator",
    )
    return module.three_products


@pytest.mark.parametrize("cell", CELLS)
def test_the_notebook_quotes_at_most_15_lines_of_a_file(cell: str) -> None:
    (quoted,) = re.findall(r"```cpp\n(.*?)```", text_of(f"{cell}-text"), re.DOTALL)
    lines = [line.strip() for line in quoted.splitlines()]
    text = "\n".join(line.strip() for line in cuda_source(cell).splitlines())
    assert len(lines) <= 15 and "\n".join(lines) in text


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
def test_three_products_have_six_digits(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "TIME_LIMIT", 100.0)
    function = three_products(cell)
    for M, N, K in ((100, 128, 96), (132, 36, 32), (4, 140, 32), (8, 4, 0)):
        A, B = torch.randn(K, M), torch.randn(N, K)
        exact = A.double().T @ B.double().T
        assert (function(A, B) - exact).norm() <= 1e-6 * exact.norm()


@pytest.mark.parametrize("K", [32, 96])  # one step, with nothing to load ahead; and three steps
def test_pairs_are_loaded_without_conflicts_and_after_their_barrier(K: int) -> None:
    found = trace(three_products("mma"), torch.randn(K, 128), torch.randn(64, K))
    assert found.hazards == ()
    loads = [line for line in found.traffic if (line.space, line.op) == ("shared", "load")]
    assert [line.bytes_each for line in loads] == [8, 8]
    assert [line.units for line in loads] == [line.ideal for line in loads]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "architecture", "instruction"),
    [("mma", "80", "mma.sync"), ("mma", "120", "mma.sync"), ("wgmma", "90", "wgmma.mma_async")],
)
def test_nvcc_builds_them(cell: str, architecture: str, instruction: str, tmp_path: Path) -> None:
    if device.nvcc() is None:
        pytest.skip("nvcc is not installed")
    flags = re.search(r"extra_cuda_cflags=(\[.*?\])", text_of(cell))
    flags = (*(ast.literal_eval(flags[1]) if flags else []), "--keep", f"--keep-dir={tmp_path}")
    source = Source(
        cuda=cuda_source(cell), functions=(("three_products", ""),), cuda_cflags=flags, include_paths=(str(KERNELS),)
    )
    Nvcc(architecture).build(source, tmp_path)
    assert f"sm_{architecture}".encode() in (tmp_path / "module.so").read_bytes()
    (ptx,) = tmp_path.glob("*.ptx")
    assert f"{instruction}." in ptx.read_text()  # a macro may have left the instruction out
