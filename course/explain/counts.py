"""What the tracer counts: the traffic of a kernel's lines, the accesses of a block, and a launch's sectors and work.

It also finds the line that requests most from memory.
"""

import dataclasses
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from course.text.cuda import cited

OPERATIONS = ("load", "store", "atomic")  # as the runtime numbers them
SPACES = ("global", "shared")
WARP = 32  # threads
SECTOR = 32  # bytes, the smallest amount of global memory that is moved
WIDEST = 512  # bytes of a request in which each lane gets 16
AGAIN = 1.5  # times the ideal; a line below this uses its sectors well, and can only request data less often


@dataclasses.dataclass(frozen=True)
class Traffic:
    """What the accesses in one line of a kernel requested from memory; `op` is `load`, `store` or `atomic`.

    A request is what a warp's lanes request in one instruction, `bytes_each` each. `units` are 32-byte sectors in
    `global` memory and wavefronts in `shared` memory; `ideal` is the least number that could hold the requested bytes.
    `lanes` are the threads that took part, summed over the requests: `lanes / requests / 32` is 1 without divergence.
    `cycles` are the wavefronts of the L1 cache or of shared memory, which have the same banks, if nvcc merges all that
    it may (traffic.cpp). `lines` are the 128-byte lines that the requests to `global` memory look up.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    requests: int
    units: int
    ideal: int
    lanes: int
    cycles: int
    lines: int

    def asked(self, count: str) -> int:
        """Its `requests`, or else its `sectors` or `wavefronts`."""
        return self.requests if count == "requests" else self.units

    def least(self, count: str) -> int:
        """The least number of sectors or requests for the bytes that the line requests."""
        return self.ideal if count == "sectors" else -(-self.lanes * self.bytes_each // WIDEST)

    def is_wasteful(self, count: str) -> bool:
        """Whether it takes clearly more `sectors` or `requests` than are needed for the bytes that it requests.

        Of requests whose lanes share their bytes, fewer are needed, not wider ones.
        """
        shared = 2 * SECTOR * self.ideal <= self.lanes * self.bytes_each
        return self.asked(count) >= AGAIN * self.least(count) and not (count == "requests" and shared)


class Access(NamedTuple):
    """One thread's part of one request.

    `array` is the name of a shared array, or of a tensor (as the wrapper's parameter, or else as the kernel's).
    `offset` counts bytes from the start of its memory (for a view, of the memory of the viewed tensor). `block` and
    `thread` are (x, y, z), `warp` is the number of the thread's warp in the block, and `lane` is the thread's place in
    the warp. The lanes of one request have the same `request`, numbered from 0 warp by warp between two barriers.
    `interval` is the number of barriers that the block has passed.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    array: str
    offset: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    lane: int
    request: int
    interval: int
    warp: int = 0


@dataclasses.dataclass(frozen=True)
class Layout:
    """The layout of a tensor in memory: `strides` and `start` (its first element) in elements, `itemsize` in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    start: int


@dataclasses.dataclass(frozen=True)
class Touched:
    """The distinct 32-byte sectors of global memory that one launch read, and that it wrote.

    DRAM must move these sectors if the cache keeps everything. An atomic operation reads and writes.
    """

    kernel: str
    read: int
    written: int


@dataclasses.dataclass(frozen=True)
class Work:
    """How one launch spread its accesses to global memory over its threads, and its stores over the elements.

    `element` is the element of `array` that most threads (`writers`) stored, counted through the memory of the array.
    `working` threads loaded or stored anything, and `storing` threads stored; `last_storing` is the last of these,
    counted from 0 through the grid, block after block. `stored` is the sum of the elements that each thread stored, and
    `most_stored` the most of any thread: an element counts once for each thread, and atomic operations do not count.
    `elements` different elements were stored, `repeated` of them by several threads. `busiest_warp` is the most
    requests of a warp, `busiest_block` the most cycles of the L1 cache for a block, and `contended` the most atomic
    operations of lanes on one address. A thread waited for up to `copied` batches of asynchronous copies, and for up to
    `unoverlapped` of these, it loaded nothing from shared memory between a batch's first copy and the wait. To the
    elements of a thread, tensor cores added up to `tensor_sums` times. A block passed up to `barriers` barriers.
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    array: str
    element: int
    working: int
    storing: int
    last_storing: int
    stored: int
    most_stored: int
    elements: int
    repeated: int
    writers: int
    busiest_warp: int
    busiest_block: int
    contended: int
    copied: int
    unoverlapped: int
    tensor_sums: int
    barriers: int

    @property
    def blocks(self) -> int:
        return math.prod(self.grid)

    @property
    def threads_per_block(self) -> int:
        return math.prod(self.block)

    @property
    def threads(self) -> int:
        """Of all blocks together."""
        return self.blocks * self.threads_per_block

    @property
    def threads_along_x(self) -> int:
        return self.grid[0] * self.block[0]

    @property
    def idle(self) -> int:
        """The threads that neither loaded nor stored."""
        return self.threads - self.working


@dataclasses.dataclass(frozen=True)
class Lines:
    """The text that the line numbers of kernels refer to, and the text's name ("" for the answer itself)."""

    text: str = ""
    name: str = ""

    def cite(self, line: int) -> str:
        """The number of a line and its text."""
        of = f" of {self.name}" if self.name else ""
        return cited(re.sub(r"//[^\n]*", "", self.text), line) + of


def in_global(traffic: Sequence[Traffic], count: str) -> int:
    """The `sectors` or `requests` of global memory, summed over all lines."""
    return sum(line.asked(count) for line in traffic if line.space == "global")


def busiest(traffic: Sequence[Traffic], count: str) -> Traffic:
    """The line with the most `sectors` or `requests` of global memory, or needless `wavefronts` of shared memory.

    Of two such lines, it is the one whose bytes would need fewer sectors. There must be at least one line.
    """
    if count == "wavefronts":
        shared = (line for line in traffic if line.space == "shared")
        return max(shared, key=lambda line: (line.units - line.ideal, line.units))
    return max((line for line in traffic if line.space == "global"), key=lambda line: (line.asked(count), -line.ideal))


def busiest_line(traffic: Sequence[Traffic], count: str, lines: Lines) -> dict[str, object]:
    """The facts about the line that requests the most, compared with the ideal."""
    line = busiest(traffic, count)
    asked, ideal = line.asked(count), line.least(count)
    return {
        "case": "more" if asked > ideal else "ideal",
        "line": lines.cite(line.line),
        "busiest": line,
        "bytes": "1 byte" if line.bytes_each == 1 else f"{line.bytes_each} bytes",
        "asked": asked,
        "ideal": ideal,
        "times": asked / max(ideal, 1),
    }
