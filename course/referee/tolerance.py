"""How far an output may be off, and how to recognize a result that was computed with fewer bits.

`Tolerance` allows the rounding errors of a sum of K terms. A KernelBench file does not state K, so K is counted. Other
losses of accuracy in float32, such as those by cancellation, are measured on `Model` itself.
"""

import contextlib
import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from course.explain.from_values import rounded
from course.tasks import Task

SLICE_BYTES = 64 << 20  # compared at a time
FEWEST_TERMS = 64  # 32 units in the last place: one of CUDA's functions may be off by 10, and a formula has several
LARGEST_LOSS = 1000  # times the output's own size; a larger loss in float32 says nothing about an answer
SAMPLE = 1 << 16  # how many elements' errors are enough to recognize their cause
CHANCE = 1e-6  # probability that the errors of an honest kernel are mistaken for those of narrow operands
_FLOAT32 = torch.finfo(torch.float32).eps
_SCANS = ("cumsum", "cumprod", "logcumsumexp")
_ALONG_A_DIMENSION = ("_softmax", "_log_softmax", *_SCANS)


@dataclass(frozen=True)
class Tolerance:
    """How far an element of an output may be off: `relative` times its absolute value, plus `absolute`."""

    relative: float
    absolute: float

    @classmethod
    def of(cls, dtype: torch.dtype, sum_length: int, expected: torch.Tensor, least: float = 0.0) -> "Tolerance":
        """The tolerance of an output of `dtype` whose elements are sums of K = `sum_length` terms each.

        With the unit roundoff u, one operation may be off by 4 u of the element. A sum of K terms may be off by 8
        sqrt(K) u of the element plus 8 sqrt(K) u of the root mean square of the outputs, since rounding errors of the
        order u add like a random walk: N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition,
        section 2.8. A result computed in half precision or TF32 is off by 2**-11, and fails for every K below a few
        hundred thousand. Integers and booleans must be exact.

        The root mean square is that of the finite elements of `expected`, the reference. `least` is its lower bound,
        for so few outputs that their terms may happen to cancel.
        """
        if not (dtype.is_floating_point or dtype.is_complex):
            return cls(0.0, 0.0)
        info = torch.finfo(dtype)
        if sum_length <= 1:
            return cls(2 * info.eps, info.smallest_normal)
        relative = 4 * math.sqrt(sum_length) * info.eps
        return cls(relative, relative * max(root_mean_square(expected), least) + info.smallest_normal)

    def close(self, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """A mask of the right elements of the output `got`; the dtype of `expected`, the reference, may be wider.

        NaN and infinities are right only where the reference has them. An element of the reference that is finite, but
        too large for the dtype of `got`, must be an infinity in `got`.
        """
        if not (got.is_floating_point() or got.is_complex()):
            return got == expected
        rounded = expected.to(got.dtype)  # a large reference is an infinity in a narrow dtype
        same = (got == rounded) | (got.isnan() & rounded.isnan())
        off = (got.to(expected.dtype) - expected).abs()
        near = off <= self.absolute + self.relative * expected.abs()
        return torch.where(rounded.isfinite() & got.isfinite(), near, same)


class SumLength(TorchDispatchMode):
    """Counts the terms that PyTorch's operations sum in one output element, added up over all operations."""

    terms = 0
    scans = False  # whether an operation was a scan, whose outputs share terms and therefore share errors

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True would import the compiler, which takes 0.7 s, and nothing is compiled here

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if not func.is_view:
            self.terms += _terms(func, args, kwargs, result)
            self.scans |= func.overloadpacket.__name__ in _SCANS
        return result


def _terms(func: Any, args: tuple, kwargs: Mapping[str, Any], result: Any) -> int:
    """The approximate number of terms whose sum is one element of `result`."""
    outputs = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor) and x.numel()]
    inputs = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if not outputs or not inputs or torch.Tag.pointwise in func.tags:
        return 1
    with contextlib.suppress(Exception):  # a form of the call that PyTorch's own count does not know
        if func.overloadpacket in flop_registry:  # matrix products, convolutions, attention
            return flop_registry[func.overloadpacket](*args, **kwargs, out_val=result) // (2 * outputs[0].numel())
        if func.overloadpacket.__name__ in _ALONG_A_DIMENSION and inputs[0].dim():
            return inputs[0].shape[kwargs["dim"] if "dim" in kwargs else args[1]]
    # The smallest output of a reduction has the sums; a normalization also returns the means.
    return max(x.numel() for x in inputs) // min(x.numel() for x in outputs)


