"""What the pictures share: colours, a sheet and its shapes, and words for numbers and lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

BANKS = 32  # of shared memory, each WORD bytes wide
WORD = 4

# Okabe and Ito's colours, as in course.notebook.plots; the hatch says the same.
READ = {"facecolor": "#56B4E9"}
WRITTEN: dict[str, Any] = {"facecolor": "#F0C35E", "hatch": "///"}
READ_AND_WRITTEN: dict[str, Any] = {"facecolor": "#56B4E9", "hatch": "///"}
EXCHANGED = {"facecolor": "#F3A27C", "hatch": "xxx"}
READ_MORE = ("#BFE0F5", "#8ACAF0", "#56B4E9", "#2A8CC7", "#0072B2", "#00507D")  # 1, 2 to 3, 4 to 7, ... times
NOTHING = "#F5F5F5"

# Inches, on sheets without axes.
WIDTH = 9.0
TITLE = 0.5  # the height of a title

MAX_PANELS = 8  # in one figure


def sheet(height: float, title: str) -> tuple[Canvas, Axes]:
    """A sheet to draw on in inches, x to the right and y downwards, with its title."""
    from matplotlib.figure import Figure as Canvas  # imported late: 0.3 s that most cells do not need

    canvas = Canvas(figsize=(WIDTH, height))
    axes = canvas.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    write(axes, WIDTH / 2, 0.24, title, fontsize=12, fontweight="bold")
    return canvas, axes


def write(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    axes.text(x, y, text, **{"fontsize": 10, "ha": "center", "va": "center_baseline", **style})


def box(axes: Axes, x: float, y: float, width: float, height: float, **style: Any) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, **{"edgecolor": "#666666", "linewidth": 0.7, **style}))


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


def grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def source_line(source: str, line: int) -> str:
    """A line of the student's source; "" where there is none."""
    lines = source.splitlines()
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
