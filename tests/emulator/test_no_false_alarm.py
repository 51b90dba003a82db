"""No false alarm: correct kernels of many kinds, and every solution at ten sizes, give PyTorch's values and no hazard.

The correct kernels are in `tests/kernels/no_false_alarm`. The lines of a file's head are

    FUNCTION: EXPRESSION      what each of its functions computes from its input A, in PyTorch
    input: EXPRESSION         the input, made of random numbers A, where it is not A itself
    compared: EXPRESSION      what is compared of a result C whose order is not defined
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from course.build import Module, bindable_functions, load_inline, load_traced
from course.notebook.trace import trace
from course.referee.judge import judge
from course.tasks import Case, load_task
from course.toolchains.emulator import calls
from course.worker.protocol import Answer
from tests.kernels import joined, kernels
from tests.tiers import tiered

SOURCE = joined("no_false_alarm")


# The functions that the heads' references call.


def rows(A: torch.Tensor, count: int = 9) -> torch.Tensor:
    return A[: A.numel() // count * count].view(count, -1)


def largest(A: torch.Tensor) -> torch.Tensor:
    return torch.stack([A.max(), A.argmax().float()])


def squared(A: torch.Tensor) -> torch.Tensor:
    complex_ = torch.view_as_complex(A[: A.numel() // 2 * 2].view(-1, 2))
    return torch.view_as_real((complex_ * complex_.conj()).conj().resolve_conj()).flatten()


def blocks_of_three(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (1, 1))
    return padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4


def with_earlier_blocks(A: torch.Tensor) -> torch.Tensor:
    """Each element plus the sum of the blocks of 32 before its own."""
    totals = F.pad(A, (0, -A.numel() % 32)).view(-1, 32).sum(1)
    return A + (totals.cumsum(0) - totals).repeat_interleave(32)[: A.numel()]


def by_sixteens(A: torch.Tensor) -> torch.Tensor:
    return F.pad(A, (0, 128 - A.numel())).view(-1, 16).flip(1).flatten()[: A.numel()]


def by_eights(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (0, 128 - A.numel())).view(-1, 8)
    return padded.sum(1, keepdim=True).expand(-1, 8).flatten()[: A.numel()]


def marked(A: torch.Tensor) -> torch.Tensor:
    padded = (F.pad(A, (0, -A.numel() % 2)) > 0).view(-1, 2)
    return padded.any(1, keepdim=True).expand(-1, 2).flatten()[: A.numel()]


def with_neighbours_sign(A: torch.Tensor) -> torch.Tensor:
    padded = F.pad(A, (0, -A.numel() % 2)).view(-1, 2).flip(1).flatten()[: A.numel()]
    return A / 2 * (1 - 2 * (padded < 0).float())


def pinged(A: torch.Tensor) -> torch.Tensor:
    for _ in range(4):
        A = (A + A.roll(-1)) / 2
    return A


def dimensions(A: torch.Tensor) -> torch.Tensor:
    z, _, x = torch.meshgrid(torch.arange(3), torch.arange(5), torch.arange(A.numel()), indexing="ij")
    return (x % 8).clamp(max=3) + z.float()


def own(A: torch.Tensor) -> torch.Tensor:
    signed = A * torch.tensor([1.0, -1.0]).repeat(A.numel())[: A.numel()]
    return F.pad(signed, (0, -A.numel() % 4)).view(-1, 4).sum(0).repeat(2)


def compute(expression: str, **tensors: torch.Tensor) -> Any:
    """The value of an expression from a head."""
    return eval(expression, globals() | tensors)


# The file of each function.
NO_FUNCTIONS = ("input", "compared", "launch")
FILES = {key: file for file in kernels("no_false_alarm") for key, _ in file.lines if key not in NO_FUNCTIONS}


@pytest.fixture(scope="module")
def right() -> Module:
    return load_inline("right", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def test_every_function_has_a_reference() -> None:
    assert set(bindable_functions(SOURCE)) == set(FILES)


@pytest.mark.parametrize("function", FILES)
def test_a_right_kernel(right: Module, function: str) -> None:
    head = FILES[function].fields
    for size in (9, 63, 64, 100, 126):
        A = compute(head.get("input", "A"), A=torch.randn(size))
        expected = torch.as_tensor(compute(head[function], A=A))
        C = compute(head.get("compared", "C"), C=getattr(right, function)(A.clone()))
        torch.testing.assert_close(C, expected.reshape(C.shape).to(C.dtype), rtol=1e-2, atol=1e-3)
        assert trace(getattr(right, function), A).hazards == (), size


@pytest.mark.parametrize("order", [1, 12345])
@pytest.mark.parametrize("function", [name for name, file in FILES.items() if "atomic" in file.source])
def test_a_right_kernel_with_atomics_in_another_order(right: Module, function: str, order: int) -> None:
    head = FILES[function].fields
    A = compute(head.get("input", "A"), A=torch.randn(100))
    expected = torch.as_tensor(compute(head[function], A=A))
    with calls.reordered(order):
        result = load_traced(getattr(right, function))(A.clone())
    C = compute(head.get("compared", "C"), C=result)
    torch.testing.assert_close(C, expected.reshape(C.shape).to(C.dtype), rtol=1e-2, atol=1e-3)


WRAPPERS = ("streams", "lifetimes", "guarded_shuffles", "views")


@pytest.mark.parametrize("function", [name for name, file in FILES.items() if file.name in WRAPPERS])
def test_a_right_wrapper_gets_no_remark(right: Module, function: str) -> None:
    A = compute(FILES[function].fields.get("input", "A"), A=torch.randn(50))
    for _ in range(2):  # a wrapper may keep memory
        assert trace(getattr(right, function), A).remarks == ()


@pytest.mark.parametrize(("function", "sizes"), [("half_tile", {2}), ("half_rows", {2}), ("pair_tile", {4, 8})])
def test_only_a_tile_itself_is_accessed(right: Module, function: str, sizes: set[int]) -> None:
    """Not g++'s own variable, of 8 bytes, which says whether the tile was initialised."""
    found = trace(getattr(right, function), torch.randn(100))
    assert found.remarks == () and {row.bytes_each for row in found.traffic if row.space == "shared"} == sizes


