"""What the runtime reports about a call, as data (runtime/reports.h); sentences.py has the words."""

from __future__ import annotations

import ctypes
import dataclasses
import enum
from collections.abc import Iterator
from itertools import islice

from course.toolchains.emulator.tables import numbers, text


class Reason(enum.Enum):
    """Why something is reported: `emulator::Reason`, in its order, with the names of the numbers that come with it."""

    facts: list[str]

    def __new__(cls, facts: str) -> Reason:
        reason = object.__new__(cls)
        reason._value_, reason.facts = len(cls.__members__), facts.split()
        return reason

    # Launches that CUDA refuses.
    NO_THREADS = "x y z"
    TOO_MANY_THREADS = "x y z"
    BLOCK_TOO_DEEP = "x y z"
    NO_BLOCKS = "x y z"
    TOO_MANY_BLOCKS = "x y z"
    TOO_MUCH_SHARED_MEMORY = "size allowed"
    # Barriers and warp operations that not all threads reach; the line is that of the place.
    BARRIER_NOT_REACHED = "arrived threads"
    DIFFERENT_BARRIERS = "other_line"
    WARP_OP_NOT_REACHED = "mask"
    LANE_NOT_IN_MASK = "mask"
    # Signals.
    DIVISION_BY_ZERO = "in_kernel"
    MEANINGLESS_CODE = "in_kernel"
    ABORTED = "in_kernel"
    THREAD_STACK_OVERFLOW = ""
    STACK_OVERFLOW = "in_kernel"
    MISALIGNED_OR_UNSET = "in_kernel"
    NULL_POINTER = "in_kernel"
    WILD_POINTER = "in_kernel address"
    TOUCHED_OUTSIDE = "in_kernel element length"
    TIMEOUT = "in_kernel milliseconds ended blocks_left"
    # What ends the call at once. The subject is the condition, the function, or the array's type.
    TRAPPED = ""
    ASSERTION_FAILED = ""
    HOST_FUNCTION = ""
    LAUNCH_IN_KERNEL = ""
    MISSING_RETURN = ""
    PRINTF_STORES = ""
    TOO_MANY_SITES = ""
    COPY_OF_OTHER_SIZE = ""
    COPY_OF_MORE_ZEROS = ""
    COPY_BETWEEN_OTHERS = ""
    INDEX_OUTSIDE = "line index wrapped"
    INDEX_OUTSIDE_ON_HOST = "line index wrapped"
    # What was found between red zones after a launch or the call.
    WRITTEN_OUTSIDE = "count element length"
    SHARED_OVERRUN = "size offset"
    # What the tracer finds. The lines are those of the places.
    OUT_OF_BOUNDS = "op element length starts_inside wrapped"
    NULL_ACCESS = "op"
    WILD_ACCESS = "op"
    MISALIGNED = "op size past"
    COPY_MISALIGNED = "size"
    RACE = "element length op op_before same_site in_flight no_barrier one_warp"
    UNWRITTEN_READ = "element length"
    UNWRITTEN_OUTPUT = "result results unwritten elements"
    HOST_ACCESS = "op"
    # What the wrapper returns.
    RESULT_OUTSIDE = "result results"
    RESULT_MISALIGNED = "result results"
    RESULT_ON_STACK = "result results"
    # Remarks: no hazards.
    SAME_VALUE = ""
    UNUSED_READ = "element length"
    NOT_COUNTED = ""
    UNSAMPLED_READ = ""


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
    """Memory, with the sizes of a tensor or the bytes of an allocation; or else a name, or an element's index."""

    kind: SubjectKind
    name: str
    sizes: tuple[int, ...]

    @property
    def is_shared(self) -> bool:
        return self.kind in (SubjectKind.SHARED_ARRAY, SubjectKind.DYNAMIC_SHARED)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a thread was. `line` is 0 if only the address `code` is known, and `code` is 0 if that is unknown, too."""

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
    """What the runtime reports about the last call, in order."""
    table = iter(numbers(runtime.emulator_reports))
    return [_report(list(Reason)[number], table) for number in table]


def _report(reason: Reason, table: Iterator[int]) -> Report:
    kernel, kind, name = islice(table, 3)
    sizes, facts, places = (tuple(islice(table, next(table))) for _ in range(3))
    each = zip(*[iter(places)] * 8, strict=True)
    found = tuple(Place(code, line, tuple(index[:3]), tuple(index[3:])) for code, line, *index in each if code or line)
    subject = Subject(SubjectKind(kind), text(name), sizes)
    return Report(reason, text(kernel), subject, dict(zip(reason.facts, facts, strict=True)), found)
