"""Compares the outputs of a call with the reference, and describes values that differ by more than the tolerance."""

import functools
import inspect
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from course.errors import Hazard
from course.explain.from_source import SourceText
from course.explain.from_values import SIGNIFICANDS, Wrong, unwritten_elements
from course.explain.rules import KNOWN, Evidence, certainty, explain
from course.explain.texts import Found, say
from course.referee.tolerance import (
    SumLength,
    Tolerance,
    counted_length,
    float32_loss,
    from_narrow_operands,
    root_mean_square,
    slices,
    with_narrow_operands,
)
from course.referee.verdict import CaseResult, Example, capitalized
from course.referee.wrong_elements import WrongElements
from course.tasks import Task
from course.worker.protocol import Other, Outcome, TensorInfo
from course.worker.recording import tensors_in
from course.worker.worker import Worker

if TYPE_CHECKING:
    from course.referee.trial import Trial

SAMPLED_BYTES = 256 << 20  # larger outputs are compared on slices drawn at random
SAMPLES, SAMPLE_BYTES = 6, 16 << 20
EXAMPLES = 3
MANY_OUTPUTS = 100  # enough that their root mean square is that of their terms


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


def compare_outcome(worker: Worker, trial: "Trial", outcome: Outcome) -> tuple[CaseResult, list[Hazard]]:
    """Compare the inputs after the call, and the outputs of the call, with those of this process."""
    task, seed = trial.task, trial.seed
    inputs = _inputs_by_name(task, worker.inputs(task, trial.case, seed))
    changed = _changed_inputs(worker, outcome, inputs)
    hazards = [Hazard("modified-input", say(Found("modified_input", {"name": name}))) for name in changed]
    values = list(inputs.values())
    counted = SumLength()
    with counted if task.sum_length is None else nullcontext():
        expected = trial.reference(values)
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


def least_size(trial: "Trial", inputs: Sequence[Any], expected: Any) -> float:
    """The least root mean square for the tolerance of a sum; 0 if there are enough outputs to use their own.

    If there are few outputs, their terms may happen to cancel, and what is left may be smaller than the rounding error
    of one term. The sum of the terms' absolute values, divided by sqrt(K), is about the root mean square of a large
    number of outputs.
    """
    count = trial.task.sum_length or 1
    if count == 1 or sum(x.numel() for x in tensors_in(expected)) >= MANY_OUTPUTS:
        return 0.0
    terms = trial.reference([abs(x) if _is_real(x) else x for x in inputs])
    return max((root_mean_square(x) for x in tensors_in(terms)), default=0.0) / math.sqrt(count)


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
        flat = x.reshape(-1).contiguous()
        if info and (info.shape, info.dtype) == (tuple(x.shape), x.dtype):
            pairs = ((worker.fetch(info, a, b).contiguous(), flat[a:b].cpu()) for a, b in compared_ranges(x))
            if all(torch.equal(got.view(torch.uint8), own.view(torch.uint8)) for got, own in pairs):
                continue
        changed.append(name)
    return changed


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
    return functools.reduce(torch.promote_types, floating)


def metadata_mismatch(task: Task, name: str, got: TensorInfo, expected: torch.Tensor, dtype: torch.dtype) -> str | None:
    """What is wrong with the shape, dtype, device or strides of an output, in a sentence; None if nothing is."""
    name = capitalized(name)
    if got.shape != tuple(expected.shape):
        return f"{name} has shape {got.shape}; expected {tuple(expected.shape)}."
    if got.dtype != dtype:
        return f"{name} is {got.dtype}; expected {dtype}.".replace("torch.", "")
    if got.device != expected.device.type:
        return f"{name} is in the memory of the host, but it must stay on the GPU."
    if getattr(task.module, "STRIDES_MATTER", False) and got.strides != expected.stride():
        return f"{name} has strides {got.strides}; expected {expected.stride()}."
    return None


