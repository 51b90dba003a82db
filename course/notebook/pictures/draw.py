"""Shared code of the pictures: colours, a sheet with its title and key, and words for numbers and lines."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from course.notebook.pictures.svg import BLUE, ORANGE, WIDTH, YELLOW, BoxStyle, Sheet, text_width

BANKS = 32  # banks of shared memory, each WORD bytes wide
WORD = 4

# The styles of boxes. A hatch means that elements are written.
READ: BoxStyle = {"fill": BLUE}
WRITTEN: BoxStyle = {"fill": YELLOW, "hatch": True}
READ_AND_WRITTEN: BoxStyle = {"fill": BLUE, "hatch": True}
EXCHANGED: BoxStyle = {"fill": ORANGE, "hatch": True}
READ_MORE = ("#DDF0FB", "#B5DDF5", "#8ACAF0", "#56B4E9", "#2E9BD6", "#1583BF")  # read once, 2 to 3, 4 to 7, ... times

MARGIN = 12  # the margin of a sheet, in pixels
MAX_PANELS = 8  # panels in one figure


def sheet(title: str) -> Sheet:
    """A sheet with its title. The sheet ends below the title, and becomes higher when something is drawn."""
    empty = Sheet(6)
    for text in textwrap.wrap(title, 90):
        empty.height += 18
        empty.write(WIDTH / 2, empty.height - 9, text, size=13, bold=True)
    return empty


def write_key(sheet: Sheet, entries: Iterable[tuple[str, BoxStyle]]) -> None:
    """Write the key below the drawing: a small box for each style, and its meaning in words."""
    x, sheet.height = MARGIN, sheet.height + 24
    for words, style in entries:
        wide = 40 + round(text_width(words))
        if x > MARGIN and x + wide > WIDTH:
            x, sheet.height = MARGIN, sheet.height + 20
        sheet.box(x, sheet.height - 19, 22, 13, **(style | {"edge": 0.7}))
        sheet.write(x + 28, sheet.height - 12, words, at="start")
        x += wide


def rectangles(labels: np.ndarray) -> Iterator[tuple[int, int, int, int, int]]:
    """Cover the elements that are not 0 with rectangles of one value each: row, column, height, width and value."""
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


def grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


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
