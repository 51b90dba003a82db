"""Tasks that do not state `sum_length`: honest float32 is right in any order, and narrower arithmetic is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from course.referee.tolerance import SumLength, from_narrow_operands, rounded
from course.referee.trial import Trial
from course.referee.values import compare_outcome
from course.referee.verdict import CaseResult
from course.tasks import Case, Task
from course.tasks.task import other_seed
from course.worker.protocol import Outcome, TensorInfo

MATMUL = "A @ B"
SEEDS = 20
FULL, HALF, BFLOAT16 = 24, 11, 8  # bits of significand


def task_of(forward: str, inputs: str, init: str = "pass", sizes: Mapping[str, int] | None = None) -> Task:
    """A KernelBench file whose Model returns `forward`; its tensor inputs are called A, B and so on."""
    source = (
        "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
        + "".join(f"{name} = {value}\n" for name, value in (sizes or {}).items())
        + f"class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {init}\n"
        + f"    def forward(self, A, B=None):\n        return {forward}\n"
        + f"def get_inputs():\n    return [{inputs}]\n"
    )
    return Task("task", source, "task.py")


def compared(task: Task, result: Any, seed: int, dtype: str = "") -> CaseResult:
    """What the referee finds if an answer returns `result`; these values stand in for a worker."""
    results = result if isinstance(result, tuple) else (result,)
    infos = [TensorInfo("outputs", i, tuple(x.shape), x.stride(), x.dtype, "cpu") for i, x in enumerate(results)]
    worker = SimpleNamespace(
        sources=[],
        inputs=lambda task, case, seed: task.inputs(case, seed, "cpu"),
        fetch=lambda info, start, stop: results[info.index].reshape(-1)[start:stop],
    )
    outcome = Outcome(tuple(infos) if isinstance(result, tuple) else infos[0])
    return compare_outcome(worker, Trial(task, Case(dtype=dtype), seed), outcome)[0]


def product(A: torch.Tensor, B: torch.Tensor, fma: bool = False) -> torch.Tensor:
    """A @ B for stacks of matrices, by one thread per element: a sum in float32, one term after the other."""
    total = torch.zeros(*A.shape[:-1], B.shape[-1])
    for a, b in zip(A.unbind(-1), B.unbind(-2), strict=True):
        a, b = a[..., :, None], b[..., None, :]
        # A product of two float32 is exact in float64, so only the sum is rounded (in very rare cases twice).
        total = (total.double() + a.double() * b).float() if fma else total + a * b
    return total


def products(task: Task, seeds: int, bits: Sequence[int], fma: bool = False) -> torch.Tensor:
    """For each seed, the product of the inputs of `task`, each rounded to its number of bits."""
    drawn = [task.inputs(Case(), seed, "cpu") for seed in range(seeds)]
    A, B = (torch.stack(operands) for operands in zip(*drawn, strict=True))
    return product(rounded(A, bits[0]), rounded(B, bits[1]), fma)


def running_sum(x: torch.Tensor) -> torch.Tensor:
    """The sums along the last dimension, one term after the other in float32."""
    total, sums = torch.zeros(x.shape[:-1]), []
    for term in x.unbind(-1):
        total = total + term
        sums.append(total)
    return torch.stack(sums, -1)


def matmul(K: int, M: int = 9, N: int = 8, draw: str = "rand") -> Task:
    return task_of(MATMUL, f"torch.{draw}(M, K), torch.{draw}(K, N)", sizes=dict(M=M, K=K, N=N))


@pytest.mark.slow
@pytest.mark.parametrize("K", [300, pytest.param(8192, marks=pytest.mark.seldom)])
def test_a_product_of_positive_terms_is_right_in_float32_and_refused_with_narrow_operands(K):
    task = matmul(K)
    for fma in (False, True):
        for seed, got in enumerate(products(task, SEEDS, (FULL, FULL), fma)):
            result = compared(task, got, seed)
            assert result.passed, (seed, result)
    for bits, kind in ((HALF, "half precision or TF32"), (BFLOAT16, "bfloat16")):
        for seed, got in enumerate(products(task, SEEDS, (bits, bits))):
            result = compared(task, got, seed)
            assert not result.passed and kind in result.why, (seed, result)


def test_a_task_with_cases_is_measured_too_if_it_does_not_state_its_sum():
    """A file such as an instructor's own: `A * B + A` cancels, where two roundings are many units of what is left."""
    plain = task_of("A * B + A", "torch.randn(4096), torch.randn(4096)")
    for stated, is_right in (
        ("", True),
        ("def sum_length(): return 2\n", True),
        ("def sum_length(): return 1\n", False),
    ):
        source = f"{plain.source}from course.tasks import Case\nCASES = [Case()]\n{stated}"
        task = Task("own", source, "own.py")
        A, B = task.inputs(Case(), 0, "cpu")
        assert compared(task, A * B + A, 0).passed is is_right, stated
        assert not compared(task, rounded(A, HALF) * rounded(B, HALF) + rounded(A, HALF), 0).passed


