"""Compares the outputs of a call with the reference, and describes values that differ by more than the tolerance."""

from __future__ import annotations

import functools
import inspect
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import torch

from course.errors import Hazard
from course.referee.diagnose import KNOWN, SEEN, Diagnosis, diagnose, made_nan, narrow_operands
from course.referee.places import Places
from course.referee.plain import described, is_right_value, paired_parts
from course.referee.precision import (
    NARROW,
    SumLength,
    counted_length,
    float32_loss,
    from_narrow_operands,
    with_narrow_operands,
)
from course.referee.prediction import compare_prediction
from course.referee.trial import Trial
from course.referee.verdict import CaseResult, Example, capitalized
from course.referee.work import Unwritten
from course.referee.wrong import Wrong
from course.tasks import Task
from course.worker.protocol import Outcome, TensorInfo
from course.worker.recording import tensors_in
from course.worker.worker import Worker

SLICE_BYTES = 64 << 20  # compared at a time
SAMPLED_BYTES = 256 << 20  # larger outputs are compared on slices drawn at random
SAMPLES, SAMPLE_BYTES = 6, 16 << 20
EXAMPLES = 3
MANY_OUTPUTS = 100  # enough that their root mean square is that of their terms


@dataclass(frozen=True)
class Tolerance:
    """How far an element of an output may be off.

    Parameters
    ----------
    relative : float
        The part that grows with the element: `relative` times its absolute value.
    absolute : float
        The part that is the same for every element, in the units of the output.
    """

    relative: float
    absolute: float

    @classmethod
    def of(cls, dtype: torch.dtype, sum_length: int, expected: torch.Tensor, least: float = 0.0) -> Tolerance:
        """Derive the tolerance of an output from its dtype and from how many terms each of its elements sums.

        With the unit roundoff u, one operation may be off by 4 u of the element. A sum of K terms may be off by
        8 sqrt(K) u of the element plus 8 sqrt(K) u of the root mean square of the outputs, since rounding errors of
        the order u add like a random walk [1]_. A result computed in half precision or TF32 is off by 2**-11, and
        fails for every K below a few hundred thousand.

        Parameters
        ----------
        dtype
            The dtype of the output. Integers and booleans must be exact.
        sum_length
            K, the number of terms in the sum behind one element; 1 for an elementwise operation.
        expected : torch.Tensor, any shape, usually float64
            The reference, from which the root mean square is taken (of its finite elements).
        least
            A lower bound of the root mean square, for so few outputs that their terms may happen to cancel.

        Returns
        -------
        Tolerance

        References
        ----------
        .. [1] N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 2.8.
        """
        if not (dtype.is_floating_point or dtype.is_complex):
            return cls(0.0, 0.0)
        info = torch.finfo(dtype)
        if sum_length <= 1:
            return cls(2 * info.eps, info.smallest_normal)
        relative = 4 * math.sqrt(sum_length) * info.eps
        return cls(relative, relative * max(_root_mean_square(expected), least) + info.smallest_normal)

    def close(self, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """Compare element by element.

        Parameters
        ----------
        got : torch.Tensor, any shape, the output's dtype
            What the answer computed.
        expected : torch.Tensor, the same shape, the same or a wider dtype
            The reference. NaN and infinities are right only where the reference has them. An element of the reference
            that is finite, but too large for the dtype of `got`, must be an infinity in `got`.

        Returns
        -------
        torch.Tensor of bool, the same shape
            True where the element is right.
        """
        if not (got.is_floating_point() or got.is_complex()):
            return got == expected
        rounded = expected.to(got.dtype)  # a large reference is an infinity in a narrow dtype
        same = (got == rounded) | (got.isnan() & rounded.isnan())
        off = (got.to(expected.dtype) - expected).abs()
        near = off <= self.absolute + self.relative * expected.abs()
        return torch.where(rounded.isfinite() & got.isfinite(), near, same)


@dataclass(frozen=True)
class Rounding:
    """What the rounding errors of one output are compared with.

    `terms` is the counted length of the sum, for a task that does not state it. `least` is a lower bound of the
    output's root mean square. `narrow(bits)` yields the references whose operands are rounded to that many bits.
    """

    terms: int
    least: float
    narrow: Callable[[int], Iterator[torch.Tensor]]


@dataclass(frozen=True)
class Comparison:
    """What the comparison of each part of a result needs.

    `inputs` has the inputs by name, and `changed` has the names of those that the call changed. `source` is the CUDA
    source of the answer, "" if it has several.
    """

    worker: Worker
    task: Task
    inputs: Mapping[str, Any]
    changed: Sequence[str]
    source: str


def compare_outcome(worker: Worker, trial: Trial, outcome: Outcome) -> tuple[CaseResult, list[Hazard]]:
    """Compare the inputs after the call, and the outputs of the call, with those of this process."""
    task, seed = trial.task, trial.seed
    inputs = _inputs_by_name(task, worker.inputs(task, trial.case, seed))
    changed = _changed_inputs(worker, outcome, inputs)
    hazards = [
        Hazard("modified-input", f"{name} was changed by the call: an answer must not change its inputs.")
        for name in changed
    ]
    values = list(inputs.values())
    counted = SumLength()
    with counted if task.sum_length is None else nullcontext():
        expected = trial.reference(values)
    if task.asks_for_a_value:
        return compare_prediction(task, outcome.result, expected), hazards
    parts = list(paired_parts(outcome.result, expected, "the result"))
    if task.sum_length is None:
        terms, sizes = counted.terms, float32_loss(task, values, seed, [wanted for *_, wanted in parts])
    else:
        terms, sizes = 0, [least_size(trial, values, expected)] * len(parts)
    sources = {source.cuda for source in worker.sources}
    comparison = Comparison(worker, task, inputs, changed, sources.pop() if len(sources) == 1 else "")
    for number, (name, got, wanted) in enumerate(parts):
        name = name if len(parts) > 1 else "the output"
        narrow = functools.partial(with_narrow_operands, task, values, seed, number)
        rounding = Rounding(terms, sizes[number], (lambda bits: iter(())) if counted.scans else narrow)
        result = _compare_part(comparison, name, got, wanted, rounding)
        if not result.passed:
            return result, hazards
    return result, hazards


def least_size(trial: Trial, inputs: Sequence[Any], expected: Any) -> float:
    """The least root mean square for the tolerance of a sum; 0 if there are enough outputs to use their own.

    If there are few outputs, their terms may happen to cancel, and what is left may be smaller than the rounding error
    of one term. The sum of the terms' absolute values, divided by sqrt(K), is about the root mean square of a large
    number of outputs.
    """
    count = trial.task.sum_length or 1
    if count == 1 or sum(x.numel() for x in tensors_in(expected)) >= MANY_OUTPUTS:
        return 0.0
    terms = trial.reference([abs(x) if _is_real(x) else x for x in inputs])
    return max((_root_mean_square(x) for x in tensors_in(terms)), default=0.0) / math.sqrt(count)


def _is_real(value: Any) -> bool:
    """Whether the tensor holds real numbers: integers may be indices, and booleans are not numbers."""
    return value.is_floating_point() if isinstance(value, torch.Tensor) else isinstance(value, float)


def _inputs_by_name(task: Task, inputs: Sequence[Any]) -> dict[str, Any]:
    """The inputs by the names of the parameters of `Model.forward`."""
    names = list(inspect.signature(task.module.Model.forward).parameters)[1:]
    names += [f"input {i}" for i in range(len(names), len(inputs))]
    return dict(zip(names, inputs, strict=False))


def _changed_inputs(worker: Worker, outcome: Outcome, inputs: Mapping[str, Any]) -> list[str]:
    """The names of the input tensors whose bits have changed."""
    changed = []
    for info, (name, x) in zip(outcome.inputs, inputs.items(), strict=False):
        if not isinstance(x, torch.Tensor):
            continue
        flat = x.reshape(-1)
        if (
            info is None
            or (info.shape, info.dtype) != (tuple(x.shape), x.dtype)
            or not all(_bits_equal(worker.fetch(info, a, b), flat[a:b].cpu()) for a, b in compared_ranges(x))
        ):
            changed.append(name)
    return changed


def _bits_equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))


