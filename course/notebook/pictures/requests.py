"""One request of each source line: the lanes of a warp, and the sectors or the banks that serve them."""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from course.notebook.pictures.draw import (
    BANKS,
    MAX_PANELS,
    NOTHING,
    READ,
    READ_MORE,
    TITLE,
    WORD,
    WRITTEN,
    box,
    plural,
    ranges,
    sheet,
    source_line,
    write,
)
from course.notebook.pictures.elements import element_name
from course.notebook.plots import Figure, png
from course.notebook.tracing import SECTOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from course.notebook.tracing import Access, Layout

WARP = 32  # lanes
GREY, FAINT = "#E4E4E4", "#BBBBBB"
# Inches: the left margin, the width of a lane or a bank, the height of a wavefront.
LEFT, LANE, FRONT = 1.06, 0.242, 0.21
VERBS = {"load": "loads", "store": "stores", "atomic": "updates"}


@dataclass(frozen=True)
class Request:
    """What the lanes of a warp request in one instruction.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    line : int
        The line of the source, from 1.
    space : str
        `"global"` or `"shared"` memory.
    op : str
        `"load"`, `"store"` or `"atomic"`.
    bytes_each : int
        Bytes per lane.
    array : str
        The name of the tensor or of the shared array.
    lanes : tuple of (int, int)
        The active lanes: the number of each, and its first byte in `array`.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    array: str
    lanes: tuple[tuple[int, int], ...]

    @property
    def starts(self) -> list[int]:
        """The first bytes that are requested, each once."""
        return sorted({start for _, start in self.lanes})

    @property
    def sectors(self) -> list[int]:
        """The numbers of the sectors that are touched."""
        ends = (byte // SECTOR for start in self.starts for byte in (start, start + self.bytes_each - 1))
        return sorted(set(ends))

    def ideal(self, unit: int) -> int:
        """The least number of pieces of `unit` bytes that could hold what is requested."""
        return math.ceil(len(self.starts) * self.bytes_each / unit)

    @property
    def parts(self) -> list[list[dict[int, list[int]]]]:
        """The parts of the warp that shared memory serves one after another: the rule of runtime/traffic.cpp.

        Each part is a list of its wavefronts. A wavefront maps each bank to the lanes that it serves there.
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
    """For each line, operation and array, the first of the requests with the most active lanes.

    `accesses` are those of one block, as `Trace.accesses` has them.
    """
    asked: dict[tuple[str, int, str, str, int, str], dict[int, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for a in accesses:
        asked[a.kernel, a.line, a.space, a.op, a.bytes_each, a.array][a.request].append((a.lane, a.offset))
    largest = {key: max(each.values(), key=len) for key, each in asked.items()}
    return [Request(*key, tuple(sorted(lanes))) for key, lanes in largest.items()]


def request_figure(requests: Sequence[Request], source: str, layouts: Mapping[str, Layout], title: str) -> Figure:
    """Draw each request with its lanes, and below them the sectors of global memory or the banks that serve them.

    Parameters
    ----------
    requests : sequence of Request
        What to draw; a figure has the first `MAX_PANELS`.
    source : str
        The text whose lines the requests name.
    layouts : mapping of str to Layout
        The layout of each tensor, by name. A tensor without one has its bytes numbered instead of its elements.
    title : str
        The figure's title.

    Returns
    -------
    Figure
        A PNG, and the same in words.
    """
    if len(requests) > MAX_PANELS:
        title += f" (the first {MAX_PANELS} of {len(requests)})"
        requests = requests[:MAX_PANELS]
    said = (_describe_request(request, source, layouts.get(request.array)) for request in requests)
    return Figure(png(draw_requests(requests, source, layouts, title)), " ".join([f"{title}.", *said]))


def _describe_request(request: Request, source: str, layout: Layout | None) -> str:
    numbers = ranges(lane for lane, _ in request.lanes)
    asking = f"Lanes {numbers} ask" if len(request.lanes) > 1 else f"Lane {numbers} asks"
    low, *high = _ends(request, layout)
    where = f", the lowest address is {low}, the highest {high[0]}" if high else f" for {low}"
    return f"{_heading(request)} `{source_line(source, request.line)}`. {asking}{where}. {_describe_cost(request)}"


def draw_requests(requests: Sequence[Request], source: str, layouts: Mapping[str, Layout], title: str) -> Canvas:
    """The figure that `request_figure` saves as a PNG."""
    heights = [2.25 if each.space == "global" else 2.05 + FRONT * len(each.wavefronts) for each in requests]
    canvas, axes = sheet(TITLE + sum(heights), title)
    top = TITLE
    for request, height in zip(requests, heights, strict=True):
        axes.axhline(top, color=FAINT, linewidth=0.8, xmin=0.02, xmax=0.98)
        write(axes, 0.2, top + 0.17, _heading(request), ha="left", fontsize=11, fontweight="bold")
        text = textwrap.shorten(source_line(source, request.line), 98, placeholder=" …")
        write(axes, 0.2, top + 0.39, text, ha="left", family="monospace", color="#333333")
        _draw_cells(axes, top + 0.55, "lane", [lane for lane, _ in request.lanes])
        if request.space == "global":
            _draw_sectors(axes, top + 0.79, top + 1.35, request, layouts.get(request.array))
        else:
            _draw_banks(axes, top + 0.79, top + 1.35, request)
        write(axes, LEFT + WARP * LANE / 2, top + height - 0.2, _describe_cost(request))
        top += height
    return canvas


def _draw_cells(axes: Axes, top: float, caption: str, active: Sequence[int]) -> None:
    """The 32 lanes or banks in a row, by number; those that are not `active` are empty."""
    write(axes, LEFT - 0.1, top + 0.13, caption, ha="right")
    for number in range(WARP):
        here = number in active
        style = {"facecolor": GREY} if here else {"facecolor": "white", "linestyle": ":"}
        box(axes, LEFT + number * LANE, top, LANE, 0.24, **style)
        write(axes, LEFT + (number + 0.5) * LANE, top + 0.13, str(number), color="black" if here else "#767676")


def _draw_sectors(axes: Axes, lanes: float, top: float, request: Request, layout: Layout | None) -> None:
    """The sectors that are touched, side by side where they are neighbours, and a line from each lane to its bytes."""
    sectors = request.sectors
    places, width = _sector_places(sectors)
    height = 0.27

    def at(byte: float) -> float:
        sector = min(int(byte // SECTOR), sectors[-1])
        return places[sector] + (byte / SECTOR - sector) * width

    for sector in sectors:
        box(axes, places[sector], top, width, height, facecolor=NOTHING)
    for start in request.starts:
        end = start + request.bytes_each
        edges = [start, *range((start // SECTOR + 1) * SECTOR, end, SECTOR), end]
        for first, last in pairwise(edges):
            used = width * (last - first) / SECTOR
            style = _style(request.op) if used > 0.06 else {"facecolor": READ_MORE[4]}  # else too thin to be seen
            box(axes, at(first), top, used, height, linewidth=0, **style)
    for sector in sectors:
        for word in range(1, SECTOR // WORD) if width > 0.5 else ():
            edge = places[sector] + width * word * WORD / SECTOR
            axes.plot([edge, edge], [top, top + height], color="white", linewidth=0.7)
        box(axes, places[sector], top, width, height, facecolor="none", edgecolor="black", linewidth=1.1)
    for lane, start in request.lanes:
        ends = [LEFT + (lane + 0.5) * LANE, at(start + request.bytes_each / 2)]
        axes.plot(ends, [lanes + 0.01, top - 0.01], color="#444444", linewidth=0.8)
    write(axes, LEFT - 0.1, top + height / 2 + 0.01, "memory", ha="right")
    low, *high = _ends(request, layout)
    first, last = at(request.starts[0]), at(request.starts[-1] + request.bytes_each)
    if high and last - first > 0.09 * len(low + high[0]):
        write(axes, first, top + height + 0.15, low, ha="left")
        write(axes, last, top + height + 0.15, high[0], ha="right")
    else:
        write(axes, max(LEFT + 0.5, (first + last) / 2), top + height + 0.15, " to ".join((low, *high)))


def _sector_places(sectors: Sequence[int]) -> tuple[dict[int, float], float]:
    """Where each sector is drawn, and the width of each."""
    gaps = sum(b != a + 1 for a, b in pairwise(sectors))
    gap = min(0.4, 1.0 / gaps) if gaps else 0.0
    width = min(8 * LANE, (WARP * LANE - gap * gaps) / len(sectors))
    x = LEFT + (WARP * LANE - width * len(sectors) - gap * gaps) / 2
    places = {}
    for before, sector in zip([sectors[0] - 1, *sectors], sectors, strict=False):
        x += gap * (sector != before + 1)
        places[sector] = x
        x += width
    return places, width


def _draw_banks(axes: Axes, lanes: float, top: float, request: Request) -> None:
    """The banks, a line to them from each lane, and below, wavefront by wavefront, the lane that each bank serves."""
    fronts = request.wavefronts
    _draw_cells(axes, top, "bank", sorted({bank for front in fronts for bank in front}))
    for lane, start in request.lanes:
        middle = (start / WORD) % BANKS + max(request.bytes_each / WORD, 1) / 2
        ends = [LEFT + (lane + 0.5) * LANE, LEFT + middle * LANE]
        axes.plot(ends, [lanes + 0.01, top - 0.01], color="#444444", linewidth=0.8)
    for row, front in enumerate(fronts):
        y = top + 0.27 + FRONT * row
        write(axes, LEFT - 0.1, y + FRONT / 2 + 0.01, f"wavefront {row + 1}", ha="right")
        for bank, served in front.items():
            box(axes, LEFT + bank * LANE, y, LANE, FRONT, facecolor=_style(request.op)["facecolor"])
            label = str(served[0]) if len(served) == 1 else f"x{len(served)}"
            size = 10 if len(label) < 3 else 9
            write(axes, LEFT + (bank + 0.5) * LANE, y + FRONT / 2 + 0.01, label, fontsize=size)


def _style(op: str) -> dict[str, Any]:
    return READ if op == "load" else WRITTEN


def _heading(request: Request) -> str:
    in_global = request.space == "global"
    units = len(request.sectors if in_global else request.wavefronts)
    ideal = request.ideal(SECTOR if in_global else BANKS * WORD)
    asked = f"{plural(len(request.lanes), 'lane')} of {plural(request.bytes_each, 'byte')}"
    enough = f"; {ideal} would do" if ideal < units else ""
    cost = plural(units, "sector" if in_global else "wavefront")
    return f"Line {request.line} {VERBS[request.op]} {request.array}: {asked}, {cost}{enough}."


def _describe_cost(request: Request) -> str:
    return _describe_sectors(request) if request.space == "global" else _describe_banks(request)


def _describe_sectors(request: Request) -> str:
    used, moved = len(request.starts) * request.bytes_each, SECTOR * len(request.sectors)
    share = "All" if used == moved else f"{used} of"
    where = "the sector" if moved == SECTOR else "the sectors"
    return f"{_pattern(request)} {share} {moved:,} bytes of {where} are asked for."


def _pattern(request: Request) -> str:
    """The pattern of the addresses, in a sentence."""
    steps = {b[1] - a[1] for a, b in pairwise(request.lanes)}
    in_turn = all(b[0] == a[0] + 1 for a, b in pairwise(request.lanes))
    different = len(request.starts)
    if len(request.lanes) == 1:
        return "One lane asks."
    if different == 1:
        return "All ask for the same address: a broadcast."
    if in_turn and steps == {request.bytes_each}:
        return "Neighbouring lanes ask for neighbouring addresses: coalesced."
    if in_turn and len(steps) == 1:
        return f"From lane to lane {steps.pop():,} bytes: strided."
    runs = 1 + sum(b - a != request.bytes_each for a, b in pairwise(request.starts))
    return f"{different} different addresses, in {plural(runs, 'run')} of neighbours."


def _describe_banks(request: Request) -> str:
    parts = request.parts
    shared = max(len(lanes) for front in request.wavefronts for lanes in front.values())
    together = f"{len(parts)} parts of the warp, one after another. " if len(parts) > 1 else ""
    share = f" x{shared}: one word for {shared} lanes." if shared > 1 else ""
    worst = max(parts, key=len)
    if len(worst) == 1:
        return f"{together}No bank is asked for two words: no conflict.{share}"
    banks = sorted(worst[-1])
    which = f"bank {banks[0]} is" if len(banks) == 1 else f"banks {ranges(banks)} are each"
    return f"{together}A conflict: {which} asked for {len(worst)} words.{share}"


def _ends(request: Request, layout: Layout | None) -> list[str]:
    """The names of the first and of the last element that are requested; one name where they are the same."""
    low, high = request.starts[0], request.starts[-1] + request.bytes_each - 1
    names = [element_name(request.array, byte, layout) for byte in (low, high)]
    return names if names[0] != names[1] and layout else names[:1] if len(request.starts) == 1 else names