def test_one_narrow_operand_of_a_long_sum_is_enough():
    task = matmul(4096)
    for bits in ((HALF, FULL), (FULL, HALF)):
        for seed, got in enumerate(products(task, 5, bits)):
            assert "half precision or TF32" in compared(task, got, seed).why, (seed, bits)


def test_narrow_weights_are_narrow_operands():
    task = task_of("self.linear(A)", "torch.rand(9, 4096)", "self.linear = nn.Linear(4096, 8)")
    weights = task.model(task.module.Model, other_seed(1, "weights"), "cpu").linear
    (x,) = task.inputs(Case(), 1, "cpu")
    right, narrow = (product(x, rounded(weights.weight.data, bits).T) + weights.bias for bits in (FULL, HALF))
    assert compared(task, right.detach(), 1).passed
    assert "half precision or TF32" in compared(task, narrow.detach(), 1).why


@pytest.mark.slow
@pytest.mark.parametrize("draw", ["rand", "randn", "ones"])
def test_a_sequential_sum_that_costs_as_much_as_half_precision_is_right(draw):
    task = task_of(MATMUL, "0.1 * torch.DRAW(6, K), torch.DRAW(K, 6)".replace("DRAW", draw), sizes={"K": 1 << 16})
    for fma in (False, True):
        assert compared(task, products(task, 1, (FULL, FULL), fma)[0], 0).passed
    A, B = (x.double() for x in task.inputs(Case(), 0, "cpu"))
    sequential, half = products(task, 1, (FULL, FULL))[0], rounded(A, HALF) @ rounded(B, HALF)
    assert draw == "randn" or (sequential - A @ B).square().mean() > 0.5 * (half - A @ B).square().mean()


def softmax(x: torch.Tensor) -> torch.Tensor:
    """In one pass: the sum is rescaled whenever the maximum rises."""
    largest, total = torch.full(x.shape[:-1], -math.inf), torch.zeros(x.shape[:-1])
    for term in x.unbind(-1):
        risen = torch.maximum(largest, term)
        total, largest = total * torch.exp(largest - risen) + torch.exp(term - risen), risen
    return torch.exp(x - largest[..., None]) / total[..., None]


def layer_norm(x: torch.Tensor) -> torch.Tensor:
    off = x - running_sum(x)[..., -1:] / x.shape[-1]
    return off * torch.rsqrt(running_sum(off * off)[..., -1:] / x.shape[-1] + 1e-5)