def compared_ranges(x: torch.Tensor) -> list[tuple[int, int]]:
    """The ranges of the flat `x` that are compared: all of it, or its ends and some slices if it is large."""
    n, size = x.numel(), x.element_size()
    if n * size <= SAMPLED_BYTES:
        return list(slices(0, n, size))
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
            position = str([int(place) for place in np.unravel_index(start + i, info.shape)])
            examples.append(Example(position, *_value_texts(got[i], wanted[i].to(info.dtype))))
    looked = sum(stop - start for start, stop in ranges)
    sampled = "" if looked == info.numel else f" that were compared (a sample; there are {info.numel:,} in all)"
    if not count:
        # The tolerance of sums whose length is unknown may hide that operands were rounded.
        unknown = stated is None and ranges and not _is_accurate(got, wanted)
        if unknown and (bits := _narrowed(got, wanted, start, rounding)):
            found = Found("narrow_operands", {"bits": bits})
            return CaseResult("", False, f"{capitalized(name)} is close to what it must be.", found, telling=KNOWN)
        return CaseResult("", True, f"{looked:,} {'element is' if looked == 1 else f'elements{sampled} are'} right.")
    elements, are = "element" if looked == 1 else "elements", "is" if count == 1 else "are"
    seen = f"{count:,} of {looked:,} {elements} of {name}{sampled} {are} wrong."
    result = CaseResult("", False, seen, None, tuple(examples), info.numel, shape=tuple(info.shape))
    if len(ranges) > 1 or sampled:
        return result
    whole = got.view(info.shape)
    right = tolerance.close(whole, expected)
    places = WrongElements.of(~right)
    if not places.uniform:  # or the picture would say nothing
        result = replace(result, places=places)
    wrong = _wrong(comparison, whole, expected, tolerance, rounding)
    found = explain(Evidence(text=SourceText.of(comparison.source, info.numel), values=wrong))
    unwritten = unwritten_elements(wrong)
    return replace(result, found=found, telling=certainty(found), fits=wrong.fits, unwritten=unwritten)


def _wrong(
    comparison: Comparison, got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance, rounding: Rounding
) -> Wrong:
    """A wrong output beside the right one, and what else the rules may ask about."""
    task, inputs = comparison.task, comparison.inputs
    mistakes = getattr(task.module, "mistakes", None)
    wide = [x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs.values()]
    return Wrong(
        got,
        expected,
        tolerance.close,
        {name: x for name, x in inputs.items() if isinstance(x, torch.Tensor)},
        mistakes(*wide) if mistakes else {},
        comparison.changed,
        lambda: _narrowed(got.reshape(-1), expected.reshape(-1), 0, rounding),
        comparison.source,
        lambda: _has_weights(task),
    )


def _narrowed(got: torch.Tensor, expected: torch.Tensor, start: int, rounding: Rounding) -> int | None:
    """The bits to which operands were rounded, if the errors of `got` are those of such operands; else None.

    `got` is flat, and `start` is the index of its first element in the output.
    """
    for bits in SIGNIFICANDS:
        for other in rounding.narrow(bits):
            if from_narrow_operands(got, expected, other.reshape(-1)[start : start + len(got)]):
                return bits
    return None


def _is_accurate(got: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether errors are at most a few units in the last place of float32, or the type is another."""
    few = 4 * torch.finfo(torch.float32).eps * root_mean_square(expected)
    return got.dtype != torch.float32 or root_mean_square(got - expected) <= few


def _has_weights(task: Task) -> bool:
    """Whether the task's `Model` has weights."""
    with suppress(Exception):  # a Model may need more than the meta device has
        return any(True for _ in task.model(task.module.Model, 0, "meta").parameters())
    return False


def _value_texts(got: torch.Tensor, expected: torch.Tensor) -> tuple[str, str]:
    """Both values, with enough digits to distinguish them."""
    if not got.is_floating_point():
        return str(got.item()), str(expected.item())
    texts = ((f"{got.item():.{n}g}", f"{expected.item():.{n}g}") for n in (7, 9, 12, 17))
    return next((pair for pair in texts if pair[0] != pair[1]), (str(got.item()), str(expected.item())))


def paired_parts(got: Any, expected: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """Each part of a result, paired with the part of the reference; a tuple matches a list."""
    if isinstance(expected, tuple | list) and isinstance(got, tuple) and len(got) == len(expected):
        for i, (g, e) in enumerate(zip(got, expected, strict=True)):
            yield from paired_parts(g, e, f"{name}[{i}]")
    elif isinstance(expected, dict) and isinstance(got, dict) and set(got) == set(expected):
        for key, e in expected.items():
            yield from paired_parts(got[key], e, f"{name}[{key!r}]")
    else:
        yield name, got, expected


def is_right_value(got: Any, expected: Any) -> bool:
    """Whether a plain value is right: integers and text exactly, floats to one per cent."""
    if isinstance(expected, bool) or isinstance(got, bool) or not isinstance(expected, int | float):
        return type(got) is type(expected) and got == expected
    if not isinstance(got, int | float):
        return False
    if isinstance(expected, int):
        return got == expected
    return math.isclose(got, expected, rel_tol=1e-2) or (math.isnan(got) and math.isnan(expected))


def described(value: Any) -> str:
    """A result in words."""
    if isinstance(value, TensorInfo | torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Other):
        return f"{'an' if value.name[:1] in 'aeiou' else 'a'} {value.name}"
    if isinstance(value, tuple):
        return f"({', '.join(map(described, value))})"[:200]
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {described(part)}' for key, part in value.items())}}}"[:200]
    return "nothing (None)" if value is None else repr(value)[:200]
