"""What a block does to shared memory between two barriers."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from course.notebook.pictures.draw import (
    BANKS,
    EXCHANGED,
    MAX_PANELS,
    NOTHING,
    READ,
    READ_AND_WRITTEN,
    TITLE,
    WIDTH,
    WORD,
    WRITTEN,
    box,
    grouped,
    plural,
    ranges,
    rectangles,
    sheet,
    write,
)
from course.notebook.plots import Figure, png

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from course.notebook.tracing import Access

READS, WRITES, BOTH, SHARED = 1, 2, 3, 4  # of one element in one interval
STATES = {
    READS: ("read", READ),
    WRITES: ("written", WRITTEN),
    BOTH: ("read and written, each by one thread", READ_AND_WRITTEN),
    SHARED: ("written by one thread, used by another", EXCHANGED),
}


@dataclass(frozen=True, eq=False)
class Interval:
    """What a block does to shared memory between two barriers.

    Attributes
    ----------
    alike : tuple of int
        The numbers of the intervals in which the block does exactly this, counted from 0.
    states : mapping of str to tuple of int
        For each shared array, the state of each element up to the last that the block ever uses: 0 (unused) or a key
        of `STATES`.
    threads : mapping of str to (int, int)
        For each shared array, how many threads read it and how many write it.
    """

    alike: tuple[int, ...]
    states: Mapping[str, tuple[int, ...]]
    threads: Mapping[str, tuple[int, int]]

    @property
    def name(self) -> str:
        first, *others = self.alike
        return f"Interval {first}" + (f" (alike: {ranges(others)})" if others else "")


def intervals(accesses: Sequence[Access]) -> list[Interval]:
    """The intervals of a block that differ, in order, from its accesses."""
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
        What to draw; a figure has the first `2 * MAX_PANELS`.
    title : str
        The figure's title.

    Returns
    -------
    Figure
        A PNG, and the same in words.
    """
    if len(shown) > 2 * MAX_PANELS:
        title += f" (the first {2 * MAX_PANELS} that differ, of {len(shown)})"
        shown = shown[: 2 * MAX_PANELS]
    said = (f"{each.name}: {'; '.join(_describe_array(each, array) for array in each.states)}." for each in shown)
    return Figure(png(draw_intervals(shown, title)), " ".join([f"{title}.", *said]))


def _describe_array(interval: Interval, array: str) -> str:
    """ "As: 256 elements written (256 threads write)"."""
    counts = Counter(interval.states[array])
    words = [f"{plural(counts[state], 'element')} {name}" for state, (name, _) in STATES.items() if counts[state]]
    reading, writing = interval.threads[array]
    by = f"{plural(reading, 'thread')} read, {writing} write" if reading and writing else ""
    by = by or f"{plural(reading or writing, 'thread')} {'read' if reading else 'write'}"
    return f"{array}: {', '.join(words)} ({by})" if words else f"{array}: not used"


def draw_intervals(shown: Sequence[Interval], title: str) -> Canvas:
    """The figure that `interval_figure` saves as a PNG."""
    arrays = list(shown[0].states)
    across = min(2, len(arrays))
    wide = (WIDTH - 0.4 - 0.4 * (across - 1)) / across
    room = int(wide / 0.077)  # letters
    words = {(each, array): textwrap.wrap(_describe_array(each, array), room) for each in shown for array in arrays}
    above = 0.05 + 0.18 * max(map(len, words.values()))
    lines = [arrays[i : i + across] for i in range(0, len(arrays), across)]
    heights = [above + 0.2 + min(0.9, 0.1 * max(_rows(shown[0].states[array]) for array in line)) for line in lines]
    panel = 0.4 + sum(heights)
    canvas, axes = sheet(TITLE + panel * len(shown) + 0.45, title)
    top = TITLE
    for interval in shown:
        if top > TITLE:
            axes.plot([0.2, WIDTH - 0.2], [top, top], color="#B34700", linestyle="--", linewidth=1.6)
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 2}
            write(axes, WIDTH / 2, top, "__syncthreads()", color="#B34700", family="monospace", bbox=plate)
        write(axes, 0.2, top + 0.22, interval.name, ha="left", fontsize=11, fontweight="bold")
        y = top + 0.36
        for line, height in zip(lines, heights, strict=True):
            for place, array in enumerate(line):
                x = 0.2 + place * (wide + 0.4)
                for number, text in enumerate(words[interval, array]):
                    write(axes, x, y + 0.12 + 0.18 * number, text, ha="left")
                _draw_states(axes, x, y + above, wide, height - above - 0.2, interval.states[array])
            y += height
        top += panel
    x = 0.2
    states = {state for each in shown for own in each.states.values() for state in own}
    for state in sorted(states - {0}):
        name, style = STATES[state]
        box(axes, x, top + 0.08, 0.3, 0.2, **style)
        write(axes, x + 0.38, top + 0.19, name, ha="left")
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
        box(axes, *place, linewidth=0, **style)
        for line in range(width + 1):
            axes.plot([place[0] + line * across] * 2, [place[1], place[1] + place[3]], color="white", linewidth=0.6)
        for line in range(height + 1):
            axes.plot([place[0], place[0] + place[2]], [place[1] + line * down] * 2, color="white", linewidth=0.6)
