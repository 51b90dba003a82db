"""Pictures of what one block asks of memory: which addresses and banks, which elements, and when.

Each is drawn from the accesses of one block (`course.tracing.Access`), and its alternative text says what it shows.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from course.plots import Figure, png
from course.tracing import SECTOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from course.tracing import Access, Layout

WARP = 32  # lanes
BANKS = 32  # of shared memory, each WORD bytes wide
WORD = 4

# Okabe and Ito's colours, as in course.plots; the hatch says the same.
READ = {"facecolor": "#56B4E9"}
WRITTEN: dict[str, Any] = {"facecolor": "#F0C35E", "hatch": "///"}
READ_AND_WRITTEN: dict[str, Any] = {"facecolor": "#56B4E9", "hatch": "///"}
EXCHANGED = {"facecolor": "#F3A27C", "hatch": "xxx"}
READ_MORE = ("#BFE0F5", "#8ACAF0", "#56B4E9", "#2A8CC7", "#0072B2", "#00507D")  # 1, 2 to 3, 4 to 7, ... times
NOTHING = "#F5F5F5"
GREY, FAINT = "#E4E4E4", "#BBBBBB"

# Inches, on sheets without axes.
WIDTH, LEFT, LANE = 9.0, 1.06, 0.242  # the sheet, its margin, a lane or a bank
TITLE, FRONT = 0.5, 0.21  # the height of a title, of a wavefront

MOST_PANELS = 8  # in one figure
VERBS = {"load": "loads", "store": "stores", "atomic": "updates"}


@dataclass(frozen=True)
class Request:
    """What the lanes of a warp ask in one instruction: `lanes` are pairs of a lane and its first byte in `array`."""

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    array: str
    lanes: tuple[tuple[int, int], ...]

    @property
    def starts(self) -> list[int]:
        """The first bytes that are asked for, each once."""
        return sorted({start for _, start in self.lanes})

    @property
    def sectors(self) -> list[int]:
        """The numbers of the sectors that are touched."""
        ends = (byte // SECTOR for start in self.starts for byte in (start, start + self.bytes_each - 1))
        return sorted(set(ends))

    def ideal(self, unit: int) -> int:
        """The least number of pieces of `unit` bytes that could hold what is asked for."""
        return math.ceil(len(self.starts) * self.bytes_each / unit)

    @property
    def parts(self) -> list[list[dict[int, list[int]]]]:
        """The parts of the warp that shared memory serves one after another: the rule of runtime/traffic.cpp.

        Each is a list of its wavefronts, and these tell the lanes that they serve by their bank.
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
        """Those of all parts, in order."""
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
    """Of each line, operation and array the first request in which most lanes take part."""
    asked: dict[tuple[str, int, str, str, int, str], dict[int, list[tuple[int, int]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for a in accesses:
        asked[a.kernel, a.line, a.space, a.op, a.bytes_each, a.array][a.request].append((a.lane, a.offset))
    largest = {key: max(each.values(), key=len) for key, each in asked.items()}
    return [Request(*key, tuple(sorted(lanes))) for key, lanes in largest.items()]


# One request of each line


def request_figure(requests: Sequence[Request], source: str, layouts: Mapping[str, Layout], title: str) -> Figure:
    """Each request with its lanes, and below them the sectors of global memory or the banks that they ask."""
    if len(requests) > MOST_PANELS:
        title += f" (the first {MOST_PANELS} of {len(requests)})"
        requests = requests[:MOST_PANELS]
    said = (_say_request(request, source, layouts.get(request.array)) for request in requests)
    return Figure(png(draw_requests(requests, source, layouts, title)), " ".join([f"{title}.", *said]))


def _say_request(request: Request, source: str, layout: Layout | None) -> str:
    numbers = _ranges(lane for lane, _ in request.lanes)
    asking = f"Lanes {numbers} ask" if len(request.lanes) > 1 else f"Lane {numbers} asks"
    low, *high = _ends(request, layout)
    where = f", the lowest address is {low}, the highest {high[0]}" if high else f" for {low}"
    return f"{_heading(request)} `{source_line(source, request.line)}`. {asking}{where}. {_in_words(request)}"


def draw_requests(requests: Sequence[Request], source: str, layouts: Mapping[str, Layout], title: str) -> Canvas:
    """The panels as matplotlib has them, for `request_figure` to print."""
    heights = [2.25 if each.space == "global" else 2.05 + FRONT * len(each.wavefronts) for each in requests]
    canvas, axes = _sheet(TITLE + sum(heights), title)
    top = TITLE
    for request, height in zip(requests, heights, strict=True):
        axes.axhline(top, color=FAINT, linewidth=0.8, xmin=0.02, xmax=0.98)
        _write(axes, 0.2, top + 0.17, _heading(request), ha="left", fontsize=11, fontweight="bold")
        text = textwrap.shorten(source_line(source, request.line), 98, placeholder=" …")
        _write(axes, 0.2, top + 0.39, text, ha="left", family="monospace", color="#333333")
        _draw_cells(axes, top + 0.55, "lane", [lane for lane, _ in request.lanes])
        if request.space == "global":
            _draw_sectors(axes, top + 0.79, top + 1.35, request, layouts.get(request.array))
        else:
            _draw_banks(axes, top + 0.79, top + 1.35, request)
        _write(axes, LEFT + WARP * LANE / 2, top + height - 0.2, _in_words(request))
        top += height
    return canvas


def _sheet(height: float, title: str) -> tuple[Canvas, Axes]:
    """A sheet to draw on in inches, x to the right and y downwards, with its title."""
    from matplotlib.figure import Figure as Canvas  # imported late: 0.3 s that most cells do not need

    canvas = Canvas(figsize=(WIDTH, height))
    axes = canvas.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    _write(axes, WIDTH / 2, 0.24, title, fontsize=12, fontweight="bold")
    return canvas, axes


def _write(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(x, y, text, **{"fontsize": 10, "ha": "center", "va": "center_baseline", **style})


def _box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **{"edgecolor": "#666666", "linewidth": 0.7, **style}))


def _draw_cells(axes: Axes, top: float, caption: str, active: Sequence[int]) -> None:
    """The 32 lanes or banks in a row, by number; those that are not `active` are empty."""
    _write(axes, LEFT - 0.1, top + 0.13, caption, ha="right")
    for number in range(WARP):
        here = number in active
        style = {"facecolor": GREY} if here else {"facecolor": "white", "linestyle": ":"}
        _box(axes, LEFT + number * LANE, top, LANE, 0.24, **style)
        _write(axes, LEFT + (number + 0.5) * LANE, top + 0.13, str(number), color="black" if here else "#767676")


def _draw_sectors(axes: Axes, lanes: float, top: float, request: Request, layout: Layout | None) -> None:
    """The sectors that are touched, side by side where they are neighbours, and a line from each lane to its bytes."""
    sectors = request.sectors
    places, width = _sector_places(sectors)
    height = 0.27

    def at(byte: float) -> float:
        sector = min(int(byte // SECTOR), sectors[-1])
        return places[sector] + (byte / SECTOR - sector) * width

    for sector in sectors:
        _box(axes, places[sector], top, width, height, facecolor=NOTHING)
    for start in request.starts:
        end = start + request.bytes_each
        edges = [start, *range((start // SECTOR + 1) * SECTOR, end, SECTOR), end]
        for first, last in pairwise(edges):
            used = width * (last - first) / SECTOR
            style = _style(request.op) if used > 0.06 else {"facecolor": READ_MORE[4]}  # else too thin to be seen
            _box(axes, at(first), top, used, height, linewidth=0, **style)
    for sector in sectors:
        for word in range(1, SECTOR // WORD) if width > 0.5 else ():
            edge = places[sector] + width * word * WORD / SECTOR
            axes.plot([edge, edge], [top, top + height], color="white", linewidth=0.7)
        _box(axes, places[sector], top, width, height, facecolor="none", edgecolor="black", linewidth=1.1)
    for lane, start in request.lanes:
        ends = [LEFT + (lane + 0.5) * LANE, at(start + request.bytes_each / 2)]
        axes.plot(ends, [lanes + 0.01, top - 0.01], color="#444444", linewidth=0.8)
    _write(axes, LEFT - 0.1, top + height / 2 + 0.01, "memory", ha="right")
    low, *high = _ends(request, layout)
    first, last = at(request.starts[0]), at(request.starts[-1] + request.bytes_each)
    if high and last - first > 0.09 * len(low + high[0]):
        _write(axes, first, top + height + 0.15, low, ha="left")
        _write(axes, last, top + height + 0.15, high[0], ha="right")
    else:
        _write(axes, max(LEFT + 0.5, (first + last) / 2), top + height + 0.15, " to ".join((low, *high)))


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
        _write(axes, LEFT - 0.1, y + FRONT / 2 + 0.01, f"wavefront {row + 1}", ha="right")
        for bank, served in front.items():
            _box(axes, LEFT + bank * LANE, y, LANE, FRONT, facecolor=_style(request.op)["facecolor"])
            label = str(served[0]) if len(served) == 1 else f"x{len(served)}"
            size = 10 if len(label) < 3 else 9
            _write(axes, LEFT + (bank + 0.5) * LANE, y + FRONT / 2 + 0.01, label, fontsize=size)


def _style(op: str) -> dict[str, Any]:
    return READ if op == "load" else WRITTEN


def _heading(request: Request) -> str:
    in_global = request.space == "global"
    units = len(request.sectors if in_global else request.wavefronts)
    ideal = request.ideal(SECTOR if in_global else BANKS * WORD)
    asked = f"{_count(len(request.lanes), 'lane')} of {_count(request.bytes_each, 'byte')}"
    enough = f"; {ideal} would do" if ideal < units else ""
    cost = _count(units, "sector" if in_global else "wavefront")
    return f"Line {request.line} {VERBS[request.op]} {request.array}: {asked}, {cost}{enough}."


def _in_words(request: Request) -> str:
    return _sector_words(request) if request.space == "global" else _bank_words(request)


def _sector_words(request: Request) -> str:
    used, moved = len(request.starts) * request.bytes_each, SECTOR * len(request.sectors)
    share = "All" if used == moved else f"{used} of"
    where = "the sector" if moved == SECTOR else "the sectors"
    return f"{_pattern(request)} {share} {moved:,} bytes of {where} are asked for."


def _pattern(request: Request) -> str:
    """How the addresses lie, in a sentence."""
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
    return f"{different} different addresses, in {_count(runs, 'run')} of neighbours."


def _bank_words(request: Request) -> str:
    parts = request.parts
    shared = max(len(lanes) for front in request.wavefronts for lanes in front.values())
    together = f"{len(parts)} parts of the warp, one after another. " if len(parts) > 1 else ""
    share = f" x{shared}: one word for {shared} lanes." if shared > 1 else ""
    worst = max(parts, key=len)
    if len(worst) == 1:
        return f"{together}No bank is asked for two words: no conflict.{share}"
    banks = sorted(worst[-1])
    which = f"bank {banks[0]} is" if len(banks) == 1 else f"banks {_ranges(banks)} are each"
    return f"{together}A conflict: {which} asked for {len(worst)} words.{share}"


def _ends(request: Request, layout: Layout | None) -> list[str]:
    """The names of the first and of the last element that is asked for; one, where they are the same."""
    low, high = request.starts[0], request.starts[-1] + request.bytes_each - 1
    names = [element_name(request.array, byte, layout) for byte in (low, high)]
    return names if names[0] != names[1] and layout else names[:1] if len(request.starts) == 1 else names


def _places(layout: Layout, offsets: np.ndarray) -> np.ndarray:
    """The indices of the elements that hold these bytes, one row for each dimension; -1 where there is none."""
    rest = offsets // layout.itemsize - layout.start
    index = np.zeros((len(layout.shape), len(offsets)), dtype=np.int64)
    for axis in sorted(range(len(layout.shape)), key=lambda axis: -layout.strides[axis]):
        if layout.shape[axis] > 1 and layout.strides[axis]:
            index[axis], rest = np.divmod(rest, layout.strides[axis])
    outside = (rest != 0) | (index < 0).any(0) | (index >= np.array(layout.shape)[:, None]).any(0)
    index[:, outside] = -1
    return index


def element_name(array: str, byte: int, layout: Layout | None) -> str:
    """`B[2, 0]`, or where the array's shape is not known, `byte 64`."""
    index = _places(layout, np.array([byte]))[:, 0] if layout else [-1]
    return f"byte {byte:,}" if -1 in index else f"{array}[{', '.join(map(str, index))}]"


def source_line(source: str, line: int) -> str:
    """A line of the student's source; "" where there is none."""
    lines = source.splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _ranges(numbers: Iterable[int]) -> str:
    """Sorted numbers in words: "0 to 3, 8"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) if run[-1] > run[0] + 1 else ", ".join(map(str, run)) for run in runs)


# The elements of each tensor


@dataclass(frozen=True)
class Use:
    """How often each element of an array is read and written, and the interval in which it is first asked for.

    All are matrices: a vector is one row, and the rows of more than two dimensions lie below one another.
    """

    array: str
    shape: tuple[int, ...]
    reads: np.ndarray
    writes: np.ndarray
    first: np.ndarray

    @property
    def window(self) -> tuple[slice, slice]:
        """The rows and columns that are drawn: all, or where that is too many, those around what is used."""
        used = (self.reads + self.writes) > 0
        rows, columns = used.shape
        return _around(np.flatnonzero(used.any(1)), rows), _around(np.flatnonzero(used.any(0)), columns)

    @property
    def intervals(self) -> int:
        """In how many intervals something is asked for the first time."""
        return len(np.unique(self.first[(self.reads + self.writes) > 0]))


def _around(used: np.ndarray, size: int) -> slice:
    low, high = int(used[0]), int(used[-1]) + 1
    extent = high - low
    return slice(0, size) if size <= 8 * extent else slice(max(0, low - extent - 2), min(size, high + extent + 2))


def uses(accesses: Sequence[Access], layouts: Mapping[str, Layout]) -> list[Use]:
    """What the accesses to global memory use of each array whose layout is known, in the order of the first access."""
    by_array: dict[str, list[Access]] = defaultdict(list)
    for a in accesses:
        if a.space == "global" and a.array in layouts:
            by_array[a.array].append(a)
    return [_use(array, asked, layouts[array]) for array, asked in by_array.items()]


def _use(array: str, accesses: Sequence[Access], layout: Layout) -> Use:
    columns = layout.shape[-1] if layout.shape else 1
    rows = math.prod(layout.shape[:-1])
    reads, writes = np.zeros((2, rows, columns), dtype=np.int64)
    first = np.full((rows, columns), np.iinfo(np.int64).max)
    for (op, size), same in _grouped(accesses, lambda a: (a.op, a.bytes_each)).items():
        starts = np.array([a.offset for a in same])
        offsets = (starts[:, None] + np.arange(0, size, layout.itemsize)).ravel()
        index = _places(layout, offsets)
        here = (index >= 0).all(0)
        index = index[:, here]
        column = index[-1] if layout.shape else np.zeros(int(here.sum()), dtype=np.int64)
        row = np.ravel_multi_index(index[:-1], layout.shape[:-1]) if len(layout.shape) > 1 else 0 * column
        if op != "store":
            np.add.at(reads, (row, column), 1)
        if op != "load":
            np.add.at(writes, (row, column), 1)
        interval = np.repeat([a.interval for a in same], len(offsets) // len(same))[here]
        np.minimum.at(first, (row, column), interval)
    return Use(array, layout.shape, reads, writes, first)


def _grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def tile_figure(used: Sequence[Use], title: str) -> Figure:
    """Which elements of each tensor a block reads and writes, and how often."""
    return Figure(png(draw_tile(used, title)), " ".join([f"{title}.", *map(_say_use, used)]))


def _say_use(use: Use) -> str:
    asked = (use.reads + use.writes) > 0
    nouns = ("row", "column") if len(use.shape) > 1 else ("", "element")
    places = [np.flatnonzero(asked.any(axis)).tolist() for axis in (1, 0)]
    where = (f"{noun}{'s' * (len(some) > 1)} {_ranges(some)}" for noun, some in zip(nouns, places, strict=True) if noun)
    steps = f" They are first asked for in {use.intervals} intervals." if use.intervals > 1 else ""
    return f"{_name(use)}: {'; '.join(_use_words(use))} ({', '.join(where)}).{steps}"


def _name(use: Use) -> str:
    return f"{use.array} ({' x '.join(map(str, use.shape)) or 'one number'})"


def _use_words(use: Use) -> list[str]:
    """ "1,024 elements are read, 16 times each"."""
    words = []
    for verb, counts in (("read", use.reads), ("written", use.writes)):
        if counts.any():
            times = counts[counts > 0]
            often = _times(int(times.min()), int(times.max()))
            words.append(f"{_count(len(times), 'element')} {verb}, {often}{' each' * (len(times) > 1)}")
    return words


def _times(low: int, high: int) -> str:
    if low < high:
        return f"{low:,} to {high:,} times"
    return "once" if low == 1 else f"{low:,} times"


def draw_tile(used: Sequence[Use], title: str) -> Canvas:
    """The tensors as matplotlib has them, for `tile_figure` to print."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.patches import Patch

    across = 1 if all(len(use.shape) < 2 for use in used) else min(3, len(used))
    down = -(-len(used) // across)
    tall = max(map(_aspect, used)) * (WIDTH / across - 0.7)
    canvas = Canvas(figsize=(WIDTH, 1.2 + down * (1.1 + tall)), layout=ConstrainedLayoutEngine(w_pad=0.12))
    canvas.suptitle(title, fontsize=12, fontweight="bold")
    plots = canvas.subplots(down, across, squeeze=False).ravel()
    for axes, use in zip(plots, used, strict=False):
        _draw_use(axes, use)
    for axes in plots[len(used) :]:
        axes.set_axis_off()
    keys = [Patch(edgecolor="#666666", facecolor=color, label=f"read {times}") for color, times in _shades(used)]
    if any(use.writes.any() for use in used):
        keys.append(Patch(edgecolor="#666666", label="written", **WRITTEN))
    numbers = "The number in a tile: how many barriers the block has passed when it first asks for it."
    title = numbers if any(use.intervals > 1 for use in used) else None
    key = canvas.legend(handles=keys, loc="outside lower center", ncols=5, fontsize=10, frameon=False, title=title)
    key.get_title().set_fontsize(10)
    return canvas


def _shades(used: Sequence[Use]) -> list[tuple[str, str]]:
    """Each shade that is there, and the counts of reads that have it, in words."""
    counts = np.unique(np.concatenate([use.reads[use.reads > 0] for use in used])).tolist()
    shades = _grouped(counts, _shade)
    return [(READ_MORE[shade], _times(some[0], some[-1])) for shade, some in shades.items()]


def _shade(count: int) -> int:
    return min(count.bit_length(), len(READ_MORE)) - 1


def _aspect(use: Use) -> float:
    """Height by width of the drawing: the matrix's own, but neither a line nor a tower."""
    rows, columns = use.window
    shape = (rows.stop - rows.start) / (columns.stop - columns.start)
    return min(1.25, max(shape, 0.3)) if len(use.shape) > 1 else 0.06


def _draw_use(axes: Axes, use: Use) -> None:
    rows, columns = use.window
    reads, writes, first = (matrix[rows, columns] for matrix in (use.reads, use.writes, use.first))
    tall, wide = reads.shape
    left, top = columns.start, rows.start
    axes.set(xlim=(left - 0.5, left + wide - 0.5), ylim=(top + tall - 0.5, top - 0.5), facecolor=NOTHING)
    axes.set_box_aspect(_aspect(use))
    axes.set_title(_name(use), fontsize=11, fontweight="bold")
    axes.tick_params(labelsize=10)
    axes.locator_params("x", integer=True, nbins=5)
    axes.locator_params("y", integer=True, nbins=6)
    several = len(use.shape) > 1
    axes.set_xlabel("\n".join(["column" if several else "element", *_use_words(use)]), fontsize=10)
    if several:
        axes.set_ylabel("row", fontsize=10)
    else:
        axes.set_yticks([])
    shade = np.vectorize(_shade, otypes=[int])(reads) + 1  # 0: not read
    label = np.where(reads + writes > 0, (first * 64 + shade) * 2 + (writes > 0) + 1, 0)
    for y, x, height, width, value in rectangles(label):
        (interval, shade), written = divmod((value - 1) // 2, 64), (value - 1) % 2
        color = READ_MORE[shade - 1] if shade else WRITTEN["facecolor"]
        place = (left + x - 0.5, top + y - 0.5, width, height)
        _box(axes, *place, facecolor=color, hatch=WRITTEN["hatch"] if written else "")
        if use.intervals > 1 and height > tall / 12 and width > wide / 12:
            middle = (place[0] + width / 2, place[1] + height / 2)
            _write(axes, *middle, str(interval), color="white" if shade > 3 else "black")


def rectangles(labels: np.ndarray) -> Iterator[tuple[int, int, int, int, int]]:
    """Row, column, height, width and value of rectangles that cover the elements that are not 0, each of one value."""
    open_: dict[tuple[int, int, int], int] = {}
    for row in range(len(labels) + 1):
        here: set[tuple[int, int, int]] = set()
        if row < len(labels):
            line = labels[row]
            edges = [0, *(np.flatnonzero(np.diff(line)) + 1).tolist(), len(line)]
            here = {(a, b, int(line[a])) for a, b in pairwise(edges) if line[a]}
        for key in [key for key in open_ if key not in here]:
            start = open_.pop(key)
            yield start, key[0], row - start, key[1] - key[0], key[2]
        for key in here:
            open_.setdefault(key, row)


# What stands between two barriers

READS, WRITES, BOTH, SHARED = 1, 2, 3, 4  # of one element in one interval
STATES = {
    READS: ("read", READ),
    WRITES: ("written", WRITTEN),
    BOTH: ("read and written, each by one thread", READ_AND_WRITTEN),
    SHARED: ("written by one thread, used by another", EXCHANGED),
}


@dataclass(frozen=True, eq=False)
class Interval:
    """What a block does to shared memory between two barriers; `alike` are the numbers of the intervals that do it.

    For each array, one state for each element from the first that the block ever uses to the last, and the numbers of
    threads that read and that write.
    """

    alike: tuple[int, ...]
    states: Mapping[str, tuple[int, ...]]
    threads: Mapping[str, tuple[int, int]]

    @property
    def name(self) -> str:
        first, *others = self.alike
        return f"Interval {first}" + (f" (alike: {_ranges(others)})" if others else "")


def intervals(accesses: Sequence[Access]) -> list[Interval]:
    """The intervals that are not alike, in order."""
    shared = [a for a in accesses if a.space == "shared"]
    arrays = _grouped(shared, lambda a: a.array)
    units = {array: min(min(a.bytes_each for a in own), WORD) for array, own in arrays.items()}
    ends = {array: max(a.offset + a.bytes_each for a in own) for array, own in arrays.items()}
    found: dict[tuple, list[int]] = defaultdict(list)
    for number, own in sorted(_grouped(shared, lambda a: a.interval).items()):
        of_array = _grouped(own, lambda a: a.array)
        states = tuple((array, _states(of_array.get(array, ()), units[array], ends[array])) for array in arrays)
        threads = tuple((array, _threads(of_array.get(array, ()))) for array in arrays)
        found[states, threads].append(number)
    return [Interval(tuple(alike), dict(states), dict(threads)) for (states, threads), alike in found.items()]


def _states(accesses: Sequence[Access], unit: int, end: int) -> tuple[int, ...]:
    readers: dict[int, set] = defaultdict(set)
    writers: dict[int, set] = defaultdict(set)
    for a in accesses:
        for element in range(a.offset // unit, (a.offset + a.bytes_each - 1) // unit + 1):
            if a.op != "store":
                readers[element].add(a.thread)
            if a.op != "load":
                writers[element].add(a.thread)
    return tuple(_state(readers.get(element, set()), writers.get(element, set())) for element in range(end // unit))


def _state(readers: set, writers: set) -> int:
    if writers and len(readers | writers) > 1:
        return SHARED
    return READS * bool(readers) + WRITES * bool(writers)


def _threads(accesses: Sequence[Access]) -> tuple[int, int]:
    return (
        len({a.thread for a in accesses if a.op != "store"}),
        len({a.thread for a in accesses if a.op != "load"}),
    )


def interval_figure(shown: Sequence[Interval], title: str) -> Figure:
    """For each interval the elements of the shared arrays that are read and written in it."""
    if len(shown) > 2 * MOST_PANELS:
        title += f" (the first {2 * MOST_PANELS} that differ, of {len(shown)})"
        shown = shown[: 2 * MOST_PANELS]
    said = (f"{each.name}: {'; '.join(_say_array(each, array) for array in each.states)}." for each in shown)
    return Figure(png(draw_intervals(shown, title)), " ".join([f"{title}.", *said]))


def _say_array(interval: Interval, array: str) -> str:
    """ "As: 256 elements written (256 threads write)"."""
    counts = Counter(interval.states[array])
    words = [f"{_count(counts[state], 'element')} {name}" for state, (name, _) in STATES.items() if counts[state]]
    reading, writing = interval.threads[array]
    by = f"{_count(reading, 'thread')} read, {writing} write" if reading and writing else ""
    by = by or f"{_count(reading or writing, 'thread')} {'read' if reading else 'write'}"
    return f"{array}: {', '.join(words)} ({by})" if words else f"{array}: not used"


def draw_intervals(shown: Sequence[Interval], title: str) -> Canvas:
    """The intervals as matplotlib has them, for `interval_figure` to print."""
    arrays = list(shown[0].states)
    across = min(2, len(arrays))
    wide = (WIDTH - 0.4 - 0.4 * (across - 1)) / across
    room = int(wide / 0.077)  # letters
    words = {(each, array): textwrap.wrap(_say_array(each, array), room) for each in shown for array in arrays}
    above = 0.05 + 0.18 * max(map(len, words.values()))
    lines = [arrays[i : i + across] for i in range(0, len(arrays), across)]
    heights = [above + 0.2 + min(0.9, 0.1 * max(_rows(shown[0].states[array]) for array in line)) for line in lines]
    panel = 0.4 + sum(heights)
    canvas, axes = _sheet(TITLE + panel * len(shown) + 0.45, title)
    top = TITLE
    for interval in shown:
        if top > TITLE:
            axes.plot([0.2, WIDTH - 0.2], [top, top], color="#B34700", linestyle="--", linewidth=1.6)
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 2}
            _write(axes, WIDTH / 2, top, "__syncthreads()", color="#B34700", family="monospace", bbox=plate)
        _write(axes, 0.2, top + 0.22, interval.name, ha="left", fontsize=11, fontweight="bold")
        y = top + 0.36
        for line, height in zip(lines, heights, strict=True):
            for place, array in enumerate(line):
                x = 0.2 + place * (wide + 0.4)
                for number, text in enumerate(words[interval, array]):
                    _write(axes, x, y + 0.12 + 0.18 * number, text, ha="left")
                _draw_states(axes, x, y + above, wide, height - above - 0.2, interval.states[array])
            y += height
        top += panel
    x = 0.2
    states = {state for each in shown for own in each.states.values() for state in own}
    for state in sorted(states - {0}):
        name, style = STATES[state]
        _box(axes, x, top + 0.08, 0.3, 0.2, **style)
        _write(axes, x + 0.38, top + 0.19, name, ha="left")
        x += 0.7 + 0.08 * len(name)
    return canvas


def _rows(states: Sequence[int]) -> int:
    return -(-len(states) // BANKS)


def _draw_states(axes: Axes, x: float, y: float, wide: float, tall: float, states: Sequence[int]) -> None:
    """The elements of a shared array, 32 in a row."""
    rows = _rows(states)
    grid = np.zeros(rows * BANKS, dtype=np.int64)
    grid[: len(states)] = [state + 1 for state in states]  # 0: past the end
    across, down = wide / BANKS, tall / rows
    for row, column, height, width, state in rectangles(grid.reshape(rows, BANKS)):
        style: dict[str, Any] = STATES[state - 1][1] if state > 1 else {"facecolor": NOTHING}
        place = (x + column * across, y + row * down, width * across, height * down)
        _box(axes, *place, linewidth=0, **style)
        for line in range(width + 1):
            axes.plot([place[0] + line * across] * 2, [place[1], place[1] + place[3]], color="white", linewidth=0.6)
        for line in range(height + 1):
            axes.plot([place[0], place[0] + place[2]], [place[1] + line * down] * 2, color="white", linewidth=0.6)
