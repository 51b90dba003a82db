"""Least times on GPUs that this machine does not have, from what the emulator counts, without measuring."""

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from course.errors import CourseError
from course.explain.counts import SECTOR
from course.explain.limits import CARDS, Bound, Demand, two_digits
from course.measure import three_digits
from course.progress import progress
from course.referee.trial import CALL_SECONDS
from course.tasks import Case, Task
from course.worker.protocol import Answer, Failure, TimedOut
from course.worker.worker import Worker

# The demands of answers in this process, by task, sizes and answer, so that no kernel is counted twice.
_COUNTED: dict[tuple[object, ...], Demand] = {}


@dataclass(frozen=True)
class Estimates:
    """The least times of variants of one task at `sizes`, by what each asks of a card.

    `uncounted` has the reason for each variant about which nothing is known.
    """

    sizes: Mapping[str, int]
    demands: Mapping[str, Demand] = field(default_factory=dict)
    uncounted: Mapping[str, str] = field(default_factory=dict)

    @functools.cached_property
    def bounds(self) -> dict[str, Bound]:
        """The least time of each variant on an H200, by name."""
        return {name: demand.bound() for name, demand in self.demands.items()}

    @property
    def title(self) -> str:
        """A phrase that says what the table has."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        return f"Not measured: the least time of one call at {sizes}, by what was counted"

    @property
    def basis(self) -> str:
        """Sentences that say what the least times are."""
        return (
            "A least time is that of the launch and of the slowest of these: DRAM traffic (each sector once, at a "
            "copy's rate); the wavefronts of the L1 cache and of shared memory, one per clock; a quarter of a clock "
            "for each 128-byte line that the L1 cache looks up; the wavefronts of the busiest block, which one "
            "multiprocessor serves alone; block starts; and arithmetic. It is a bound for the loads as the source "
            "writes them, but what nvcc may merge counts as merged. All inputs count as zeros, and waiting does not "
            "count: a kernel with few loads in flight takes longer. The constants of the A100, L4 and T4 are from data "
            "sheets, and how fast their blocks start is not known."
        )

    def rows(self) -> list[tuple[str, ...]]:
        """The bounds as rows of a table, in milliseconds. The first row has headings."""
        others = CARDS[1:]
        heads = ("yours", "H200, at least", "bound by", "then", "sectors", *(card.name for card in others))
        fewest = min((demand.sectors for demand in self.demands.values() if demand.sectors), default=0)
        rows = [heads]
        for name, demand in self.demands.items():
            bound = self.bounds[name]
            then = ", ".join(f"{limit.name}, {two_digits(limit.ms)} ms" for limit in bound.limits[1:2])
            sectors = f"{three_digits(demand.sectors / fewest)} times the fewest here" if fewest else ""
            on_others = (
                f"{two_digits(demand.bound(card).ms)} ms"
                if card.block_starts or bound.binding != "block starts"
                else "not known"
                for card in others
            )
            rows.append((name, f"{two_digits(bound.ms)} ms", bound.binding, then, sectors, *on_others))
        return rows


def estimate(task: Task, answers: Mapping[str, Answer], sizes: Mapping[str, int]) -> Estimates:
    """Count what right answers ask of a card at `sizes`.

    What DRAM must move is counted in a whole call at the small sizes of `task`, and scaled like the least bytes of the
    task: see `_demand`. Everything else is counted on a sample of the blocks of a call at `sizes`: see `_counted`.
    """
    demands, uncounted = {}, {}
    full = task.sized(sizes)
    with contextlib.ExitStack() as stack:
        worker = None
        for name, answer in answers.items():
            key = (task.source, *full.sizes.items(), answer)
            if answer.kind != "cuda":
                uncounted[name] = "only the kernels of a %%cuda cell can be counted at this size."
                continue
            try:
                if key not in _COUNTED:
                    worker = worker or stack.enter_context(Worker("traced", CALL_SECONDS))
                    with progress(f"Counting what {name} requests from memory"):
                        _COUNTED[key] = _demand(worker, task, full, answer)
                demands[name] = _COUNTED[key]
            except CourseError as error:
                worker = None  # it may have been lost
                late = f"its traffic was not counted within {CALL_SECONDS:g} s"
                again = f"{late}; run the cell again when this machine is less busy."
                uncounted[name] = again if isinstance(error, TimedOut) else str(error)
    return Estimates(sizes, demands, uncounted)


def _demand(worker: Worker, task: Task, full: Task, answer: Answer) -> Demand:
    """What one call at the sizes of `full` asks of a card. Raises CourseError if it cannot be counted.

    What DRAM must move is counted at the sizes of `task` and with the longest dimension twice as long, and continued
    like the least bytes of the task. So a buffer of fixed size counts once.
    """
    worker.load("answer", answer, task)
    dram_bytes, least = _dram_bytes(worker, task)
    if longest := _longest(task):
        twice, least_twice = _dram_bytes(worker, task.sized({longest: 2 * task.sizes[longest]}))
        dram_bytes += (twice - dram_bytes) / (least_twice - least) * (full.module.bytes_moved() - least)
    return replace(_counted(worker, full), dram_bytes=dram_bytes, operations=full.module.operations())


def _longest(task: Task) -> str | None:
    """The task's longest dimension; None if it has no sizes."""
    return max(task.sizes, key=lambda name: task.sizes[name], default=None)


def _dram_bytes(worker: Worker, task: Task) -> tuple[float, int]:
    """The bytes that DRAM must move for a call at the task's sizes, and the fewest that it must for any answer."""
    outcome = worker.run("answer", task, Case(), 0, counting=True)
    if outcome.failure or outcome.uncounted:
        raise CourseError(str(outcome.failure or outcome.uncounted))
    return SECTOR * outcome.sectors_touched, task.module.bytes_moved()


def _counted(worker: Worker, full: Task) -> Demand:
    """What the answer asks of a card at the sizes of `full`.

    If a sample of its blocks takes too long, the longest dimension is cut to a 64th and to a 32nd, and the two counts
    are continued along a straight line, as the rounds of a loop add up. Raises CourseError if the call fails.
    """
    found = worker.count("answer", full)
    late = isinstance(found, Failure) and any(hazard.kind == "timeout" for hazard in found.hazards)
    longest = _longest(full)
    step = full.sizes[longest] // 64 if longest else 0
    if late and longest and step:
        shorter, longer = (worker.count("answer", full.sized({longest: k * step})) for k in (1, 2))
        if isinstance(shorter, Demand) and isinstance(longer, Demand):
            rounds, further = full.sizes[longest] / step - 1, asdict(longer)
            return Demand(
                **{
                    name: round(count + max(0, further[name] - count) * rounds)
                    for name, count in asdict(shorter).items()
                }
            )
    if late:
        raise CourseError("a sample of its blocks takes too long to count.")
    if isinstance(found, Failure):
        raise CourseError(found.message)
    return found
