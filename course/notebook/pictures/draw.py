"""Shared code of the pictures of requests: colours, and words for numbers, lines and elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from course.explain.counts import Layout
from course.notebook.pictures.svg import BLUE, YELLOW

BANKS = 32  # banks of shared memory, each WORD bytes wide
WORD = 4

READ, WRITTEN = BLUE, YELLOW  # the colours of what is requested


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
