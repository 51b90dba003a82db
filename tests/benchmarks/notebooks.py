"""`python -m tests.benchmarks.notebooks`: minutes, words, code lines and boilerplate of each released notebook."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from autograder.classroom import ROOT, Classroom

WORDS_A_MINUTE, LINES_A_MINUTE = 200, 10
SMALL, LARGE = 10, 20  # minutes for an exercise worth 1 or 2 points, and for a larger one
# What every wrapper contains, whatever the kernel does: includes, checks, sizes, early return, launch check.
BOILERPLATE = re.compile(
    r"TORCH_CHECK|#include|constexpr int64_t cdiv|C10_CUDA_KERNEL|empty_like|torch::empty\(|numel\(\) == 0|return C;"
    r'|const int64_t (N|n|M|K|K = A)|"A and B must|constexpr int kThreads|kMaxGridY|\.size\(0\)'
)


class Counts(NamedTuple):
    """What a learner meets in one released notebook."""

    words: int
    lines: int  # of code that is given: all but the cells that judge
    minutes: int
    points: int
    cuda_lines: int
    boilerplate: float  # share of the CUDA lines


def counts(name: str) -> Counts:
    """Counts of the released notebook `name`, as `solutions/README.md` states them."""
    words, lines, cuda, points = 0, 0, [], Counter[str]()
    for cell in Classroom(ROOT).read("notebooks", name).cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        written = [line for line in cell.source.split("\n") if line.strip()]
        if nbgrader.get("grade"):
            points[cell.metadata.get("course", {}).get("answer", cell.id)] += nbgrader["points"]
        elif cell.cell_type == "markdown":
            words += len(cell.source.split())
        else:
            lines += len(written)
        if cell.cell_type == "code" and "__global__" in cell.source:
            cuda += written
    exercises = sum(LARGE if worth > 2 else SMALL for worth in points.values())
    minutes = round(words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + exercises)
    boilerplate = sum(bool(BOILERPLATE.search(line)) for line in cuda) / max(1, len(cuda))
    return Counts(words, lines, minutes, int(sum(points.values())), len(cuda), boilerplate)


def main() -> None:
    for name in Classroom(ROOT).assignments:
        found = counts(name)
        print(
            f"{name:24} {found.minutes:3} minutes {found.points:3} points {found.words:5} words {found.lines:4} lines, "
            f"{found.boilerplate:3.0%} of {found.cuda_lines} CUDA lines are boilerplate"
        )


if __name__ == "__main__":
    main()
