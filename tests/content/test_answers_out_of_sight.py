"""No answer in plain sight: how much of a graded kernel the notebooks show outside its own cell."""

from __future__ import annotations

import re

from autograder.classroom import ROOT
from autograder.in_sight import in_plain_sight, shown_lines, shown_runs
from autograder.lint import Assignment, cells_of

CELLS = [cell for path in sorted(ROOT.glob("solutions/*/*.ipynb")) for cell in cells_of(Assignment.read(path))]


def test_no_cell_shows_the_answer_of_another() -> None:
    assert sum(bool(cell.answer) for cell in CELLS) > 30
    assert not [(asked.name, cell.name) for asked, cell in in_plain_sight(CELLS)]


def test_a_copied_answer_with_other_names_is_found() -> None:
    answer = next(cell.answer for cell in CELLS if cell.name == "05-rows")
    copy = re.sub(r"\bA\b", "factors", re.sub(r"\bchunks\b", "pieces", answer))
    assert copy != answer and all(shown_runs(answer, copy)) and not all(shown_lines(answer, copy))
