"""Draws the elements of each tensor that a block reads and writes, and how often."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from course.notebook.pictures.draw import (
    MARGIN,
    READ_MORE,
    WIDTH,
    WRITTEN,
    grouped,
    plural,
    ranges,
    rectangles,
    sheet,
    write_key,
)
from course.notebook.pictures.elements import element_indices
from course.notebook.pictures.svg import BoxStyle, Figure, Sheet, text_width

if TYPE_CHECKING:
    from course.toolchains.emulator.traffic import Access, Layout

ROWS, GAP = 46, 10  # pixels to the left of a matrix, for the numbers of its rows, and free to its right


@dataclass(frozen=True)
class Use:
    """How often each element of a tensor is read and written, and when it is first used.

    The arrays have a row and a column for each element. A vector has one row. If a tensor has more than two dimensions,
    all except the last are flattened into rows. `first` counts the barriers that the block has passed."""

    array: str
    shape: tuple[int, ...]
    reads: np.ndarray
    writes: np.ndarray
    first: np.ndarray

    @property
    def window(self) -> tuple[slice, slice]:
        """The rows and columns that are drawn. If most are unused, only those around the used elements are drawn."""
        used = (self.reads + self.writes) > 0
        rows, columns = used.shape
        return _around(np.flatnonzero(used.any(1)), rows), _around(np.flatnonzero(used.any(0)), columns)

    @property
    def intervals(self) -> int:
        """The number of intervals in which at least one element is used for the first time."""
        return len(np.unique(self.first[(self.reads + self.writes) > 0]))


def _around(used: np.ndarray, size: int) -> slice:
    low, high = int(used[0]), int(used[-1]) + 1
    extent = high - low
    return slice(0, size) if size <= 8 * extent else slice(max(0, low - extent - 2), min(size, high + extent + 2))


def uses(accesses: Sequence[Access], layouts: Mapping[str, Layout]) -> list[Use]:
    """The use of each tensor in global memory with a known layout by `accesses`, in the order of their first access."""
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
    """Draw which elements of each tensor a block reads and writes, and how often. Each tensor gets one panel."""
    drawn = sheet(title)
    across = 1 if all(len(use.shape) < 2 for use in used) else min(3, len(used))
    wide = WIDTH / across
    for first in range(0, len(used), across):
        top = drawn.height
        ends = [_draw_use(drawn, use, n * wide, top, wide) for n, use in enumerate(used[first : first + across])]
        drawn.height = max(ends)
    keys: list[tuple[str, BoxStyle]] = [(f"read {times}", {"fill": color}) for color, times in _shades(used)]
    if any(use.writes.any() for use in used):
        keys.append(("written", WRITTEN))
    if any(use.intervals > 1 for use in used):
        numbers = "The number in a tile: how many barriers the block has passed when it first uses the tile."
        drawn.height += 16
        drawn.write(MARGIN, drawn.height - 8, numbers, at="start")
    write_key(drawn, keys)
    return drawn.figure(" ".join([f"{title}.", *map(_describe_use, used)]))


def _describe_use(use: Use) -> str:
    asked = (use.reads + use.writes) > 0
    nouns = ("row", "column") if len(use.shape) > 1 else ("", "element")
    places = [np.flatnonzero(asked.any(axis)).tolist() for axis in (1, 0)]
    where = (f"{noun}{'s' * (len(some) > 1)} {ranges(some)}" for noun, some in zip(nouns, places, strict=True) if noun)
    steps = f" They are first used in {use.intervals} intervals." if use.intervals > 1 else ""
    return f"{_heading(use)}: {'; '.join(_describe_counts(use))} ({', '.join(where)}).{steps}"


def _heading(use: Use) -> str:
    return f"{use.array} ({' x '.join(map(str, use.shape)) or 'one number'})"


def _describe_counts(use: Use) -> list[str]:
    """Phrases such as "1,024 elements read, 16 times each"."""
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


def _shades(used: Sequence[Use]) -> list[tuple[str, str]]:
    """Each shade in the figure, and the counts of reads that it stands for, in words."""
    counts = np.unique(np.concatenate([use.reads[use.reads > 0] for use in used])).tolist()
    shades = grouped(counts, _shade)
    return [(READ_MORE[shade], _show_times(some[0], some[-1])) for shade, some in shades.items()]


def _shade(count: int) -> int:
    return min(count.bit_length(), len(READ_MORE)) - 1


def _aspect(use: Use) -> float:
    """The drawing's height divided by its width: that of the matrix, but neither very small nor very large."""
    rows, columns = use.window
    shape = (rows.stop - rows.start) / (columns.stop - columns.start)
    return min(1.25, max(shape, 0.3)) if len(use.shape) > 1 else 0.06