def _compare_part(comparison: Comparison, name: str, got: Any, expected: Any, rounding: Rounding) -> CaseResult:
    """Compare one part of the result with the same part of the reference."""
    if isinstance(expected, torch.Tensor):
        if isinstance(got, TensorInfo):
            dtype = _output_dtype(comparison.inputs.values(), expected)
            if problem := metadata_mismatch(comparison.task, name, got, expected, dtype):
                return CaseResult("", False, problem, mistake="wrong shape, type or device")
            return _compare_values(comparison, name, got, expected, rounding)
    else:
        if isinstance(got, TensorInfo) and got.numel == 1:
            got = comparison.worker.fetch(got).item()
        if is_right_value(got, expected):
            return CaseResult("", True)
    return CaseResult("", False, capitalized(f"{name} is {described(got)}; expected {described(expected)}."))


def _output_dtype(inputs: Iterable[Any], expected: torch.Tensor) -> torch.dtype:
    """The dtype that the output must have: the inputs' dtype if the reference is float64, else the reference's."""
    floating = [x.dtype for x in inputs if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if expected.dtype != torch.float64 or not floating:
        return expected.dtype
    narrow = floating[0]
    for dtype in floating[1:]:
        narrow = torch.promote_types(narrow, dtype)
    return narrow


def metadata_mismatch(task: Task, name: str, got: TensorInfo, expected: torch.Tensor, dtype: torch.dtype) -> str | None:
    """What is wrong with the shape, dtype, device or strides of an output, in a sentence; None if nothing is."""
    name = capitalized(name)
    if got.shape != tuple(expected.shape):
        return f"{name} has shape {got.shape}; expected {tuple(expected.shape)}."
    if got.dtype != dtype:
        return f"{name} is {_dtype_name(got.dtype)}; expected {_dtype_name(dtype)}."
    if got.device != expected.device.type:
        return f"{name} is in the memory of the host, but it must stay on the GPU."
    if getattr(task.module, "STRIDES_MATTER", False) and got.strides != expected.stride():
        return f"{name} has strides {got.strides}; expected {expected.stride()}."
    return None


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _root_mean_square(x: torch.Tensor) -> float:
    """The root mean square of the finite elements; 0 if there are none."""
    total, count = 0.0, 0
    flat = x.reshape(-1)
    for a, b in _slices(0, flat.numel(), x.element_size()):
        part = flat[a:b][flat[a:b].isfinite()].abs().double()
        total, count = total + float(part.square().sum()), count + part.numel()
    return math.sqrt(total / count) if count else 0.0


def _slices(start: int, stop: int, itemsize: int) -> Iterator[tuple[int, int]]:
    step = SLICE_BYTES // itemsize
    for a in range(start, stop, step):
        yield a, min(a + step, stop)


def compared_ranges(x: torch.Tensor) -> list[tuple[int, int]]:
    """The ranges of the flat `x` that are compared: all of it, or its ends and some slices if it is large."""
    n, size = x.numel(), x.element_size()
    if n * size <= SAMPLED_BYTES:
        return list(_slices(0, n, size))
    length = SAMPLE_BYTES // size
    draw = random.SystemRandom()
    starts = {0, n - length, *(draw.randrange(n - length) for _ in range(SAMPLES))}
    return [(start, start + length) for start in sorted(starts)]


def _compare_values(
    comparison: Comparison, name: str, info: TensorInfo, expected: torch.Tensor, rounding: Rounding
) -> CaseResult:
    """Compare the elements of a tensor whose shape and dtype are right."""
    task = comparison.task
    stated = task.sum_length
    length = counted_length(info.dtype, rounding.terms) if stated is None else stated
    tolerance = Tolerance.of(info.dtype, length, expected, rounding.least)
    flat, ranges = expected.reshape(-1), compared_ranges(expected)
    count = 0
    examples: list = []
    for start, stop in ranges:
        got, wanted = comparison.worker.fetch(info, start, stop).to(expected.device), flat[start:stop]
        places = (~tolerance.close(got, wanted)).nonzero().view(-1)
        count += len(places)
        for i in places[: EXAMPLES - len(examples)].tolist():
            position = _index_text(start + i, info.shape)
            examples.append(Example(position, *_value_texts(got[i], wanted[i].to(info.dtype))))
    looked = sum(stop - start for start, stop in ranges)
    sampled = "" if looked == info.numel else f" that were compared (a sample; there are {info.numel} in all)"
    if not count and stated is None and ranges and (pattern := _narrow_sentence(got, wanted, start, rounding)):
        return CaseResult("", False, f"{capitalized(name)} is close to what it must be.", pattern, telling=KNOWN)
    if not count:
        return CaseResult("", True, f"{looked} {'element is' if looked == 1 else f'elements{sampled} are'} right.")
    found, unwritten = Diagnosis(), None
    if len(ranges) == 1 and not sampled:
        whole = got.view(info.shape)
        tensors = {name: x for name, x in comparison.inputs.items() if isinstance(x, torch.Tensor)}
        mistakes = _outputs_of_mistakes(task, comparison.inputs.values())
        rest = comparison.changed, rounding.narrow, comparison.source
        wrong = Wrong(whole, expected, tolerance.close, tensors, mistakes, *rest)
        found, missing = diagnose(wrong), wrong.unwritten
        if not found.sentence and (hint := _weights_hint(task, wrong)):
            found = Diagnosis(hint, SEEN)
        if int(missing.sum()) == count and not made_nan(wrong):
            unwritten = Unwritten.of(missing, info.shape)
    seen = f"{count} of {looked} element{'s' * (looked != 1)} of {name}{sampled} {'is' if count == 1 else 'are'} wrong."
    result = CaseResult("", False, seen, found.sentence, tuple(examples), info.numel, unwritten=unwritten)
    result = replace(result, telling=found.telling, fits=found.fits, shape=tuple(info.shape))
    if len(ranges) == 1 and count < looked == info.numel:  # a picture with only wrong elements says nothing
        result = replace(result, places=Places.of(~tolerance.close(whole, expected)))
    return result


def _narrow_sentence(got: torch.Tensor, expected: torch.Tensor, start: int, rounding: Rounding) -> str:
    """The sentence if the errors of `got` are those of narrow operands, although the tolerance of its sums allows them.

    `got` is flat, and `start` is the index of its first element in the output. Errors of a few units in the last place
    are ignored.
    """
    if got.dtype != torch.float32:
        return ""
    if _root_mean_square(got - expected) <= 4 * torch.finfo(got.dtype).eps * _root_mean_square(expected):
        return ""
    for bits in NARROW:
        for other in rounding.narrow(bits):
            if from_narrow_operands(got, expected, other.reshape(-1)[start : start + len(got)]):
                return narrow_operands(bits)
    return ""


def _weights_hint(task: Task, wrong: Wrong) -> str:
    """What may be wrong if nothing better is known and the task's `Model` has weights."""
    right = wrong.expected.reshape(-1)[~wrong.mask]
    with suppress(Exception):  # a Model may need more than the meta device has
        if any(True for _ in task.model(task.module.Model, 0, "meta").parameters()):
            if bool((right.isfinite() & (right != 0)).any()):  # with other weights, no element would be right
                return (
                    "Some elements are right and not 0, so the weights are those of Model: check the operations after "
                    "the product, their operands and their order."
                )
            return (
                "Are these the weights of Model? ModelNew must make the same layers and parameters in the same order, "
                "since both are made from the same seed."
            )
    return ""


def _index_text(index: int, shape: tuple[int, ...]) -> str:
    places = []
    for length in reversed(shape):
        index, place = divmod(index, length)
        places.append(place)
    return str(places[::-1])


def _value_texts(got: torch.Tensor, expected: torch.Tensor) -> tuple[str, str]:
    """Both values, with enough digits to distinguish them."""
    if not got.is_floating_point():
        return str(got.item()), str(expected.item())
    texts = ((f"{got.item():.{n}g}", f"{expected.item():.{n}g}") for n in (7, 9, 12, 17))
    return next((pair for pair in texts if pair[0] != pair[1]), (str(got.item()), str(expected.item())))


def _outputs_of_mistakes(task: Task, inputs: Iterable[Any]) -> dict[str, torch.Tensor]:
    """The results of the mistakes that the task names, by the sentence of each mistake."""
    mistakes = getattr(task.module, "mistakes", None)
    wide = [x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
    return mistakes(*wide) if mistakes else {}
