"""Estimates times on a GPU that this machine lacks, from counted traffic and data sheets. Nothing is measured."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from course.errors import CourseError
from course.notebook.plots import show_flops, show_ms, three_digits
from course.notebook.tracing import SECTOR
from course.progress import progress
from course.referee.trial import CALL_SECONDS
from course.tasks import Case, Task
from course.worker.handle import Worker
from course.worker.protocol import Answer, TimedOut

APART = 1.5  # times the DRAM bytes of another variant: below it, the caches, which are not modelled, could decide


@dataclass(frozen=True)
class DataSheet:
    """What NVIDIA states about a GPU.

    Attributes
    ----------
    name : str
        The GPU's name.
    bandwidth : float
        Bytes per second of its memory.
    peak_flops : float
        fp32 operations per second, where a multiply-add counts as two.
    """

    name: str
    bandwidth: float
    peak_flops: float

    def ms(self, dram_bytes: float, operations: int) -> float:
        """The least time of a kernel on this GPU, by the roofline model: see `course.measure.Timings.roof`.

        Parameters
        ----------
        dram_bytes : float
            The bytes that DRAM must move.
        operations : int
            The fp32 operations.

        Returns
        -------
        float
            Milliseconds: the higher of the times of the bytes and of the operations.
        """
        return max(dram_bytes / self.bandwidth, operations / self.peak_flops) * 1e3

    def __str__(self) -> str:
        return f"{self.name}: {three_digits(self.bandwidth / 1e12)} TB/s, {show_flops(self.peak_flops)}"


# The data sheets "NVIDIA H200 Tensor Core GPU" (its SXM form) and "NVIDIA T4 Tensor Core GPU".
H200 = DataSheet("H200", 4.8e12, 67e12)  # the records are an H200's
SHEETS = (H200, DataSheet("T4", 320e9, 8.1e12))

# What `_sectors_touched` found in this process, by task and answer, so that comparing a kernel again counts nothing.
_COUNTED: dict[tuple[object, ...], tuple[int, str]] = {}


@dataclass(frozen=True)
class Estimates:
    """The least times of variants of one task, by the bytes that DRAM must move for them.

    Attributes
    ----------
    sizes : mapping of str to int
        The sizes that the estimates are for.
    counted_at : mapping of str to int
        The smaller sizes at which traffic was counted. The ratios are assumed to be the same at `sizes`.
    bytes_moved : int
        The least bytes that the task must move at `sizes`.
    operations : int
        The task's fp32 operations at `sizes`.
    over_least : mapping of str to float
        For each variant, its DRAM bytes (32 for each sector that a launch touches) over the least of the task.
    uncounted : mapping of str to str
        For each variant whose traffic is unknown, the reason.
    """

    sizes: Mapping[str, int]
    counted_at: Mapping[str, int]
    bytes_moved: int
    operations: int
    over_least: Mapping[str, float]
    uncounted: Mapping[str, str]

    @property
    def title(self) -> str:
        """What is estimated, as a phrase."""
        return f"Estimate, not measured: the least time of one call at {_shown(self.sizes)}"

    @property
    def assumption(self) -> str:
        """The assumptions of the estimates, in sentences."""
        return (
            "This assumes that the caches keep everything during a launch, so DRAM moves each sector only once. What "
            f"was counted at {_shown(self.counted_at)} is scaled like the least bytes. The time is the longer of two: "
            "the time of those bytes at the data sheet's bandwidth, and the time of the operations at its fp32 peak "
            f"({'; '.join(map(str, SHEETS))}). A GPU takes longer."
        )

    @property
    def basis(self) -> str:
        """What the least times on an H200 are, in a sentence."""
        return (
            f"The least time of yours is the longer of two times from the data sheet ({H200}). One is the time of "
            f"{SECTOR} bytes for each sector that a launch of your kernel touches, counted at "
            f"{_shown(self.counted_at)} and scaled. The other is the time of the operations."
        )

    @property
    def h200_ms(self) -> dict[str, float]:
        """The least time of each variant on an H200 in milliseconds, by name."""
        return {name: H200.ms(self.dram_bytes(name), self.operations) for name in self.over_least}

    def rows(self) -> list[tuple[str, ...]]:
        """The estimates as rows of a table, the heads first: megabytes (10^6 bytes) and milliseconds."""
        heads = (
            "estimate",
            "bytes of DRAM",
            "over the least",
            *(f"{sheet.name}, by its data sheet" for sheet in SHEETS),
        )
        return [heads, *map(self._row, self.over_least)]

    def _row(self, name: str) -> tuple[str, ...]:
        moved = self.dram_bytes(name)
        times = (show_ms(sheet.ms(moved, self.operations)) for sheet in SHEETS)
        return (name, f"{three_digits(moved / 1e6)} MB", three_digits(self.over_least[name]), *times)

    def dram_bytes(self, name: str) -> float:
        """The bytes that DRAM must move for the variant `name` at `sizes`."""
        return self.over_least[name] * self.bytes_moved

    def order(self, name: str, others: Iterable[str]) -> str:
        """How a variant compares with others, in a few words.

        Parameters
        ----------
        name : str
            The variant.
        others : iterable of str
            The variants to compare it with.

        Returns
        -------
        str
            Which of them it is faster or slower than. Variants whose bytes differ by less than a factor of `APART`, or
            that arithmetic bounds alike, are called indistinguishable.
        """
        places: dict[str, list[str]] = {}
        for other in others:
            places.setdefault(self._place(name, other), []).append(other)
        return "; ".join(f"{place} {', '.join(beside)}" for place, beside in places.items())

    def _place(self, name: str, other: str) -> str:
        mine, its = self.dram_bytes(name), self.dram_bytes(other)
        same_time = any(sheet.ms(mine, self.operations) == sheet.ms(its, self.operations) for sheet in SHEETS)
        if same_time or max(mine, its) < APART * min(mine, its):
            return "not distinguishable by traffic from"
        return "faster, by its traffic, than" if mine < its else "slower, by its traffic, than"


def estimate(task: Task, answers: Mapping[str, Answer], sizes: Mapping[str, int]) -> Estimates:
    """Count the traffic of right answers at the sizes of `task`, and estimate times from it.

    Parameters
    ----------
    task : Task
        The task, at sizes that take no time to count.
    answers : mapping of str to Answer
        The answers, by the names of the variants.
    sizes : mapping of str to int
        The sizes that the estimates are for.

    Returns
    -------
    Estimates
        By name, what was counted, or why it was not.
    """
    over_least, uncounted = {}, {}
    with contextlib.ExitStack() as stack:
        worker = None
        for name, answer in answers.items():
            key = (task.source, *task.sizes.items(), answer)
            if answer.kind == "python":
                uncounted[name] = "only what a CUDA kernel requests from memory can be counted."
                continue
            if key not in _COUNTED:
                worker = worker or stack.enter_context(Worker("traced", CALL_SECONDS))
                with progress(f"Counting what {name} requests from memory"):
                    try:
                        _COUNTED[key] = _sectors_touched(worker, task, answer)
                    except TimedOut:  # the answer is right, so it ends
                        late = f"its traffic was not counted within {CALL_SECONDS:g} s"
                        uncounted[name] = f"{late}; run the cell again when this machine is less busy."
                    except CourseError as error:
                        uncounted[name] = str(error)
            if key not in _COUNTED:
                worker = None  # it may be lost
            elif lacking := _COUNTED[key][1]:
                uncounted[name] = lacking
            else:
                over_least[name] = SECTOR * _COUNTED[key][0] / task.module.bytes_moved()
    full = task.sized(sizes).module
    return Estimates(sizes, task.sizes, full.bytes_moved(), full.operations(), over_least, uncounted)


def _sectors_touched(worker: Worker, task: Task, answer: Answer) -> tuple[int, str]:
    """The number of sectors that one call touches, or 0 and why it is unknown."""
    worker.load("answer", answer, task)
    outcome = worker.run("answer", task, Case(), 0, counting=True)
    if outcome.failure:
        raise CourseError(str(outcome.failure))
    return outcome.sectors_touched, outcome.uncounted


def _shown(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())