def test_a_traced_call_computes_the_same(right: Module) -> None:
    A = torch.randn(100)
    expected = right.in_place(A.clone())
    trace(right.in_place, A)
    assert torch.equal(A, expected)


def test_several_threads_that_store_the_same_value_are_a_remark(right: Module) -> None:
    found = trace(right.flag, -torch.ones(100))
    assert found.hazards == () and len(found.remarks) == 1
    assert re.match(r"line \d+ \(`.+`\) stores the same value in the new tensor of shape \(1,\)", found.remarks[0])
    assert trace(right.flag, torch.ones(100)).remarks == ()


# ----------------------------------------------------------------------------------------------------------------------
# The solutions.

SOLUTIONS = Path(__file__).parents[2] / "solutions"
SIZES = {
    ("N",): [(1,), (31,), (32,), (33,), (255,), (256,), (257,), (1000,), (4097,), (10007,)],
    ("M", "N"): [(1, 4), (1, 36), (37, 4), (32, 32), (33, 36), (64, 48), (17, 132), (129, 20), (100, 100), (3, 1028)],
    ("M", "N", "K"): [(1, 1, 1), (16, 16, 16), (17, 15, 33), (33, 31, 15), (32, 32, 32), (40, 8, 5), (1, 50, 40),
                      (50, 1, 40), (35, 37, 49), (8, 8, 100)],
}  # fmt: skip
WHOLE_TILES = [(128, 128, 8), (128, 128, 16), (128, 128, 24), (128, 128, 40), (256, 128, 8), (128, 256, 8),
               (128, 256, 16), (256, 256, 8), (384, 128, 8), (128, 384, 8)]  # fmt: skip

