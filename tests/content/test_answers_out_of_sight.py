"""No answer in plain sight: how much of a graded kernel the released notebooks show outside its own cell."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from autograder.classroom import ROOT, Classroom

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
    """One code cell of a released notebook."""

    notebook: str
    grade_id: str | None
    source: str


def code_cells(folder: str) -> Iterator[Cell]:
    classroom = Classroom(ROOT)
    for name in classroom.assignments:
        for cell in classroom.read(folder, name).cells:
            if cell.cell_type == "code":
                yield Cell(name, cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)


def lines_of(text: str) -> list[str]:
    """The lines of `text` without comments, spaces and lines of six characters or fewer."""
    lines = (re.sub(r"\s+", " ", line.split("//")[0]).strip() for line in text.split("\n"))
    return [line for line in lines if len(line) > 6]


def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens of `text` without comments and the wrapper's lines."""
    lines = [re.sub(r"//.*", "", line) for line in text.split("\n") if not WRAPPER.search(line)]
    return tuple(TOKEN.findall("\n".join(lines)))


def renamed(run: tuple[str, ...]) -> tuple[str, ...]:
    """`run` with the author's names replaced by the order in which they first appear."""
    numbers: dict[str, str] = {}
    return tuple(
        numbers.setdefault(token, f"${len(numbers)}") if token[0].isalpha() and token not in FIXED else token
        for token in run
    )


@functools.cache
def runs_of(source: str) -> frozenset[tuple[str, ...]]:
    tokens = tokens_of(source)
    return frozenset(renamed(tokens[i : i + RUN]) for i in range(len(tokens) - RUN + 1))


def shown_lines(answer: str, source: str) -> list[bool]:
    """For each line of the answer: does `source` contain it?"""
    lines = set(lines_of(source))
    return [line in lines for line in lines_of(answer)]


def shown_tokens(answer: str, source: str) -> list[bool]:
    """For each token of the answer: is it part of a run that `source` contains, whatever its names?"""
    tokens, runs = tokens_of(answer), runs_of(source)
    shown = [False] * len(tokens)
    for i in range(len(tokens) - RUN + 1):
        if renamed(tokens[i : i + RUN]) in runs:
            shown[i : i + RUN] = [True] * RUN
    return shown


RELEASED = list(code_cells("notebooks"))
PLACES = {cell.grade_id: place for place, cell in enumerate(RELEASED) if cell.grade_id}


def answers() -> dict[str, str]:
    """The CUDA code that learners write; packaging is left out, since it repeats what was judged before."""
    found = {}
    for cell in code_cells("solutions"):
        regions = REGION.findall(cell.source)
        if regions and "__global__" in cell.source and cell.grade_id in PLACES and "candidate" not in cell.grade_id:
            found[cell.grade_id] = "\n".join(regions)
    return found


ANSWERS = answers()


@pytest.mark.parametrize("shown", [shown_lines, shown_tokens])
@pytest.mark.parametrize("grade_id", ANSWERS)
def test_no_cell_shows_the_answer_of_another(grade_id: str, shown) -> None:
    answer, place = ANSWERS[grade_id], PLACES[grade_id]
    before = [shown(answer, cell.source) for cell in RELEASED[:place]]
    own = shown(answer, RELEASED[place].source)
    new = [i for i in range(len(own)) if not own[i] and not any(cell[i] for cell in before)]
    if shown is shown_lines:  # an exercise may ask to adapt a worked example, which then has other names
        for cell, hits in zip(RELEASED[:place], before, strict=True):
            assert sum(hits) <= EARLIER * len(hits), f"an earlier cell of {cell.notebook} shows it:\n{cell.source}"
    for cell in RELEASED[place + 1 :]:
        hits = shown(answer, cell.source)
        assert sum(hits[i] for i in new) <= LATER * len(new), (
            f"a later cell of {cell.notebook} shows it:\n{cell.source}"
        )


def test_a_copied_answer_with_other_names_is_found() -> None:
    answer = ANSWERS["05-rows"]
    copy = re.sub(r"\bA\b", "factors", re.sub(r"\bchunks\b", "pieces", answer))
    assert copy != answer and all(shown_tokens(answer, copy)) and not all(shown_lines(answer, copy))
