"""What the tracer counts: the traffic of a kernel's lines, the accesses of one block, the sectors of a launch."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

OPERATIONS = ("load", "store", "atomic")  # as the runtime numbers them
SPACES = ("global", "shared")
SECTOR = 32  # bytes of global memory that are moved at least


@dataclasses.dataclass(frozen=True)
class Traffic:
    """What the accesses in one line of a kernel requested from memory; `op` is `load`, `store` or `atomic`.

    A request is what a warp's lanes request in one instruction, `bytes_each` each. `units` are 32-byte sectors in
    `global` memory and wavefronts in `shared` memory; `ideal` is the least number that could hold the requested bytes.
    `lanes` are the threads that took part, summed over the requests: `lanes / requests / 32` is 1 without divergence.
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


class Access(NamedTuple):
    """One thread's part of one request.

    `array` is the name of a tensor, as the wrapper's parameter or else as the kernel's, or of a shared array; `offset`
    counts bytes from the start of its memory (of a view: from that of the tensor of which it is one). `block` and
    `thread` are (x, y, z), `lane` is the thread's place in its warp. The lanes of one request have the same
    `request`, numbered from 0 warp by warp between two barriers; `interval` is how many barriers the block has passed.
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


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a tensor lies in its memory: `strides` and `start`, its first element, in elements; `itemsize` in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    start: int


@dataclasses.dataclass(frozen=True)
class Touched:
    """The distinct 32-byte sectors of global memory that one launch read, and that it wrote.

    It is what DRAM must move if the cache keeps everything. An atomic operation reads and writes.
    """

    kernel: str
    read: int
    written: int
