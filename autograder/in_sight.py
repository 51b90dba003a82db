"""No answer in plain sight: how much of a graded kernel the notebooks show outside its own cell."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A later cell may show at most the first share of what no earlier cell has shown. One earlier cell may show at
# most the second share of the whole answer. Otherwise a learner scrolls or copies.
LATER, EARLIER = 0.40, 0.75
# An index and its guard, which every kernel has, are 28 tokens, so a run of 32 tokens shows more than these.
RUN = 32
REGION = re.compile(r"BEGIN SOLUTION[^\n]*\n(.*?)\n[^\n]*END SOLUTION", re.DOTALL)
# Lines of the wrapper that are intentionally alike in every answer: the launch with its arguments, and the checks.
WRAPPER = re.compile(r"TORCH_CHECK|<<<|data_ptr|C10_CUDA|C10_HIP|must be|guard\(")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|<<<|>>>|[-+*/&|<>=!]=|&&|\|\||\+\+|--|::|->|\S")
# Names that mean the same in every kernel; other names are the author's choice and do not count.
FIXED = frozenset(
    re.findall(
        r"\w+",
        """
        for if else while return const int int64_t unsigned float float4 double void bool auto template typename struct
        static constexpr true false threadIdx blockIdx blockDim gridDim x y z w __shared__ __syncthreads
        __shfl_down_sync __shfl_xor_sync atomicAdd fmaxf fminf expf min max reinterpret_cast static_cast
        __restrict__ __global__ __device__
        """,
    )
)


class Cell(NamedTuple):
    """A code cell of the solutions: its text, and what students get of it."""

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


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of `text` without comments and the wrapper's lines."""
    lines = [re.sub(r"//.*", "", line) for line in text.split("\n") if not WRAPPER.search(line)]
    return tuple(TOKEN.findall("\n".join(lines)))


def renamed(run: Sequence[str]) -> tuple[str, ...]:
    """`run` with the author's names replaced by the order in which they first appear."""
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token, f"${len(numbers)}") if token[0].isalpha() and token not in FIXED else token
        for token in run
    )


@functools.cache
def runs_of(text: str) -> dict[tuple[str, ...], list[int]]:
    """Each run of tokens in `text`, renamed, with the places where it begins."""
    tokens, found = tokens_of(text), dict[tuple[str, ...], list[int]]()
    for place in range(len(tokens) - RUN + 1):
        found.setdefault(renamed(tokens[place : place + RUN]), []).append(place)
    return found


def shown_lines(answer: str, source: str) -> list[bool]:
    """For each line of the answer: does `source` contain it?"""
    lines = set(lines_of(source))
    return [line in lines for line in lines_of(answer)]


def shown_tokens(answer: str, source: str) -> list[bool]:
    """For each token of the answer: is it part of a run that `source` contains, whatever its names?"""
    shown, there = [False] * len(tokens_of(answer)), runs_of(source).keys()
    for run, places in runs_of(answer).items():
        for place in places if run in there else ():
            shown[place : place + RUN] = [True] * RUN
    return shown


def in_plain_sight(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """The answers that another cell shows, each with that cell. `cells` are those of all notebooks, in order."""
    for place, asked in enumerate(cells):
        if not (answer := asked.answer):
            continue
        for shown in (shown_lines, shown_tokens):
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