SHORT_ROWS = [(m, min(n, 1024)) for m, n in SIZES["M", "N"]]
WHOLE_LINES = [(m, 32 * n) for m, n in SIZES["M", "N"][:-1]]  # rows of whole lines of the cache

SIZES_OF = {
    "fast_matmul_whole_tiles": WHOLE_TILES,
    "fast_matmul_pipelined": WHOLE_TILES,
    "fast_matmul_tall": WHOLE_TILES,
    "cumsum_rows": SHORT_ROWS,
    "linear_bfloat16": [(16 * (m % 4 + 1), 8 * (n % 5 + 1), 16 * (k % 3 + 1)) for m, n, k in SIZES["M", "N", "K"]],
    "softmax_by_warp": SHORT_ROWS,
    "softmax_few_sectors": WHOLE_LINES,
    "softmax_repaired": WHOLE_LINES,
    "tiled_matmul_first_tile": [(m, n, min(k, 16)) for m, n, k in SIZES["M", "N", "K"]],
}


def solutions() -> dict[str, tuple[str, str, str]]:
    """The text of each answer that has kernels, its function and its task, by the answer's grade_id."""
    found = {}
    for path in sorted(SOLUTIONS.glob("*/*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = {cell["metadata"].get("nbgrader", {}).get("grade_id"): "".join(cell["source"]) for cell in cells}
        for question in (cell["metadata"]["course"] for cell in cells if "course" in cell["metadata"]):
            text = texts[question["answer"]]
            if text.startswith("%%"):
                found[question["answer"]] = text, question["function"], question["task"]
    return found


def names_of(task: str) -> tuple[str, ...]:
    """The sizes of a task that are called M, N and K; none for attention, whose work grows with the square of N."""
    return (
        ()
        if task.startswith("attention")
        else tuple(sorted({"M", "N", "K"} & set(load_task(task).integers), key="MNK".index))
    )


ANSWERS = {name: answer for name, answer in solutions().items() if names_of(answer[2])}


@pytest.mark.parametrize("name", tiered(ANSWERS, lambda name: [names_of(ANSWERS[name][2])]))
def test_a_solution_at_ten_sizes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, function, task = ANSWERS[name]
    monkeypatch.setattr("course.referee.memory.TRACED_ACCESSES", 1 << 40)
    names = names_of(task)
    chosen = SIZES_OF.get(task, SIZES[names])
    cases = [Case(dict(zip(names, sizes, strict=True))) for sizes in chosen]
    verdict = judge(Answer.of_cell(text, function), task, cases=cases, toolchain="emulator")
    assert verdict.correct and not verdict.hazards and not verdict.untraced, verdict.text()


@pytest.mark.parametrize("barrier", ["__syncthreads();", ""])
def test_shared_arrays_in_a_header_of_the_user_are_those_of_a_block(barrier: str, tmp_path: Path) -> None:
    kernel = f"""
template <int kSize>
__global__ void turn(const float* in, float* out) {{
    __shared__ float tile[kSize];
    tile[threadIdx.x] = in[blockIdx.x * kSize + threadIdx.x];
    {barrier}
    out[blockIdx.x * kSize + threadIdx.x] = tile[kSize - 1 - threadIdx.x];
}}
"""
    (tmp_path / f"turn{len(barrier)}.cuh").write_text(kernel)
    source = (
        f'#include <torch/extension.h>\n#include "turn{len(barrier)}.cuh"\n'
        + """
torch::Tensor f(torch::Tensor in) {
    auto out = torch::empty_like(in);
    turn<64><<<3, 64>>>(in.data_ptr<float>(), out.data_ptr<float>());
    return out;
}
"""
    )
    f = load_inline("turner", cuda_sources=source, functions=["f"], extra_include_paths=[str(tmp_path)],
                    toolchain="emulator").f  # fmt: skip
    found = [each.detail for each in trace(f, torch.rand(192)).hazards]
    assert not found if barrier else "a race on the shared array tile" in found[0]
