"""What the runtime reports of a call, as data (runtime/reports.h); sentences.py has the words."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
from collections.abc import Iterator
from itertools import islice

from course.toolchains.emulator.tables import numbers, text


class Reason(enum.Enum):
    """Why something is reported: `emulator::Reason`, with the names of the numbers that come with it."""

    def __init__(self, number: int, facts: str):
        self.number, self.facts = number, facts.split()

    # Launches that CUDA refuses.
    NO_THREADS = 0, "x y z"
    TOO_MANY_THREADS = 1, "x y z"
    BLOCK_TOO_DEEP = 2, "x y z"
    NO_BLOCKS = 3, "x y z"
    TOO_MANY_BLOCKS = 4, "x y z"
    TOO_MUCH_SHARED_MEMORY = 5, "size allowed"
    # Barriers and warp operations that not all threads reach; the line is that of the place.
    BARRIER_NOT_REACHED = 6, "arrived threads"
    DIFFERENT_BARRIERS = 7, "other_line"
    WARP_OP_NOT_REACHED = 8, "mask"
    LANE_NOT_IN_MASK = 9, "mask"
    # Signals.
    DIVISION_BY_ZERO = 10, "in_kernel"
    MEANINGLESS_CODE = 11, "in_kernel"
    ABORTED = 12, "in_kernel"
    THREAD_STACK_OVERFLOW = 13, ""
    STACK_OVERFLOW = 14, "in_kernel"
    MISALIGNED_OR_UNSET = 15, "in_kernel"
    NULL_POINTER = 16, "in_kernel"
    WILD_POINTER = 17, "in_kernel address"
    TIMEOUT = 18, "in_kernel milliseconds"
    # What ends the call at once. The subject is the condition, the function, or the array's type.
    TRAPPED = 19, ""
    ASSERTION_FAILED = 20, ""
    HOST_FUNCTION = 21, ""
    LAUNCH_IN_KERNEL = 22, ""
    MISSING_RETURN = 23, ""
    PRINTF_STORES = 24, ""
    TOO_MANY_SITES = 25, ""
    COPY_OF_OTHER_SIZE = 26, ""
    COPY_OF_MORE_ZEROS = 27, ""
    COPY_BETWEEN_OTHERS = 28, ""
    INDEX_OUTSIDE = 29, "line index wrapped"
    INDEX_OUTSIDE_ON_HOST = 30, "line index wrapped"
    # What was found between red zones after a launch or the call.
    WRITTEN_OUTSIDE = 31, "count element length"
    SHARED_OVERRUN = 32, "size offset"
    # What the tracer finds. The lines are those of the places.
    OUT_OF_BOUNDS = 33, "op element length starts_inside wrapped"
    NULL_ACCESS = 34, "op"
    WILD_ACCESS = 35, "op"
    MISALIGNED = 36, "op size past"
    COPY_MISALIGNED = 37, "size"
    RACE = 38, "element length op op_before same_site in_flight no_barrier one_warp"
    UNWRITTEN_READ = 39, "element length"
    UNWRITTEN_OUTPUT = 40, "result results unwritten elements"
    HOST_ACCESS = 41, "op"
    # Remarks: no hazards.
    SAME_VALUE = 42, ""
    UNUSED_READ = 43, "element length"
    NOT_COUNTED = 44, ""
    UNSAMPLED_READ = 45, ""


BY_NUMBER = {reason.number: reason for reason in Reason}


class SubjectKind(enum.IntEnum):
    """What a report is about: `emulator::Subject::Kind`."""

    NONE = 0
    NAME = 1
    ELEMENT = 2
    ARGUMENT = 3
    NEW_TENSOR = 4
    ALLOCATION = 5
    VARIABLE = 6
    SHARED_ARRAY = 7
    DYNAMIC_SHARED = 8


@dataclasses.dataclass(frozen=True)
class Subject:
    """Memory, with the sizes of a tensor or the bytes of an allocation; or a name, or an element's index."""

    kind: SubjectKind
    name: str
    sizes: tuple[int, ...]

    @property
    def is_shared(self) -> bool:
        return self.kind in (SubjectKind.SHARED_ARRAY, SubjectKind.DYNAMIC_SHARED)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a thread was; `line` is 0 where only the address of the `code` is known, or not even that (0)."""

    code: int
    line: int
    block: tuple[int, ...]
    thread: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Report:
    """One thing that the runtime reports: `facts` are its numbers by their names."""

    reason: Reason
    kernel: str
    subject: Subject
    facts: dict[str, int]
    places: tuple[Place, ...]

    @property
    def lines(self) -> list[int]:
        """The lines of the places, in ascending order."""
        return sorted(place.line for place in self.places)


def reported(runtime: ctypes.CDLL) -> list[Report]:
    """What the runtime reports of the last call, in order."""
    table = iter(numbers(runtime.emulator_reports))
    return [_report(BY_NUMBER[number], table) for number in table]


def _report(reason: Reason, table: Iterator[int]) -> Report:
    kernel, kind, name = islice(table, 3)
    sizes, facts, places = (tuple(islice(table, next(table))) for _ in range(3))
    each = zip(*[iter(places)] * 8, strict=True)
    found = tuple(Place(code, line, tuple(index[:3]), tuple(index[3:])) for code, line, *index in each if code or line)
    subject = Subject(SubjectKind(kind), text(name), sizes)
    return Report(reason, text(kernel), subject, dict(zip(reason.facts, facts, strict=True)), found)
