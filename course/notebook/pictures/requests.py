"""What the lanes of a warp request in one instruction, and what it costs, in words."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from course.explain.counts import SECTOR

if TYPE_CHECKING:
    from course.explain.counts import Access, Layout

BANKS = 32  # banks of shared memory, each WORD bytes wide
WORD = 4
WARP = 32  # lanes in a warp
VERBS = {"load": "loads", "store": "stores", "atomic": "updates"}


@dataclass(frozen=True)
class Request:
    """The accesses of a warp's lanes in one instruction: a load, a store or an atomic operation."""

    kernel: str
    line: int  # of the source, from 1
    space: str  # "global" or "shared"
    op: str  # "load", "store" or "atomic"
    bytes_each: int  # per lane
    array: str
    lanes: tuple[tuple[int, int], ...]  # the number of each active lane, and the first byte in `array` that it requests

    @property
    def starts(self) -> list[int]:
        """The first bytes that the lanes request, without repetitions."""
        return sorted({start for _, start in self.lanes})

    @property
    def sectors(self) -> list[int]:
        """The numbers of the sectors that the request touches."""
        ends = (byte // SECTOR for start in self.starts for byte in (start, start + self.bytes_each - 1))
        return sorted(set(ends))

    def ideal(self, unit: int) -> int:
        """The fewest units of `unit` bytes that could hold the requested bytes."""
        return math.ceil(len(self.starts) * self.bytes_each / unit)

    @property
    def over_least(self) -> float:
        """The sectors or wavefronts of the request, divided by the fewest that could serve it."""
        units, size = (self.sectors, SECTOR) if self.space == "global" else (self.wavefronts, BANKS * WORD)
        return len(units) / self.ideal(size)

    @property
    def parts(self) -> list[list[dict[int, list[int]]]]:
        """The parts of the warp that shared memory serves one after another, by the rule of runtime/traffic.cpp.

        Each part is a list of wavefronts. A wavefront is a mapping from banks to the lanes that they serve in it.
        """
        size = WARP
        if self.bytes_each > WORD:
            of_lane = dict(self.lanes)
            size = WARP * WORD // self.bytes_each
            if any(all(of_lane.get(n ^ d, start) == start for n, start in self.lanes) for d in (1, 2)):
                size *= 2
        served = (self._served(range(first, first + size)) for first in range(0, WARP, size))
        return [fronts for fronts in served if fronts]

    @property
    def wavefronts(self) -> list[dict[int, list[int]]]:
        """The wavefronts of all parts, in order."""
        return [front for fronts in self.parts for front in fronts]

    def _served(self, lanes: range) -> list[dict[int, list[int]]]:
        words: dict[int, list[int]] = defaultdict(list)
        for lane, start in self.lanes:
            if lane in lanes:
                for word in range(start // WORD, (start + self.bytes_each - 1) // WORD + 1):
                    words[word].append(lane)
        fronts: list[dict[int, list[int]]] = []
        asked: Counter[int] = Counter()
        for word, by in words.items():
            bank = word % BANKS
            if asked[bank] == len(fronts):
                fronts.append({})
            fronts[asked[bank]][bank] = by
            asked[bank] += 1
        return fronts


def first_requests(accesses: Sequence[Access]) -> list[Request]:
    """For each line, operation and array, the request with the most active lanes; of several, the first.

    `accesses` are the accesses of one block, as in `Trace.accesses`.
    """
    asked: dict[tuple[str, int, str, str, int, str], dict[int, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for a in accesses:
        asked[a.kernel, a.line, a.space, a.op, a.bytes_each, a.array][a.request].append((a.lane, a.offset))
    largest = {key: max(each.values(), key=len) for key, each in asked.items()}
    return [Request(*key, tuple(sorted(lanes))) for key, lanes in largest.items()]


def describe(request: Request, source: str, layout: Layout | None) -> str:
    """A request in words: what the line asks for, which lanes are active, where, and what it costs."""
    numbers = ranges(lane for lane, _ in request.lanes)
    active = f"Lanes {numbers} are active" if len(request.lanes) > 1 else f"Lane {numbers} is active"
    code = source_line(source, request.line)
    return f"{heading(request)} `{code}`. {active}. {where(request, layout)} {describe_cost(request)}"


def where(request: Request, layout: Layout | None) -> str:
    """A sentence that names the first and the last requested element."""
    low, high = request.starts[0], request.starts[-1] + request.bytes_each - 1
    first, last = (element_name(request.array, byte, layout) for byte in (low, high))
    if first == last or (not layout and len(request.starts) == 1):
        return f"The address is {first}."
    return f"The lowest address is {first}, the highest {last}."


def heading(request: Request) -> str:
    in_global = request.space == "global"
    units = len(request.sectors if in_global else request.wavefronts)
    ideal = request.ideal(SECTOR if in_global else BANKS * WORD)
    asked = f"{plural(len(request.lanes), 'lane')} of {plural(request.bytes_each, 'byte')}"
    enough = f"; {ideal} would be enough" if ideal < units else ""
    cost = plural(units, "sector" if in_global else "wavefront")
    return f"Line {request.line} {VERBS[request.op]} {request.array}: {asked}, {cost}{enough}."


def describe_cost(request: Request) -> str:
    return _describe_sectors(request) if request.space == "global" else _describe_banks(request)


def _describe_sectors(request: Request) -> str:
    used, moved = len(request.starts) * request.bytes_each, SECTOR * len(request.sectors)
    share = "All" if used == moved else f"{used} of"
    where = "the sector" if moved == SECTOR else "the sectors"
    return f"{_pattern(request)} {share} {moved:,} bytes of {where} are requested."


def _pattern(request: Request) -> str:
    """A sentence that describes the pattern of the addresses."""
    steps = {b[1] - a[1] for a, b in pairwise(request.lanes)}
    in_turn = all(b[0] == a[0] + 1 for a, b in pairwise(request.lanes))
    different = len(request.starts)
    if len(request.lanes) == 1:
        return "Only one lane is active."
    if different == 1:
        return "All lanes request the same address: a broadcast."
    if in_turn and steps == {request.bytes_each}:
        return "Neighbouring lanes request neighbouring addresses: coalesced."
    if in_turn and len(steps) == 1:
        return f"The addresses of neighbouring lanes are {steps.pop():,} bytes apart: strided."
    runs = 1 + sum(b - a != request.bytes_each for a, b in pairwise(request.starts))
    return f"{different} different addresses, in {plural(runs, 'run')} of neighbours."


def _describe_banks(request: Request) -> str:
    parts = request.parts
    shared = max(len(lanes) for front in request.wavefronts for lanes in front.values())
    together = f"{len(parts)} parts of the warp, one after another. " if len(parts) > 1 else ""
    share = f" x{shared}: one word for {shared} lanes." if shared > 1 else ""
    worst = max(parts, key=len)
    if len(worst) == 1:
        return f"{together}No two of the words are in the same bank: no conflict.{share}"
    banks = sorted(worst[-1])
    which = f"bank {banks[0]}" if len(banks) == 1 else f"each of the banks {ranges(banks)}"
    return f"{together}A conflict: {len(worst)} different words are in {which}.{share}"


def source_line(source: str, line: int) -> str:
    """A line of the student's source; "" if the source has no such line."""
    lines = source.split("\n")  # as the compiler counts lines: str.splitlines would split at further characters
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def ranges(numbers: Iterable[int]) -> str:
    """Sorted numbers in words: "0 to 3, 8"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) if run[-1] > run[0] + 1 else ", ".join(map(str, run)) for run in runs)


def element_name(array: str, byte: int, layout: Layout | None) -> str:
    """The name of the element that holds a byte, such as `B[2, 0]`; `byte 64` if it is in none, or if none is known."""
    if layout:
        rest = byte // layout.itemsize - layout.start
        index = [0] * len(layout.shape)
        for axis in sorted(range(len(index)), key=lambda axis: -layout.strides[axis]):
            if layout.shape[axis] > 1 and layout.strides[axis]:
                index[axis], rest = divmod(rest, layout.strides[axis])
        if rest == 0 and all(0 <= place < length for place, length in zip(index, layout.shape, strict=True)):
            return f"{array}[{', '.join(map(str, index))}]"
    return f"byte {byte:,}"