def counted_length(dtype: torch.dtype, terms: int) -> int:
    """The number of terms that sets the tolerance of an output of `dtype` for which `terms` were counted.

    If `dtype` is narrower than float32, a kernel sums in float32. Rounding this sum to `dtype` costs one unit in the
    last place of `dtype`, and rounding between two operations costs a few more.
    """
    if not (dtype.is_floating_point or dtype.is_complex):
        return 1
    narrower = torch.finfo(dtype).eps / _FLOAT32
    return max(4, math.ceil(terms / narrower**2)) if narrower > 1 else max(FEWEST_TERMS, terms)


def float32_loss(task: Task, inputs: Sequence[Any], seed: int, parts: Sequence[Any]) -> list[float]:
    """For each part of the float64 reference in `parts`, the size of the intermediate numbers that `Model` rounds.

    This size is the root mean square of the errors of `Model` in the inputs' own dtype, divided by the machine epsilon.
    For float64 inputs, `Model` runs in float32. If larger numbers cancel on the way, this size exceeds that of the
    output. It is 0 if `Model` does not run in that dtype.
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
    loss = root_mean_square(got.to(wanted.dtype) - wanted) / torch.finfo(got.dtype).eps
    return min(loss, LARGEST_LOSS * root_mean_square(wanted))


def with_narrow_operands(task: Task, inputs: Sequence[Any], seed: int, part: int, bits: int) -> Iterator[torch.Tensor]:
    """Part number `part` of several references whose operands are rounded to `bits` bits.

    The first reference has all operands rounded. In each of the next references, only one input is rounded. In the
    last, only the weights are rounded. If `Model` fails with rounded operands (for example because a matrix is no
    longer positive definite), that reference is left out.
    """
    floating = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.is_floating_point()]
    alone = [[i] for i in floating] if len(floating) > 1 else []
    narrower = functools.partial(rounded, bits=bits)
    for chosen, change_weight in [(floating, narrower), *((each, None) for each in alone), ([], narrower)]:
        changed = [narrower(x) if i in chosen else x for i, x in enumerate(inputs)]
        with contextlib.suppress(Exception):
            yield tree_leaves(task.reference(changed, seed, change_weight=change_weight))[part]


def from_narrow_operands(got: torch.Tensor, expected: torch.Tensor, narrow: torch.Tensor) -> bool:
    """Whether the errors of `got` are those of narrow operands, which are the errors of `narrow`. All tensors are flat.

    Rounding errors of float32 are independent of the rounding errors of the operands. So three things must hold. The
    errors of `got` are about as large as those of `narrow`. The errors of `narrow` explain at least half of the sum of
    squares of the errors of `got`. Such a good fit is not a coincidence: for n independent errors, the probability
    is about r**((n-1)/2) that the unexplained share of the squares is at most r. The errors of a scan are not
    independent, so do not call this for a scan. If float32 costs as much accuracy as rounding the operands, as in long
    sums of positive terms, the fit is too bad, and the result is False.
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


def root_mean_square(x: torch.Tensor) -> float:
    """The root mean square of the finite elements; 0 if there are none."""
    total, count = 0.0, 0
    flat = x.reshape(-1)
    for a, b in slices(0, flat.numel(), x.element_size()):
        part = flat[a:b][flat[a:b].isfinite()].abs().double()
        total, count = total + float(part.square().sum()), count + part.numel()
    return math.sqrt(total / count) if count else 0.0


def slices(start: int, stop: int, itemsize: int) -> Iterator[tuple[int, int]]:
    step = SLICE_BYTES // itemsize
    for a in range(start, stop, step):
        yield a, min(a + step, stop)
