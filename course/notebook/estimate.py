"""Estimates times on GPUs that this machine does not have, from counted traffic and data sheets, without measuring."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from course.errors import CourseError
from course.explain.counts import SECTOR
from course.measure import show_ms, three_digits
from course.notebook.plots import show_flops
from course.progress import progress
from course.referee.trial import CALL_SECONDS
from course.tasks import Case, Task
from course.worker.protocol import Answer, TimedOut
from course.worker.worker import Worker

APART = 1.5  # if DRAM bytes differ by a smaller factor, the caches, which are not modelled, could decide


@dataclass(frozen=True)
class DataSheet:
    """What NVIDIA's data sheet says of a GPU: DRAM's bytes per second, and fp32 operations per second."""

    name: str
    bandwidth: float
    peak_flops: float

    def ms(self, dram_bytes: float, operations: int) -> float:
        """The least milliseconds of a kernel that moves these bytes in DRAM and has these fp32 operations.

        By the roofline model, it is the longer of two times, that of the bytes and that of the operations: see
        `course.measure.Timings.roof`.
        """
        return max(dram_bytes / self.bandwidth, operations / self.peak_flops) * 1e3

    def __str__(self) -> str:
        return f"{self.name}: {three_digits(self.bandwidth / 1e12)} TB/s, {show_flops(self.peak_flops)}"


# The data sheets "NVIDIA H200 Tensor Core GPU" (its SXM form) and "NVIDIA T4 Tensor Core GPU".
H200 = DataSheet("H200", 4.8e12, 67e12)  # the recorded times are from an H200
SHEETS = (H200, DataSheet("T4", 320e9, 8.1e12))

# The results of `_sectors_touched` in this process, by task and answer, so that no kernel is counted twice.
_COUNTED: dict[tuple[object, ...], tuple[int, str]] = {}


@dataclass(frozen=True)
class Estimates:
    """The least times of variants of one task at `sizes`, estimated from the bytes that DRAM must move for them.

    `over_least` has, for each variant, its DRAM bytes (32 for each sector that a launch touches) divided by
    `bytes_moved`, the fewest bytes that the task must move. These ratios were counted at the smaller sizes
    `counted_at`, and are assumed to be the same at `sizes`. `uncounted` has the reason for each variant whose traffic
    is unknown.
    """

    sizes: Mapping[str, int]
    counted_at: Mapping[str, int]
    bytes_moved: int
    operations: int
    over_least: Mapping[str, float]
    uncounted: Mapping[str, str]

    @property
    def title(self) -> str:
        """The title of the table: a phrase that says what is estimated."""
        return f"Estimate, not measured: the least time of one call at {_shown(self.sizes)}"

    @property
    def assumption(self) -> str:
        """The assumptions of the estimates, in sentences."""
        return (
            "The estimate assumes that the caches keep everything during a launch: DRAM moves each sector once. "
            f"The sectors were counted at {_shown(self.counted_at)}, and their bytes are scaled like the least bytes "
            "of the task. The estimate is the longer of two times: the time to move these bytes at the data sheet's "
            f"bandwidth, and the time of the operations at its fp32 peak ({'; '.join(map(str, SHEETS))}). A GPU takes "
            "longer than this estimate."
        )

    @property
    def basis(self) -> str:
        """Sentences that say what the least times on an H200 are."""
        return (
            f"The least time of your kernel is the longer of two times, computed from the data sheet ({H200}). The "
            f"first is the time to move {SECTOR} bytes for each sector that a launch touches. These sectors were "
            f"counted at {_shown(self.counted_at)}, and the count was scaled. The second is the time of the operations."
        )

    @property
    def h200_ms(self) -> dict[str, float]:
        """The least time of each variant on an H200, in milliseconds, by name."""
        return {name: H200.ms(self.dram_bytes(name), self.operations) for name in self.over_least}

    def rows(self) -> list[tuple[str, ...]]:
        """The estimates as rows of a table, in megabytes (10^6 bytes) and milliseconds. The first row has headings."""
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
        """A phrase that says which of the `others` a variant is faster than, slower than, or indistinguishable from.

        Two variants are indistinguishable if their bytes differ by less than a factor of `APART`, or if arithmetic
        limits both.
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
    """Count the traffic of right answers at the small sizes of `task`, and estimate their times at `sizes`."""
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
                    except TimedOut:  # a right answer ends, so only counting was too slow
                        late = f"its traffic was not counted within {CALL_SECONDS:g} s"
                        uncounted[name] = f"{late}; run the cell again when this machine is less busy."
                    except CourseError as error:
                        uncounted[name] = str(error)
            if key not in _COUNTED:
                worker = None  # the worker may have been lost
            elif lacking := _COUNTED[key][1]:
                uncounted[name] = lacking
            else:
                over_least[name] = SECTOR * _COUNTED[key][0] / task.module.bytes_moved()
    full = task.sized(sizes).module
    return Estimates(sizes, task.sizes, full.bytes_moved(), full.operations(), over_least, uncounted)


def _sectors_touched(worker: Worker, task: Task, answer: Answer) -> tuple[int, str]:
    """The number of sectors that one call touches; or, if it is unknown, 0 and the reason."""
    worker.load("answer", answer, task)
    outcome = worker.run("answer", task, Case(), 0, counting=True)
    if outcome.failure:
        raise CourseError(str(outcome.failure))
    return outcome.sectors_touched, outcome.uncounted


def _shown(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())
