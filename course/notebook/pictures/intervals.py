"""Draws the elements of shared memory that a block reads and writes between two barriers."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from course.notebook.pictures.draw import (
    BANKS,
    EXCHANGED,
    MARGIN,
    MAX_PANELS,
    READ,
    READ_AND_WRITTEN,
    WIDTH,
    WORD,
    WRITTEN,
    grouped,
    plural,
    ranges,
    rectangles,
    sheet,
    write_key,
)
from course.notebook.pictures.svg import VERMILION, BoxStyle, Figure, Sheet, text_width

if TYPE_CHECKING:
    from course.notebook.tracing import Access

READS, WRITES, BOTH, SHARED = 1, 2, 3, 4  # the states of an element in an interval
STATES: dict[int, tuple[str, BoxStyle]] = {
    READS: ("read", READ),
    WRITES: ("written", WRITTEN),
    BOTH: ("read and written, each by one thread", READ_AND_WRITTEN),
    SHARED: ("written by one thread, used by another", EXCHANGED),
}

# Pixels: the width of the column of words, the height of a line of words, and the greatest height of the elements.
WORDS, LINE, ELEMENTS = 270, 14, 72


@dataclass(frozen=True, eq=False)
class Interval:
    """How a block uses shared memory between two barriers.

    Attributes
    ----------
    alike : tuple of int
        The numbers of the intervals in which the block uses shared memory in exactly this way, counted from 0.
    states : mapping of str to tuple of int
        For each shared array, the state of each element: 0 (unused) or a key of `STATES`. The last element is the last
        one that the block uses in any interval.
    threads : mapping of str to (int, int)
        For each shared array, the number of threads that read it and the number of threads that write it.
    """

    alike: tuple[int, ...]
    states: Mapping[str, tuple[int, ...]]
    threads: Mapping[str, tuple[int, int]]

    @property
    def name(self) -> str:
        first, *others = self.alike
        return f"Interval {first}" + (f" (alike: {ranges(others)})" if others else "")


def intervals(accesses: Sequence[Access]) -> list[Interval]:
    """The different intervals of a block, in order, found from its accesses."""
    shared = [a for a in accesses if a.space == "shared"]
    arrays = grouped(shared, lambda a: a.array)
    units = {array: min(min(a.bytes_each for a in own), WORD) for array, own in arrays.items()}
    ends = {array: max(a.offset + a.bytes_each for a in own) for array, own in arrays.items()}
    found: dict[tuple, list[int]] = defaultdict(list)
    for number, own in sorted(grouped(shared, lambda a: a.interval).items()):
        of_array = grouped(own, lambda a: a.array)
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
    """Draw, for each interval, the elements of the shared arrays that are read and written in it.

    Parameters
    ----------
    shown : sequence of Interval
        The intervals to draw. A figure has only the first `2 * MAX_PANELS` intervals.
    title : str
        The figure's title.

    Returns
    -------
    Figure
        An SVG, with its content in words.
    """
    if len(shown) > 2 * MAX_PANELS:
        title += f" (the first {2 * MAX_PANELS} that differ, of {len(shown)})"
        shown = shown[: 2 * MAX_PANELS]
    said = (f"{each.name}: {'; '.join(_describe_array(each, array) for array in each.states)}." for each in shown)
    drawn = sheet(title)
    for interval in shown:
        if interval is not shown[0]:
            _draw_barrier(drawn)
        _draw_interval(drawn, interval)
    states = {state for each in shown for own in each.states.values() for state in own}
    write_key(drawn, [STATES[state] for state in sorted(states - {0})])
    return drawn.figure(" ".join([f"{title}.", *said]))


def _describe_array(interval: Interval, array: str) -> str:
    """An array in words, such as "As: 256 elements written (256 threads write)"."""
    counts = Counter(interval.states[array])
    words = [f"{plural(counts[state], 'element')} {name}" for state, (name, _) in STATES.items() if counts[state]]
    reading, writing = interval.threads[array]
    by = f"{plural(reading, 'thread')} read, {writing} write" if reading and writing else ""
    by = by or f"{plural(reading or writing, 'thread')} {'read' if reading else 'write'}"
    return f"{array}: {', '.join(words)} ({by})" if words else f"{array}: not used"


def _draw_barrier(drawn: Sheet) -> None:
    """Draw the barrier before the next interval."""
    name, y = "__syncthreads()", drawn.height + 5
    drawn.write(MARGIN, y, name, size=11, at="start", code=True)
    start = MARGIN + text_width(name, 11, code=True) + 6
    drawn.line((start, y), (WIDTH - MARGIN, y), color=VERMILION, width=1.6, dashed=True)
    drawn.height += 12


def _draw_interval(drawn: Sheet, interval: Interval) -> None:
    """Draw a panel at the end of the sheet: each array in words, and its elements beside the words."""
    name = interval.name
    for array, states in interval.states.items():
        top = drawn.height + 2
        lines = textwrap.wrap(name, 42) if name else []
        for number, text in enumerate(lines):
            drawn.write(MARGIN, top + (number + 0.5) * LINE, text, at="start", bold=True)
        words = textwrap.wrap(_describe_array(interval, array), 42)
        for number, text in enumerate(words, len(lines)):
            drawn.write(MARGIN, top + (number + 0.5) * LINE, text, at="start")
        tall = _draw_states(drawn, MARGIN + WORDS, top + 2, WIDTH - 2 * MARGIN - WORDS, states)
        drawn.height = top + max(LINE * (len(lines) + len(words)), tall + 4) + 2
        name = ""


def _draw_states(drawn: Sheet, x: float, y: float, wide: float, states: Sequence[int]) -> float:
    """Draw the elements of a shared array, 32 in a row, and return the height of the drawing."""
    rows = -(-len(states) // BANKS)
    grid = np.zeros(rows * BANKS, dtype=np.int64)
    grid[: len(states)] = [state + 1 for state in states]  # 0 is left for cells past the end
    across, down = wide / BANKS, min(ELEMENTS / rows, 12 if rows < 4 else 6)
    found = list(rectangles(grid.reshape(rows, BANKS)))
    lined = down >= 4  # smaller cells would leave no space between the lines
    for state, alike in sorted(grouped(found, lambda each: each[-1] - 1).items()):
        style: BoxStyle = STATES[state][1] if state else {"fill": "grey"}
        boxes = [(x + left * across, y + top * down, w * across, h * down) for top, left, h, w, _ in alike]
        drawn.boxes(boxes, **(style | {"edge": 0 if lined else 0.5}))
    if lined:
        whole, rest = divmod(len(states), BANKS)
        wides = [min(BANKS, len(states)), *[BANKS] * whole, *[rest] * (rest > 0)]
        talls = [rows, *[rows] * rest, *[whole] * (BANKS - rest if whole else 0)]
        drawn.lines((((x, y + n * down), (x + w * across, y + n * down)) for n, w in enumerate(wides)), width=0.6)
        drawn.lines((((x + n * across, y), (x + n * across, y + h * down)) for n, h in enumerate(talls)), width=0.6)
    return rows * down