def convolution(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    columns = torch.nn.functional.unfold(x, y.shape[2:])
    return product(y.flatten(1), columns).unflatten(-1, (x.shape[2] - y.shape[2] + 1, -1))


ROWS = "torch.randn(16, 500)"
HONEST = {  # what a Model returns, its inputs, and the same computed in float32 as in a naive kernel
    "softmax": ("A.softmax(1)", "torch.rand(4, 16384)", softmax),
    "layer norm": ("F.layer_norm(A, A.shape[1:])", ROWS, layer_norm),
    "layer norm far from 0": ("F.layer_norm(A, A.shape[1:])", f"1000 + {ROWS}", layer_norm),
    "mean": ("A.mean(1)", "torch.rand(16, 4096)", lambda x: running_sum(x)[:, -1] / x.shape[1]),
    "sum of everything": ("A.sum()", "torch.rand(64, 500)", lambda x: running_sum(x.flatten())[-1]),
    "dot product": ("(A * B).sum()", f"{ROWS}, {ROWS}", lambda x, y: running_sum((x * y).flatten())[-1]),
    "cumsum": ("A.cumsum(1)", "torch.rand(4, 16384)", running_sum),
    "cumsum of one row": ("A.cumsum(1)", "torch.rand(1, 16384)", running_sum),
    "product": ("A.prod(1)", "torch.rand(9, 90) + 0.5", lambda x: torch.stack([math.prod(row) for row in x])),
    "erf": ("F.gelu(A)", ROWS, lambda x: x * (0.5 + 0.5 * torch.erf(x * 0.70710678))),
    "tanh by exp": ("A.tanh()", ROWS, lambda x: 1 - 2 / (1 + torch.exp(2 * x))),
    "sigmoid": ("A.sigmoid()", ROWS, lambda x: 1 / (1 + torch.exp(-x))),
    "mish": ("F.mish(A)", ROWS, lambda x: x * torch.tanh(torch.log(1 + torch.exp(x)))),
    "logarithm": ("A.log()", "torch.rand(9, 90)", lambda x: torch.log2(x) * 0.69314718),
    "exponential": ("A.exp()", f"20 * {ROWS}", lambda x: torch.exp2(x * 1.44269504)),
    "logsumexp": ("A.logsumexp(1)", ROWS, lambda x: torch.log(running_sum(torch.exp(x))[:, -1])),
    "quotient": ("A / B", f"{ROWS}, {ROWS}", lambda x, y: x * (1 / y)),
    "root": ("A.sqrt()", "torch.rand(9, 90)", lambda x: x * torch.rsqrt(x)),
    "norm": ("A / A.norm()", "torch.rand(64, 500)", lambda x: x / running_sum((x * x).flatten())[-1].sqrt()),
    "row norms": ("A.norm(dim=1)", ROWS, lambda x: running_sum(x * x)[:, -1].sqrt()),
    "convolution": ("F.conv2d(A, B)", "torch.rand(2, 9, 12, 12), torch.randn(8, 9, 3, 3)", convolution),
    "cancels on the way": ("(A + 1000) - 1000", ROWS, lambda x: (x + 1000) - 1000),
    "variance": (
        "(A * A).mean(1) - A.mean(1) ** 2",
        f"{ROWS} + 20",
        lambda x: running_sum(x * x)[:, -1] / 500 - (running_sum(x)[:, -1] / 500) ** 2,
    ),
    "overflows": ("(A * 30).exp()", f"4 * {ROWS}", lambda x: torch.exp(x * 30)),
    "works in place": ("A.mul_(3).add_(1)", ROWS, lambda x: x * 3 + 1),
    "whole numbers": ("A.argmax(1)", ROWS, lambda x: x.argmax(1)),
    "two results": ("A.max(1)", ROWS, lambda x: tuple(x.max(1))),
    "nothing": ("A * 2", "torch.rand(0, 3)", lambda x: x * 2),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_kernel_is_right(name):
    forward, inputs, kernel = HONEST[name]
    task = task_of(forward, inputs)
    for seed in range(3):
        result = compared(task, kernel(*task.inputs(Case(), seed, "cpu")), seed)
        assert result.passed, (seed, result)


@pytest.mark.parametrize(("dtype", "off"), [(torch.float16, 0.02), (torch.bfloat16, 0.15), (torch.float64, 1e-12)])
def test_an_output_of_another_dtype_has_that_dtypes_accuracy(dtype, off):
    task, name = matmul(1000), str(dtype).removeprefix("torch.")
    A, B = task.inputs(Case(dtype=name), 0, "cpu")
    right = A.double() @ B.double()
    assert compared(task, right.to(dtype), 0, name).passed
    if dtype is torch.float64:
        assert (
            compared(task, product(A.float(), B.float()).to(dtype), 0, name).seen
            == "72 of 72 elements of the output are wrong."
        )
    else:
        assert compared(task, product(A.float(), B.float()).to(dtype), 0, name).passed
    assert not compared(task, right.to(dtype) * (1 + off), 0, name).passed


def test_an_approximation_is_not_called_half_precision():
    gelu = torch.nn.functional.gelu
    task = task_of("F.gelu(A)", ROWS)
    for seed in range(3):
        (x,) = task.inputs(Case(), seed, "cpu")
        result = compared(task, gelu(x, approximate="tanh"), seed)
        assert not result.passed and "half precision" not in result.why
        assert "half precision" in compared(task, gelu(x.half(), approximate="none").float(), seed).why
        assert "half precision" in compared(task, gelu(rounded(x, HALF)), seed).why
        assert "bfloat16" in compared(task, gelu(rounded(x, BFLOAT16)), seed).why


@pytest.mark.parametrize(
    "forward",
    [
        "(A * 1e30) ** 2 / 1e60",  # infinity in float32
        "(A * 1e30) ** 2 / (A * 1e30) ** 2 * A ** 2",  # NaN
        "A ** 2 if A.dtype == torch.float64 else A.missing",  # does not run
    ],
)
def test_a_model_whose_float32_result_is_no_use_neither_widens_the_tolerance_nor_stops_the_referee(forward):
    task = task_of(forward, "torch.rand(9, 40)")
    (x,) = task.inputs(Case(), 0, "cpu")
    assert compared(task, x * x, 0).passed
    assert not compared(task, x * x * (1 + 1e-4), 0).passed


@pytest.mark.parametrize(
    ("forward", "inputs", "terms"),
    [
        ("A @ B", "torch.rand(3, 700), torch.rand(700, 5)", 700),
        ("F.conv2d(A, B)", "torch.rand(2, 9, 12, 12), torch.randn(8, 9, 3, 3)", 81),
        ("A.softmax(1)", "torch.rand(3, 700)", 700),
        ("A.cumsum(0)", "torch.rand(700, 3)", 700),
        ("A.mean((0, 2))", "torch.rand(20, 3, 35)", 700),
        ("F.layer_norm(A, A.shape[1:])", "torch.rand(3, 20, 35)", 700),
        ("F.group_norm(A, 3)", "torch.rand(2, 6, 350)", 700),
        ("F.batch_norm(A, None, None, training=True)", "torch.rand(20, 3, 35)", 700),
        ("torch.relu(A * 2) + A", "torch.rand(700)", 3),
    ],
)
def test_the_terms_of_a_sum_are_counted(forward, inputs, terms):
    task = task_of(forward, inputs)
    with SumLength() as counted:
        task.reference(task.inputs(Case(), 0, "cpu"), 0)
    assert terms <= counted.terms <= terms + 10


def test_errors_of_equal_elements_are_one_coincidence():
    expected = torch.full((1000,), 3.0, dtype=torch.float64)
    off = expected + 1e-5
    assert not from_narrow_operands(off, expected, off)
    varied = expected + torch.arange(1000)
    assert from_narrow_operands(varied + 1e-5, varied, varied + 1e-5)