def _draw_use(drawn: Sheet, use: Use, x: float, y: float, wide: float) -> float:
    """Draw a panel with the elements of a tensor and the numbers of used elements. Returns the y of its end."""
    several = len(use.shape) > 1
    left, top = x + (ROWS if several else MARGIN), y + 22
    across = x + wide - GAP - left
    tall = min(across * _aspect(use), 230)
    middle = left + across / 2
    drawn.write(middle, y + 11, _heading(use), bold=True)
    drawn.box(left, top, across, tall, fill="grey", edge=0.7)
    _draw_elements(drawn, use, left, top, across, tall)
    rows, columns = use.window
    step = across / (columns.stop - columns.start)
    numbers = ((left + (n - columns.start + 0.5) * step, str(n)) for n in _ticks(columns, across / 36))
    drawn.write_row(numbers, top + tall + 9, size=11)
    if several:
        step = tall / (rows.stop - rows.start)
        for number in _ticks(rows, min(6, tall / 13)):
            drawn.write(left - 4, top + (number - rows.start + 0.5) * step, str(number), size=11, at="end")
        drawn.write(left - 4, top - 10, "row", size=11, at="end")
    drawn.write(middle, top + tall + 23, "column" if several else "element", size=11)
    end = top + tall + 30
    for words in _describe_counts(use):
        for text in textwrap.wrap(words, int(wide / text_width("n", 11.5))):
            drawn.write(x + wide / 2, end + 8, text, size=11)
            end += 15
    return end + 4


def _draw_elements(drawn: Sheet, use: Use, left: float, top: float, across: float, tall: float) -> None:
    """Draw the elements that are read and written. If they are first used in several intervals, number these."""
    reads, writes, first = (matrix[use.window] for matrix in (use.reads, use.writes, use.first))
    down, right = tall / len(reads), across / len(reads[0])
    shade = np.vectorize(_shade, otypes=[int])(reads) + 1  # 0 if not read
    label = np.where(reads + writes > 0, (first * 64 + shade) * 2 + (writes > 0) + 1, 0)
    found = list(rectangles(label))
    for looks, alike in grouped(found, lambda each: (each[-1] - 1) % 128).items():
        shade, written = divmod(looks, 2)
        drawn.boxes(
            [(left + x * right, top + y * down, width * right, height * down) for y, x, height, width, _ in alike],
            fill=READ_MORE[shade - 1] if shade else WRITTEN["fill"], hatch=bool(written), edge=0.7,
        )  # fmt: skip
    if use.intervals < 2:
        return
    for y, x, height, width, value in found:
        number = str((value - 1) // 128)
        if height * down > 13 and width * right > text_width(number) + 4:
            middle = (left + (x + width / 2) * right, top + (y + height / 2) * down)
            drawn.write(*middle, number, on_color=True)


def _ticks(window: slice, most: float) -> range:
    """The numbers of rows or columns that are written: at most about `most`, a power of two apart."""
    step = 1
    while (window.stop - window.start) / step > max(1, min(6, most)):
        step *= 2
    return range(-(-window.start // step) * step, window.stop, step)
