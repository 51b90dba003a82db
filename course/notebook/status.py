"""`course status`: lists the points in the saved notebooks of a folder, by question."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.notebook.mime import MIME, VERSION
from course.notebook.saved import cell_text, default_folder, fingerprint, grade_id, read_notebook, value_at
from course.notebook.tables import Table
from course.notebook.tally import MAX_POINTS, question_row, sum_of_points

CHECK_AGAIN = "run its check again"


@dataclass
class Question:
    """The results of the checks of one answer, according to the saved notebook.

    Three attributes are numbers of points: `earned` so far, `judged` (what the checks that ran are worth), and `points`
    (what all checks are worth).
    """

    answer: str
    earned: float = 0.0
    judged: float = 0.0
    points: float = 0.0
    answered: bool = True
    remarks: list[str] = field(default_factory=list)

    def row(self) -> tuple[str, str, str]:
        """The question as a row of the table, with its answer, its points and its state."""
        name, points, state = question_row(self.answer, self.earned, self.judged, self.points, self.answered)
        return name, points, "; ".join(dict.fromkeys(self.remarks)) or state


def status(folder: str | None = None) -> tuple[str, bool]:
    """List the points that the saved notebooks of a folder have earned.

    Parameters
    ----------
    folder : str, optional
        By default `lab`, or the current folder if it has no `lab`, as in a terminal of JupyterLab.

    Returns
    -------
    tuple of str and bool
        The list as text, and whether all folders and notebooks could be read.

    Raises
    ------
    CourseError
        If the folder has no notebook of the course.
    """
    where = Path(folder) if folder else default_folder()
    blocks: list[str] = []
    best: dict[str, tuple[float, float]] = {}
    readable = True
    unread: list[str] = []
    for path in _notebooks(where, lambda error: unread.append(f"{error.filename} cannot be read: {error.strerror}.")):
        try:
            notebook = read_notebook(path)
        except CourseError as error:
            readable = False
            blocks.append(f"{error} `course reset {path}` puts the released notebook in its place and keeps this file.")
            continue
        questions, hidden, lost = _questions(notebook["cells"])
        if not questions and not lost:
            continue  # not a notebook of the course
        earned, points = sum(each.earned for each in questions), sum(each.points for each in questions)
        caption = f"{path.relative_to(where)}: {sum_of_points(earned, points, hidden)}"
        block = repr(Table([("answer", "points", ""), *(each.row() for each in questions)], caption))
        if lost:
            block += f"\nNot counted because the cell has lost its grade_id: {', '.join(lost)}."
        blocks.append(block)
        for each in questions:  # an answer that is also in a copy of the notebook counts once
            best[each.answer] = max(best.get(each.answer, (0.0, 0.0)), (each.earned, each.points))
    if not blocks:
        nothing = f"There is no course notebook in {where.resolve()}"
        raise CourseError(" ".join([*unread, f"{nothing}. Name the folder, as in `course status FOLDER`."]))
    blocks += unread
    earned, points = (sum(each) for each in zip(*best.values(), strict=True)) if best else (0, 0)
    blocks.append(
        f"In all: {earned:g} of {points:g} points, in the notebooks as last saved. The grade depends only on how the "
        "autograder judges the answers."
    )
    # A file name may contain control characters, which the terminal must not get.
    return re.sub(r"[^\n -~\xa0-\U0010ffff]", "\ufffd", "\n\n".join(blocks)), readable and not unread


def _notebooks(folder: Path, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """The notebooks in a folder and its subfolders, except hidden ones. `on_error` gets the error of each folder."""
    for parent, folders, names in os.walk(folder, onerror=on_error):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(parent, name) for name in sorted(names) if not name.startswith(".")):
            if path.suffix == ".ipynb" and os.path.isfile(path):
                yield path


def _questions(cells: list[dict[str, Any]]) -> tuple[list[Question], float, list[str]]:
    """The questions of a notebook, the points of its hidden cases, and the answers of checks without grade_id."""
    texts: dict[str, list[str]] = {}
    for cell in cells:
        if name := grade_id(cell):
            texts.setdefault(name, []).append(cell_text(cell))
    questions: dict[str, Question] = {}
    hidden = 0.0
    lost: list[str] = []
    counted: set[str] = set()
    for cell in cells:
        name, points = grade_id(cell), _number(value_at(cell, "metadata", "nbgrader", "points"))
        if name is None:
            lost += _checks_with_points(cell)
        elif points and value_at(cell, "metadata", "nbgrader", "grade") is True:
            if name.endswith("-hidden") or value_at(cell, "metadata", "course", "cases") in ("hidden", "timed"):
                hidden += points
                continue
            # Notebooks of an older version of the course do not name the answer.
            answer = str(value_at(cell, "metadata", "course", "answer") or name.removesuffix("-check"))
            question = questions.setdefault(answer, Question(answer))
            if name in counted:
                question.remarks.append(f"{len(texts[name])} cells are called {name}, and the first is counted")
            else:
                _add(question, cell, points, texts.get(answer, []))
                counted.add(name)
    return list(questions.values()), hidden, lost


def _add(question: Question, cell: dict[str, Any], points: float, texts: list[str]) -> None:
    """Add the result in the saved output of a check to its question. `texts` are those of the cells with its name."""
    question.points += points
    if len(texts) != 1:
        question.remarks.append(f"{len(texts)} cells are called {question.answer}, but there must be exactly one")
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = value_at(output, "data")
        kept = value_at(data, MIME)
        mark = value_at(kept, "mark")
        if value_at(kept, "version") != VERSION or not isinstance(mark, dict):
            if "course-mark" in str(value_at(data, "text/html")):
                question.remarks.append(f"checked by another version of the course: {CHECK_AGAIN}")
            continue
        earned, judged = min(_number(mark.get("earned")), points), str(mark.get("answer") or "")
        if judged and judged not in map(fingerprint, texts):
            question.remarks.append(f"out of date, since its text was changed after the check: {CHECK_AGAIN}")
        else:
            question.earned += earned
            question.judged += points
            question.answered &= mark.get("answered") is not False
        return


def _number(value: object) -> float:
    """`value` if it is a number of points, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value <= MAX_POINTS else 0.0


def _checks_with_points(cell: dict[str, Any]) -> list[str]:
    """The answers in the calls of `check` in a cell that earn points, as text."""
    found = []
    # Python's parser raises MemoryError if brackets are nested too deeply.
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(ast.parse(cell_text(cell))) if cell.get("cell_type") == "code" else ():
            match node:
                case ast.Call(func=ast.Name("check"), args=[_, answer, *_], keywords=keywords) if any(
                    word.arg == "points" and isinstance(word.value, ast.Constant) and word.value.value
                    for word in keywords
                ):
                    found.append(ast.unparse(answer))
    return found
