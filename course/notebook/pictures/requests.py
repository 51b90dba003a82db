"""Draws one request of each source line: the lanes of a warp, and the sectors or banks that serve them."""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from course.explain.counts import SECTOR
from course.notebook.pictures.draw import (
    BANKS,
    MARGIN,
    MAX_PANELS,
    READ,
    THIN,
    WORD,
    WRITTEN,
    element_name,
    plural,
    ranges,
    source_line,
)
from course.notebook.pictures.svg import WIDTH, BoxStyle, Figure, Sheet, text_width

if TYPE_CHECKING:
    from course.explain.counts import Access, Layout

WARP = 32  # lanes in a warp
# Pixels: the left margin, the width of a lane or bank, the height of a lane or bank, and the height of a sector.
LEFT, LANE, CELL, MEMORY = 72, 20, 16, 20
Box = tuple[float, float, float, float]  # x, y, width, height
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


def request_figure(
    requests: Sequence[Request], source: str, layouts: Mapping[str, Layout], title: str, panels: int = MAX_PANELS
) -> Figure:
    """Draw each request with its lanes. Below them, draw the sectors or the banks of shared memory that serve them.

    A figure has only the first `panels` requests. Lines refer to `source`. If the layout of an array is not known, its
    bytes are numbered instead of its elements."""
    if len(requests) > panels:
        title += f" (the first {panels} of {len(requests)})"
        requests = requests[:panels]
    said = (_describe_request(request, source, layouts.get(request.array)) for request in requests)
    drawn = _sheet(title)
    for request in requests:
        _draw_request(drawn, request, source_line(source, request.line), layouts.get(request.array))
    return drawn.figure(" ".join([f"{title}.", *said]))


def _sheet(title: str) -> Sheet:
    """A sheet with its title. The sheet ends below the title, and becomes higher when something is drawn."""
    empty = Sheet(6)
    for text in textwrap.wrap(title, 90):
        empty.height += 18
        empty.write(WIDTH / 2, empty.height - 9, text, size=13, bold=True)
    return empty


def _describe_request(request: Request, source: str, layout: Layout | None) -> str:
    numbers = ranges(lane for lane, _ in request.lanes)
    active = f"Lanes {numbers} are active" if len(request.lanes) > 1 else f"Lane {numbers} is active"
    low, *high = _ends(request, layout)
    where = f"The lowest address is {low}, the highest {high[0]}." if high else f"The address is {low}."
    return f"{heading(request)} `{source_line(source, request.line)}`. {active}. {where} {describe_cost(request)}"


def _draw_request(drawn: Sheet, request: Request, code: str, layout: Layout | None) -> None:
    """Draw a panel for one request at the end of the sheet."""
    top = drawn.height
    drawn.line((MARGIN, top), (WIDTH - MARGIN, top), width=0.8, faint=0.4)
    drawn.write(MARGIN, top + 13, heading(request), at="start", bold=True)
    drawn.write(MARGIN, top + 30, textwrap.shorten(code, 98, placeholder=" …"), size=11, at="start", code=True)
    _draw_cells(drawn, top + 42, "lane", [lane for lane, _ in request.lanes])
    lanes = top + 42 + CELL
    if request.space == "global":
        drawn.height = _draw_sectors(drawn, lanes, lanes + 34, request, layout)
    else:
        drawn.height = _draw_banks(drawn, lanes, lanes + 34, request)
    for text in textwrap.wrap(describe_cost(request), 105):
        drawn.height += 16
        drawn.write(WIDTH / 2, drawn.height - 7, text)
    drawn.height += 6


def _draw_cells(drawn: Sheet, top: float, caption: str, active: Sequence[int]) -> None:
    """Draw the 32 lanes or banks in a row, with their numbers. Those that are not in `active` are empty."""
    drawn.write(LEFT - 6, top + CELL / 2, caption, at="end")
    for here in (True, False):
        numbers = [number for number in range(WARP) if (number in active) == here]
        cells = [(LEFT + number * LANE, top, LANE, CELL) for number in numbers]
        if here:
            drawn.boxes(cells, fill="grey", edge=0.8)
        else:
            drawn.boxes(cells, edge=0.6, dashed=True, faint=0.4)
        labels = ((LEFT + (number + 0.5) * LANE, str(number)) for number in numbers)
        drawn.write_row(labels, top + CELL / 2, size=11, faint=1 if here else 0.65)


