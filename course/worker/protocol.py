"""What the referee and a worker exchange: answers, outcomes, errors and bounds.

Headers are JSON and values are raw bytes: nothing is ever unpickled. Student code may have made anything that a
worker sends, so each field is checked by a function of `messages.py`. These functions raise one of `MALFORMED`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from course.errors import HAZARDS, CourseError, Hazard
from course.explain.counts import Traffic, Work
from course.tasks import Task
from course.worker.cells import Cell
from course.worker.messages import MESSAGE_BOUND, as_list, as_plain, as_string, decoded, printable, without_folders

KINDS = ("cuda", "candidate", "python", "model")
RECORD_BOUND = 8 << 20  # bytes of a header that has a record
CODE_BOUND = 60  # characters of a line of the answer
HAZARDS_BOUND = 20  # hazards of one call that are sent
LEAVES_BOUND = 64  # values in one result, tuples flattened
LAUNCHES_BOUND = 64  # launches whose work is sent, and remarks on one call
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
    )
}


@dataclass(frozen=True)
class Answer:
    """The text of one answer cell, which is judged without any other cell. Raises CourseError for an unknown kind.

    Of the kinds, `cuda` is the body of a `%%cuda` cell, and `candidate` a KernelBench script with `ModelNew`. `python`
    is code that binds `function` to a function, to a class of models, or to a literal, which then is the result.
    `model` is not a student's answer, but the task's own `Model`.
    """

    kind: str
    source: str  # without the magic
    function: str = ""  # that is called; not used for a `candidate`
    cuda_cflags: tuple[str, ...] = ()  # of a `cuda` answer, if `load_inline` and not the magic built it

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuda_cflags", tuple(self.cuda_cflags))  # JSON made it a list
        if self.kind not in KINDS:
            raise CourseError(f"An answer cannot be of the kind {self.kind!r}; it can be {', '.join(KINDS)}.")

    @classmethod
    def of_cell(cls, text: str, function: str) -> "Answer":
        """The answer that is the whole text of one notebook cell; `function` is the name that the question asks for.

        Its line numbers are those of the cell. Raises CourseError if the magic is misplaced, misspelt or missing.
        """
        cell = Cell.of(text)
        return cls(cell.magic or "python", cell.source, function)


class WorkerLost(CourseError):
    """The worker is gone, and with it the answers it had loaded."""


class WorkerDied(WorkerLost):
    """The process ended before it replied. `signal` names the signal that ended it, "" if it ended by itself."""

    def __init__(self, message: str, signal: str = ""):
        super().__init__(message)
        self.signal = signal


class TimedOut(WorkerLost):
    """The process did not reply in time, and was killed."""


class ServerLost(CourseError):
    """The server that starts workers has ended, which is no answer's fault."""


class RefereeFailed(CourseError):
    """Something that the referee itself needs has failed twice, which says nothing about the answer."""


class ForeignSymbols(WorkerLost):
    """A module of the answer calls outside functions that no kernel or wrapper needs; `names` has their names."""

    def __init__(self, names: Sequence[str]):
        super().__init__(f"The answer calls {', '.join(names)}, and was stopped before that could run.")
        self.names = tuple(names)


class AnswerError(CourseError):
    """The answer's own Python code does not run, or does not define what the question asks for."""


@dataclass(frozen=True)
class Failure:
    """An exception of the answer: its class, its text, its line in the answer if it is known, and the hazards found.

    `code` is the text of that line. `fatal` says that this process cannot use the device any more and has ended.
    """

    type: str
    message: str
    line: int | None = None
    hazards: tuple[Hazard, ...] = ()
    fatal: bool = False
    code: str = ""

    def __post_init__(self) -> None:
        if not HAZARDS.keys() >= {hazard.kind for hazard in self.hazards}:
            raise ValueError("no kind of hazard")  # verdicts on hidden cases show the kind to students

    def within(self, source: str) -> "Failure":
        """This failure, with the text of its line in `source`, the text of the answer."""
        lines = source.split("\n")
        line = self.line or 0
        return replace(self, code=" ".join(lines[line - 1].split())[:CODE_BOUND]) if 0 < line <= len(lines) else self

    @property
    def in_words(self) -> str:
        """The text of the exception, and its place."""
        code = f": `{self.code}`" if self.code else ""
        where = f" (line {self.line} of the answer{code})" if self.line else ""
        return f"{self.message.removesuffix(f' (<answer>, line {self.line})')}{where}"

    def __str__(self) -> str:
        return f"{self.type}: {self.in_words}"


