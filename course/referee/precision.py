"""What float32 costs a task on its own inputs, and how to recognize a result that was computed with less.

`Tolerance` in `values.py` allows the rounding errors of a sum of K terms. A KernelBench file does not state K, so K is
counted here. What else float32 costs, by cancellation say, is measured on `Model` itself.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from course.tasks import Task

NARROW = {8: "bfloat16", 11: "half precision or TF32"}  # by the bits of their significands
FEWEST_TERMS = 64  # 32 units in the last place: CUDA's elementary functions take up to 10, and a formula has several
LARGEST_LOSS = 1000  # times the output's own size: a float32 result that is off by more says nothing
SAMPLE = 1 << 16  # elements whose errors are enough to recognize where they come from
CHANCE = 1e-6  # that the errors of an honest kernel are taken for those of narrow operands
_FLOAT32 = torch.finfo(torch.float32).eps
_SCANS = ("cumsum", "cumprod", "logcumsumexp")
_ALONG_A_DIMENSION = ("_softmax", "_log_softmax", *_SCANS)


class SumLength(TorchDispatchMode):
    """Counts the terms that PyTorch's operations sum in one output element, one operation after the other."""

    terms = 0
    scans = False  # whether one of them was a scan, whose outputs share their terms and so their errors

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and skipping it imports it first: 0.7 s

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if not func.is_view:
            self.terms += _terms(func, args, kwargs, result)
            self.scans |= func.overloadpacket.__name__ in _SCANS
        return result


def _terms(func: Any, args: tuple, kwargs: Mapping[str, Any], result: Any) -> int:
    """About how many terms one element of `result` is the sum of."""
    outputs = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor) and x.numel()]
    inputs = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if not outputs or not inputs or torch.Tag.pointwise in func.tags:
        return 1
    with contextlib.suppress(Exception):  # a form of the call that PyTorch's own count does not know
        if func.overloadpacket in flop_registry:  # matrix products, convolutions, attention
            return flop_registry[func.overloadpacket](*args, **kwargs, out_val=result) // (2 * outputs[0].numel())
        if func.overloadpacket.__name__ in _ALONG_A_DIMENSION and inputs[0].dim():
            return inputs[0].shape[kwargs["dim"] if "dim" in kwargs else args[1]]
    # A reduction, or a normalization, which returns the means as well.
    return max(x.numel() for x in inputs) // min(x.numel() for x in outputs)


def counted_length(dtype: torch.dtype, terms: int) -> int:
    """The length of sum whose tolerance an output of `dtype` gets where `terms` were counted.

    A kernel sums in float32 what is narrower. Rounding that sum takes one unit in the last place of `dtype`, and what
    rounds between two operations takes some more.
    """
    if not (dtype.is_floating_point or dtype.is_complex):
        return 1
    narrower = torch.finfo(dtype).eps / _FLOAT32
    return max(4, math.ceil(terms / narrower**2)) if narrower > 1 else max(FEWEST_TERMS, terms)


def float32_loss(task: Task, inputs: Sequence[Any], seed: int, parts: Sequence[Any]) -> list[float]:
    """For each of `parts`, the reference's in float64, the size of the numbers whose rounding `Model` suffers from.

    That is the root mean square of what `Model` is off by in the inputs' own dtype (float64 counts as float32), divided
    by the machine epsilon. It exceeds that of the output where larger numbers cancel on the way. 0 where `Model` does
    not run in that dtype.
    """
    if not any(isinstance(x, torch.Tensor) and x.dtype == torch.float64 for x in parts):
        return [0.0] * len(parts)
    own = [x.float() if isinstance(x, torch.Tensor) and x.dtype == torch.float64 else x for x in inputs]
    try:
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            results = tree_leaves(task.reference(own, seed, widen=False))
    except Exception:
        results = []
    return [_loss(got, wanted) for got, wanted in itertools.zip_longest(results, parts)][: len(parts)]


def _loss(got: Any, wanted: Any) -> float:
    if not (isinstance(got, torch.Tensor) and isinstance(wanted, torch.Tensor) and got.shape == wanted.shape):
        return 0.0
    if not (got.is_floating_point() or got.is_complex()):
        return 0.0
    loss = _rms_of_difference(got, wanted) / torch.finfo(got.dtype).eps
    return min(loss, LARGEST_LOSS * _rms_of_difference(torch.zeros_like(wanted), wanted))


def _rms_of_difference(a: torch.Tensor, b: torch.Tensor) -> float:
    """Root mean square of a - b, where both are finite."""
    total, count = 0.0, 0
    for x, y in zip(a.reshape(-1).split(SAMPLE << 4), b.reshape(-1).split(SAMPLE << 4), strict=True):
        off = (x.to(y.dtype) - y).abs()
        off = off[off.isfinite()].double()
        total, count = total + float(off.square().sum()), count + off.numel()
    return math.sqrt(total / count) if count else 0.0


def rounded(x: torch.Tensor, bits: int) -> torch.Tensor:
    """`x` rounded to nearest, to `bits` bits of significand."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 2**bits).round() / 2**bits, exponent)


def with_narrow_operands(task: Task, inputs: Sequence[Any], seed: int, part: int, bits: int) -> Iterator[torch.Tensor]:
    """Part number `part` of references whose operands are rounded to `bits` bits.

    All operands are rounded in the first, then each input alone, then the weights. Where `Model` fails with such
    operands (they are no longer a positive definite matrix, say) there is none.
    """
    floating = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.is_floating_point()]
    alone = [[i] for i in floating] if len(floating) > 1 else []
    narrower = functools.partial(rounded, bits=bits)
    for chosen, change_weight in [(floating, narrower), *((each, None) for each in alone), ([], narrower)]:
        changed = [narrower(x) if i in chosen else x for i, x in enumerate(inputs)]
        with contextlib.suppress(Exception):
            yield tree_leaves(task.reference(changed, seed, change_weight=change_weight))[part]


def from_narrow_operands(got: torch.Tensor, expected: torch.Tensor, narrow: torch.Tensor) -> bool:
    """Whether the errors of `got` are those that narrow operands cause, as `narrow` has them; all are flat.

    Rounding errors of float32 are independent of those of the operands. So the errors must be about as large as those
    of `narrow`, these must explain half of their squares at least, and so good a fit must be no coincidence: of n
    independent errors it leaves the share r or less of the squares with a probability of about r**((n-1)/2). Those of a
    scan are not independent: do not ask of them. This
    works where float32 costs no less than the operands' rounding, as in long sums of positive terms, and there the
    fit is too bad.
    """
    got, expected, narrow = (x[:SAMPLE].double() for x in (got, expected, narrow))
    known = got.isfinite() & expected.isfinite() & narrow.isfinite()
    error, effect = (got - expected)[known], (narrow - expected)[known]
    common, squares = float(error @ effect), float(error @ error) * float(effect @ effect)
    if common <= 0 or not 0.5 < common / float(effect @ effect) < 2:
        return False
    left = max(1 - common**2 / squares, 1e-12)
    independent = expected[known].unique().numel()  # the same value twice has the same error
    return left < 0.5 and left ** ((independent - 1) / 2) < CHANCE
