"""The elements of each tensor that a block reads and writes, and how often."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from course.notebook.pictures.draw import (
    NOTHING,
    READ_MORE,
    WIDTH,
    WRITTEN,
    box,
    grouped,
    plural,
    ranges,
    rectangles,
    write,
)
from course.notebook.pictures.elements import element_indices
from course.notebook.plots import Figure, png

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from course.notebook.tracing import Access, Layout


@dataclass(frozen=True)
class Use:
    """How often each element of a tensor is read and written, and when it is used first.

    Attributes
    ----------
    array : str
        The tensor's name.
    shape : tuple of int
        The tensor's shape.
    reads, writes : ndarray of int64, shape (rows, columns)
        How often each element is read, and written. A vector is one row; all but the last dimension of a larger tensor
        are flattened into rows.
    first : ndarray of int64, shape (rows, columns)
        The number of barriers that the block has passed when it first uses the element.
    """

    array: str
    shape: tuple[int, ...]
    reads: np.ndarray
    writes: np.ndarray
    first: np.ndarray

    @property
    def window(self) -> tuple[slice, slice]:
        """The rows and columns that are drawn: all, or only those around what is used where most are unused."""
        used = (self.reads + self.writes) > 0
        rows, columns = used.shape
        return _around(np.flatnonzero(used.any(1)), rows), _around(np.flatnonzero(used.any(0)), columns)

    @property
    def intervals(self) -> int:
        """The number of intervals in which some element is used for the first time."""
        return len(np.unique(self.first[(self.reads + self.writes) > 0]))


def _around(used: np.ndarray, size: int) -> slice:
    low, high = int(used[0]), int(used[-1]) + 1
    extent = high - low
    return slice(0, size) if size <= 8 * extent else slice(max(0, low - extent - 2), min(size, high + extent + 2))


def uses(accesses: Sequence[Access], layouts: Mapping[str, Layout]) -> list[Use]:
    """What `accesses` use of each tensor in global memory whose layout is known, in the order of the first access."""
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
    for (op, size), same in grouped(accesses, lambda a: (a.op, a.bytes_each)).items():
        starts = np.array([a.offset for a in same])
        offsets = (starts[:, None] + np.arange(0, size, layout.itemsize)).ravel()
        index = element_indices(layout, offsets)
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


def tile_figure(used: Sequence[Use], title: str) -> Figure:
    """Draw which elements of each tensor a block reads and writes, and how often.

    Parameters
    ----------
    used : sequence of Use
        One panel each.
    title : str
        The figure's title.

    Returns
    -------
    Figure
        A PNG, and the same in words.
    """
    return Figure(png(draw_tile(used, title)), " ".join([f"{title}.", *map(_describe_use, used)]))


def _describe_use(use: Use) -> str:
    asked = (use.reads + use.writes) > 0
    nouns = ("row", "column") if len(use.shape) > 1 else ("", "element")
    places = [np.flatnonzero(asked.any(axis)).tolist() for axis in (1, 0)]
    where = (f"{noun}{'s' * (len(some) > 1)} {ranges(some)}" for noun, some in zip(nouns, places, strict=True) if noun)
    steps = f" They are first asked for in {use.intervals} intervals." if use.intervals > 1 else ""
    return f"{_heading(use)}: {'; '.join(_describe_counts(use))} ({', '.join(where)}).{steps}"


def _heading(use: Use) -> str:
    return f"{use.array} ({' x '.join(map(str, use.shape)) or 'one number'})"


def _describe_counts(use: Use) -> list[str]:
    """ "1,024 elements are read, 16 times each"."""
    words = []
    for verb, counts in (("read", use.reads), ("written", use.writes)):
        if counts.any():
            times = counts[counts > 0]
            often = _show_times(int(times.min()), int(times.max()))
            words.append(f"{plural(len(times), 'element')} {verb}, {often}{' each' * (len(times) > 1)}")
    return words


def _show_times(low: int, high: int) -> str:
    if low < high:
        return f"{low:,} to {high:,} times"
    return "once" if low == 1 else f"{low:,} times"


def draw_tile(used: Sequence[Use], title: str) -> Canvas:
    """The figure that `tile_figure` saves as a PNG."""
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
    shades = grouped(counts, _shade)
    return [(READ_MORE[shade], _show_times(some[0], some[-1])) for shade, some in shades.items()]


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
    axes.set_title(_heading(use), fontsize=11, fontweight="bold")
    axes.tick_params(labelsize=10)
    axes.locator_params("x", integer=True, nbins=5)
    axes.locator_params("y", integer=True, nbins=6)
    several = len(use.shape) > 1
    axes.set_xlabel("\n".join(["column" if several else "element", *_describe_counts(use)]), fontsize=10)
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
        box(axes, *place, facecolor=color, hatch=WRITTEN["hatch"] if written else "")
        if use.intervals > 1 and height > tall / 12 and width > wide / 12:
            middle = (place[0] + width / 2, place[1] + height / 2)
            write(axes, *middle, str(interval), color="white" if shade > 3 else "black")