def _draw_sectors(drawn: Sheet, lanes: float, top: float, request: Request, layout: Layout | None) -> float:
    """Draw the sectors that are touched, neighbours side by side, and a line from each lane to its bytes.

    Returns the height at which the drawing ends.
    """
    sectors = request.sectors
    places, width = sector_places(sectors)

    def at(byte: float) -> float:
        sector = min(int(byte // SECTOR), sectors[-1])
        return places[sector] + (byte / SECTOR - sector) * width

    drawn.boxes([(x, top, width, MEMORY) for x in places.values()], fill="grey", edge=0)
    used = []
    for start in request.starts:
        end = start + request.bytes_each
        edges = [start, *range((start // SECTOR + 1) * SECTOR, end, SECTOR), end]
        used += [(at(first), width * (last - first) / SECTOR) for first, last in pairwise(edges)]
    style: BoxStyle = _style(request.op) if used[0][1] > 5 else THIN
    drawn.boxes(_joined([(x, top, wide, MEMORY) for x, wide in used]), **(style | {"edge": 0}))
    if width > 45:
        edges = [x + width * word * WORD / SECTOR for x in places.values() for word in range(1, SECTOR // WORD)]
        drawn.lines((((x, top), (x, top + MEMORY)) for x in edges), width=0.7, faint=0.4)
    drawn.boxes([(x, top, width, MEMORY) for x in places.values()], edge=1.2)
    _draw_lane_lines(drawn, lanes, top, [(lane, at(start + request.bytes_each / 2)) for lane, start in request.lanes])
    drawn.write(LEFT - 6, top + MEMORY / 2, "memory", at="end")
    low, *high = _ends(request, layout)
    first, last = at(request.starts[0]), at(request.starts[-1] + request.bytes_each)
    below = top + MEMORY + 10
    if high and last - first > text_width(low + high[0]) + 12:
        drawn.write(first, below, low, at="start")
        drawn.write(last, below, high[0], at="end")
    else:
        words = " to ".join((low, *high))
        room = text_width(words) / 2
        drawn.write(min(max(LEFT + room, (first + last) / 2), WIDTH - room), below, words)
    return below + 7


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, given from left to right, with boxes that touch joined into one."""
    joined: list[Box] = []
    for x, y, width, height in boxes:
        if joined and abs(joined[-1][0] + joined[-1][2] - x) < 1e-6:
            x, width = joined[-1][0], x + width - joined.pop()[0]
        joined.append((x, y, width, height))
    return joined


def _draw_lane_lines(drawn: Sheet, lanes: float, top: float, places: Sequence[tuple[int, float]]) -> None:
    """Draw a line from each lane to the place that it requests."""
    ends = (((LEFT + (lane + 0.5) * LANE, lanes + 1), (x, top - 1)) for lane, x in places)
    drawn.lines(ends, width=0.8, faint=0.75)


def sector_places(sectors: Sequence[int]) -> tuple[dict[int, float], float]:
    """The x of each sector in the drawing, and the width of a sector."""
    gaps = sum(b != a + 1 for a, b in pairwise(sectors))
    gap = min(32, 80 / gaps) if gaps else 0.0
    width = min(8 * LANE, (WARP * LANE - gap * gaps) / len(sectors))
    x = LEFT + (WARP * LANE - width * len(sectors) - gap * gaps) / 2
    places = {}
    for before, sector in zip([sectors[0] - 1, *sectors], sectors, strict=False):
        x += gap * (sector != before + 1)
        places[sector] = x
        x += width
    return places, width


def _draw_banks(drawn: Sheet, lanes: float, top: float, request: Request) -> float:
    """Draw the banks and a line from each lane to its banks. Below, draw the lane that each bank serves in a wavefront.

    Returns the height at which the drawing ends.
    """
    fronts = request.wavefronts
    _draw_cells(drawn, top, "bank", sorted({bank for front in fronts for bank in front}))
    middle = max(request.bytes_each / WORD, 1) / 2
    asking = [(lane, LEFT + ((start / WORD) % BANKS + middle) * LANE) for lane, start in request.lanes]
    _draw_lane_lines(drawn, lanes, top, asking)
    height = 16 if len(fronts) <= 8 else 13
    size = 11 if len(fronts) <= 8 else 10
    first = top + CELL + 3
    places = [(row, bank) for row, front in enumerate(fronts) for bank in front]
    cells = [(LEFT + bank * LANE, first + row * height, LANE, height) for row, bank in places]
    drawn.boxes(cells, fill=_style(request.op)["fill"], edge=0.8)
    for row, front in enumerate(fronts):
        y = first + (row + 0.5) * height
        drawn.write(LEFT - 6, y, f"wavefront {row + 1}", size=10, at="end")
        labels = (
            (LEFT + (bank + 0.5) * LANE, str(served[0]) if len(served) == 1 else f"x{len(served)}")
            for bank, served in front.items()
        )
        drawn.write_row(labels, y, size=size, on_color=True)
    return first + len(fronts) * height + 2


def _style(op: str) -> BoxStyle:
    return READ if op == "load" else WRITTEN


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


def _ends(request: Request, layout: Layout | None) -> list[str]:
    """The names of the first and of the last requested element; only one name if they are the same element."""
    low, high = request.starts[0], request.starts[-1] + request.bytes_each - 1
    names = [element_name(request.array, byte, layout) for byte in (low, high)]
    return names if names[0] != names[1] and layout else names[:1] if len(request.starts) == 1 else names
