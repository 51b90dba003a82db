"""No answer in plain sight: how much of a graded kernel the notebooks show outside its own cell."""

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pygments.lexers import CudaLexer

from autograder.similar import lexed

# A later cell may show at most the first share of what no earlier cell has shown. One earlier cell may show at
# most the second share of the whole answer. Otherwise a learner scrolls or copies.
LATER, EARLIER = 0.40, 0.75
# An index and its guard, which every kernel has, are 28 tokens, so a run of 32 tokens shows more than these.
RUN = 32
REGION = re.compile(r"BEGIN SOLUTION[^\n]*\n(.*?)\n[^\n]*END SOLUTION", re.DOTALL)
# Lines of the wrapper that are intentionally alike in every answer: the launch with its arguments, and the checks.
WRAPPER = re.compile(r"^.*(?:TORCH_CHECK|<<<|data_ptr|C10_CUDA|C10_HIP|must be|guard\().*\n?", re.MULTILINE)


class Cell(NamedTuple):
    """A cell of the solutions: its code, and what students get of it."""

    notebook: str
    name: str
    source: str
    released: str

    @property
    def answer(self) -> str:
        """The CUDA code that learners write. Packaging is left out, since it repeats what was judged before."""
        asked = "__global__" in self.source and not self.source.startswith("%%candidate")
        return "\n".join(REGION.findall(self.source)) if asked else ""


def lines_of(text: str) -> list[str]:
    """The lines of `text` without comments, spaces and lines of six characters or fewer."""
    lines = (re.sub(r"\s+", " ", line.split("//")[0]).strip() for line in text.split("\n"))
    return [line for line in lines if len(line) > 6]


@functools.cache
def runs_of(text: str) -> list[tuple[str, ...]]:
    """The runs of tokens in `text`, in which all names are the same, without the wrapper's lines."""
    tokens = [token.text for token in lexed(WRAPPER.sub("", text), CudaLexer(), 0)]
    return [tuple(tokens[place : place + RUN]) for place in range(len(tokens) - RUN + 1)]


def shown_lines(answer: str, source: str) -> list[bool]:
    """For each line of the answer: does `source` contain it?"""
    lines = set(lines_of(source))
    return [line in lines for line in lines_of(answer)]


def shown_runs(answer: str, source: str) -> list[bool]:
    """For each run of tokens of the answer: does `source` contain it, whatever its names?"""
    there = set(runs_of(source))
    return [run in there for run in runs_of(answer)]


def in_plain_sight(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """The answers that another cell shows, each with that cell. `cells` are those of all notebooks, in order."""
    for place, asked in enumerate(cells):
        if not (answer := asked.answer):
            continue
        for shown in (shown_lines, shown_runs):
            hits = [shown(answer, cell.released) for cell in cells]
            known = [any(cell[i] for cell in hits[: place + 1]) for i in range(len(hits[place]))]
            new = [i for i, is_known in enumerate(known) if not is_known]
            for number, (cell, found) in enumerate(zip(cells, hits, strict=True)):
                if number > place:
                    too_much = sum(found[i] for i in new) > LATER * len(new)
                else:  # an exercise may ask to adapt a worked example, which then has other names
                    too_much = number < place and shown is shown_lines and sum(found) > EARLIER * len(found)
                if too_much:
                    yield asked, cell
