"""What the emulator's runtime reports about a call, as data (runtime/reports.h); texts.py has the sentences.

The runtime is compiled with the members of the enums, whose names in C++ are those of `names_in_cpp`.
"""

import dataclasses
import enum

REMARK = "remark"  # the kind of a report that is no hazard


class Reason(enum.Enum):
    """Why something is reported. Each has a kind, of `course.errors.HAZARDS` or REMARK, and the names of its numbers.

    Among these, x, y and z are the threads of a block, or the blocks of a grid. op is what `operation` in the runtime's
    tracer.h returns. element and length are the place of an access in its array and the array's length, in elements.
    """

    kind: str
    facts: list[str]

    def __new__(cls, kind: str, facts: str) -> "Reason":
        reason = object.__new__(cls)
        reason._value_, reason.kind, reason.facts = len(cls.__members__), kind, facts.split()
        return reason

    @property
    def id(self) -> str:
        """The id of its sentence."""
        return self.name.lower()

    # Launches that CUDA refuses.
    NO_THREADS = "bad-launch", "x y z"
    TOO_MANY_THREADS = "bad-launch", "x y z"
    BLOCK_TOO_DEEP = "bad-launch", "x y z"
    NO_BLOCKS = "bad-launch", "x y z"
    TOO_MANY_BLOCKS = "bad-launch", "x y z"
    TOO_MUCH_SHARED_MEMORY = "bad-launch", "size allowed"
    PARAMETERS_TOO_LARGE = "bad-launch", "size allowed"
    # Barriers and warp operations that not all threads reach; the line is that of the place.
    BARRIER_NOT_REACHED = "divergent-barrier", "arrived threads"
    DIFFERENT_BARRIERS = "divergent-barrier", "other_line"
    WARP_OP_NOT_REACHED = "divergent-warp", "mask"
    LANE_NOT_IN_MASK = "divergent-warp", "mask"
    # Signals.
    DIVISION_BY_ZERO = "crash", "in_kernel"
    MEANINGLESS_CODE = "crash", "in_kernel"
    ABORTED = "crash", "in_kernel"
    THREAD_STACK_OVERFLOW = "crash", ""
    STACK_OVERFLOW = "crash", "in_kernel"
    MISALIGNED_OR_UNSET = "misaligned", "in_kernel"
    NULL_POINTER = "out-of-bounds", "in_kernel"
    WILD_POINTER = "out-of-bounds", "in_kernel address"
    TOUCHED_OUTSIDE = "out-of-bounds", "in_kernel element length"
    TIMEOUT = "timeout", "in_kernel milliseconds ended blocks_left"
    # What ends the call at once. The subject is the condition, the function, or the array's type.
    TRAPPED = "crash", ""
    ASSERTION_FAILED = "crash", ""
    HOST_FUNCTION = "crash", ""
    REFUSED_CALL = "crash", ""
    LAUNCH_IN_KERNEL = "crash", ""
    MISSING_RETURN = "crash", ""
    PRINTF_STORES = "crash", ""
    TOO_MANY_SITES = "crash", ""
    COPY_OF_OTHER_SIZE = "crash", ""
    COPY_OF_MORE_ZEROS = "crash", ""
    COPY_BETWEEN_OTHERS = "crash", ""
    INDEX_OUTSIDE = "out-of-bounds", "line index wrapped"
    INDEX_OUTSIDE_ON_HOST = "crash", "line index wrapped"
    # What was found between red zones after a launch or the call.
    WRITTEN_OUTSIDE = "out-of-bounds", "count element length"
    SHARED_OVERRUN = "out-of-bounds", "size offset"
    # What the tracer finds. The lines are those of the places.
    OUT_OF_BOUNDS = "out-of-bounds", "op element length starts_inside wrapped"
    NULL_ACCESS = "out-of-bounds", "op"
    WILD_ACCESS = "out-of-bounds", "op"
    MISALIGNED = "misaligned", "op size past"
    COPY_MISALIGNED = "misaligned", "size"
    RACE = "race", "element length op op_before same_site in_flight no_barrier one_warp"
    LOST_UPDATE = "race", "element length"
    UNWRITTEN_READ = "uninitialised-read", "element length"
    UNWRITTEN_OUTPUT = "unwritten-output", "result results unwritten elements"
    HOST_ACCESS = "host-access", "op"
    # What nothing orders: two of the wrapper's operations, or one of them and what the caller does before or after.
    UNORDERED = "race", "element length op op_before"
    NOT_WAITED = "race", "element length op op_before"
    NOT_JOINED = "race", ""
    # Memory that was freed, or of a tensor that no longer exists.
    FREED_ACCESS = "out-of-bounds", "op in_kernel"
    FREED_AGAIN = "out-of-bounds", ""
    COPY_KIND = "host-access", "kind right"
    ABSENT_LANE = "divergent-warp", "lane mask"
    # What the wrapper returns.
    RESULT_OUTSIDE = "out-of-bounds", "result results"
    RESULT_MISALIGNED = "misaligned", "result results"
    RESULT_ON_STACK = "out-of-bounds", "result results"
    # Remarks: no hazards.
    SAME_VALUE = REMARK, ""
    UNUSED_READ = REMARK, "element length"
    NOT_COUNTED = REMARK, ""
    UNSAMPLED_READ = REMARK, ""
    OUTSIDE_VIEWS = REMARK, "op element length"


class SubjectKind(enum.IntEnum):
    """What a report is about."""

    NONE = 0
    NAME = 1
    ELEMENT = 2
    ARGUMENT = 3
    NEW_TENSOR = 4
    ALLOCATION = 5
    VARIABLE = 6
    SHARED_ARRAY = 7
    DYNAMIC_SHARED = 8


def names_in_cpp(members: type[enum.Enum]) -> str:
    """The members of an enum, such as NO_THREADS, as the enumerators of C++'s, such as kNoThreads."""
    return ",".join(f"k{name.title().replace('_', '')}" for name in members.__members__)


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
    """Where a thread was. `line` is 0 if only `code`, a place in a module, is known, and `code` is 0 if nothing is."""

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