@dataclass(frozen=True)
class TensorInfo:
    """A tensor that the worker holds: `Worker.fetch` fetches its values."""

    where: str  # which of the worker's two lists has the tensor: "inputs" or "outputs"
    index: int  # its place in that list
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in elements
    dtype: torch.dtype  # one of `DTYPES`
    device: str  # "cpu", "cuda", or "host" for a tensor that was moved off the emulated GPU

    def __post_init__(self) -> None:
        if len(self.shape) > 16 or len(self.strides) != len(self.shape):
            raise ValueError("no tensor")

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Other:
    """A result that is neither a tensor nor plain data: the name of its class."""

    name: str


@dataclass(frozen=True)
class Outcome:
    """The result of one call of an answer, and what was observed of the call."""

    result: Any = None  # a TensorInfo, number, bool, str, None or Other, or a tuple or dict of these
    inputs: tuple[TensorInfo | None, ...] = ()  # as the call left them, None for those that are not tensors
    library_calls: tuple[str, ...] = ()  # the PyTorch operations that computed something on the answer's behalf
    failure: Failure | None = None
    # If traffic was counted: what the kernels requested from memory, line by line, the sectors of 32 bytes that DRAM
    # must move for it (read plus written), how the first launches spread their work, and the tracer's remarks.
    traffic: tuple[Traffic, ...] = ()
    sectors_touched: int = 0
    work: tuple[Work, ...] = ()
    remarks: tuple[str, ...] = ()
    uncounted: str = ""  # why `traffic` is incomplete, "" if it is complete
    to_host: int = 0  # bytes that the wrapper copied from tensors to the host, if the call was traced


def task_to_json(task: Task) -> dict:
    """The data from which `Task` makes the same task in another process."""
    return {"name": task.name, "source": task.source, "path": task.path, "sizes": task.sizes}


def outcome_from_json(reply: dict) -> Outcome:
    """The outcome of a call that a worker describes."""
    outcome: Outcome = decoded(Outcome, reply, READERS, MESSAGE_BOUND)
    if not all(
        each.bytes_each and each.requests and each.units and each.ideal and each.lanes for each in outcome.traffic
    ):
        raise ValueError("a line that requests nothing")
    if not all(len(each.grid) == len(each.block) == 3 and each.threads for each in outcome.work):
        raise ValueError("a launch without threads")
    return outcome


def failure_from_json(reply: dict) -> Failure | None:
    """The exception that a reply reports, if it reports one."""
    failure: Failure | None = decoded(Failure | None, reply.get("failure"), READERS, MESSAGE_BOUND)
    return failure


def _result_from_json(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(map(_result_from_json, data))
    if not isinstance(data, dict):
        return without_folders(data) if isinstance(data, str) else as_plain(data)
    if "dict" in data:
        return {without_folders(str(key)): _result_from_json(item) for key, item in data["dict"].items()}
    if "class" in data:
        return Other(printable(data["class"], 100))
    return decoded(TensorInfo, {"where": "outputs", **data}, READERS, MESSAGE_BOUND)


def _place_from_json(data: Any) -> dict:
    """A place of a hazard."""
    line, block, thread = (data[key] for key in ("line", "block", "thread"))
    if not len(as_list(block)) == len(as_list(thread)) == 3 or any(type(n) is not int for n in (line, *block, *thread)):
        raise ValueError("no place")
    return {"line": line, "block": block, "thread": thread}


# How to read the fields of an outcome whose types are not plain.
READERS: dict[Any, Callable[[Any], Any]] = {
    Any: _result_from_json,
    Mapping: _place_from_json,
    torch.dtype: lambda name: DTYPES[as_string(name)],
}
