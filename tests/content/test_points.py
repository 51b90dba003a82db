"""Every exercise judges what it teaches: answers that miss its point are refused, and unusual right ones are not."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from autograder.classroom import ROOT, Classroom
from autograder.judging.jobs import Asked
from tests.exercises import asked, refusal
from tests.heads import changed
from tests.tiers import tiered

NOTEBOOKS = {name[:2]: name for name in Classroom(ROOT).assignments}


@dataclass(frozen=True)
class Other:
    """Another answer to the exercise of a cell: its solution with a change. `says` is "" if the answer is right."""

    cell: str
    title: str
    change: str
    says: str = ""

    @property
    def exercise(self) -> list[Asked]:
        """This answer with each question about it."""
        exercise = asked(NOTEBOOKS[self.cell[:2]])[self.cell]
        lines = changed(exercise[0][0].source.split("\n"), self.change.strip("\n").split("\n@@\n"))
        return [(replace(answer, source="\n".join(lines)), question) for answer, question in exercise]


OTHERS = [
    Other(cell, **entry)
    for path in sorted((Path(__file__).parent / "points").glob("*.toml"))
    for cell, entries in tomllib.loads(path.read_text(encoding="utf-8")).items()
    for entry in entries
]


@pytest.mark.parametrize(
    "other",
    tiered(
        OTHERS, lambda other: [other.cell[:2] if other.says else "right"], lambda other: f"{other.cell}: {other.title}"
    ),
)
def test_an_answer_that_misses_the_point_is_refused_with_the_reason_and_an_unusual_one_is_right(other):
    said = refusal(other.exercise)
    assert re.search(other.says, said) if other.says else not said, said
