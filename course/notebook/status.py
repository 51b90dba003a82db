"""`course status`: lists the points in the saved notebooks of a folder, by question."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.notebook.saved import (
    MIME,
    VERSION,
    answer_names,
    cell_text,
    default_folder,
    fingerprint,
    grade_id,
    put_back,
    read_notebook,
    value_at,
)
from course.notebook.tally import Question, table_of

MOST_POINTS = 1e9  # of a question; what a file claims beyond is no number of points


def status(folder: str | None = None) -> tuple[str, bool]:
    """List the points that the saved notebooks of a folder have earned.

    Parameters
    ----------
    folder : str, optional
        By default `lab`, or the current folder if it has no `lab`, as in a terminal of JupyterLab.

    Returns
    -------
    tuple of str and bool
        The list as text, and whether all notebooks could be read.

    Raises
    ------
    CourseError
        If the folder has no notebook of the course.
    """
    where = Path(folder) if folder else default_folder()
    blocks: list[str] = []
    best: dict[str, tuple[float, float]] = {}
    readable = True
    for path in _notebooks(where):
        try:
            questions, hidden, by_hand = _questions(read_notebook(path)["cells"])
        except CourseError as error:
            readable = False
            blocks.append(put_back(error, path))
            continue
        if questions:  # a notebook of the course
            blocks.append(repr(table_of([*questions.values()], hidden, by_hand, f"{path.relative_to(where)}: ")))
        for answer, each in questions.items():  # an answer that is also in a copy of the notebook counts once
            best[answer] = max(best.get(answer, (0.0, 0.0)), (each.earned, each.points))
    if not blocks:
        raise CourseError(
            f"There is no course notebook in {where.resolve()}. Name the folder, as in `course status FOLDER`."
        )
    earned, points = (sum(each) for each in zip(*best.values(), strict=True)) if best else (0, 0)
    blocks.append(
        f"In all: {earned:g} of {points:g} points, in the notebooks as last saved. The grade depends only on how the "
        "autograder judges the answers."
    )
    # A file name may contain control characters, which the terminal must not get.
    return re.sub(r"[^\n -~\xa0-\U0010ffff]", "\ufffd", "\n\n".join(blocks)), readable


def _notebooks(folder: Path) -> Iterator[Path]:
    """The notebooks in a folder and its subfolders, except hidden ones."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(parent, name) for name in sorted(names) if not name.startswith(".")):
            if path.suffix == ".ipynb" and os.path.isfile(path):
                yield path


def _questions(cells: list[dict[str, Any]]) -> tuple[dict[str, Question], float, float]:
    """The questions of a notebook by the grade_id of their answer, and the points by hidden cases and by hand."""
    names = answer_names(cells)
    texts: dict[str, list[str]] = {}
    checks: dict[str, dict[str, Any]] = {}
    for cell in cells:
        if name := grade_id(cell):
            texts.setdefault(name, []).append(cell_text(cell))
            if value_at(cell, "metadata", "nbgrader", "grade") is True:
                checks.setdefault(name, cell)  # of a pasted check, only the first counts
    questions: dict[str, Question] = {}
    hidden = by_hand = 0.0
    for name, cell in checks.items():
        points = _number(value_at(cell, "metadata", "nbgrader", "points"))
        if name.endswith("-hidden") or value_at(cell, "metadata", "course", "cases") in ("hidden", "timed"):
            hidden += points
        elif value_at(cell, "metadata", "nbgrader", "solution") is True:
            by_hand += points
        elif points:
            # Notebooks of an older version of the course do not name the answer.
            answer = str(value_at(cell, "metadata", "course", "answer") or name.removesuffix("-check"))
            _add(questions.setdefault(answer, Question(names.get(answer, answer))), cell, points, texts.get(answer, []))
    return questions, hidden, by_hand


def _add(question: Question, cell: dict[str, Any], points: float, texts: list[str]) -> None:
    """Add the result in the saved output of a check to its question. `texts` are those of the cells with its name."""
    question.points += points
    if len(texts) != 1:
        question.remark = f"{len(texts)} cells are called {question.answer}, but there must be exactly one"
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        kept = value_at(output, "data", MIME)
        mark = value_at(kept, "mark")
        if value_at(kept, "version") != VERSION or not isinstance(mark, dict):
            continue
        judged = str(mark.get("answer") or "")
        if judged and judged not in map(fingerprint, texts):
            question.remark = "out of date, since its text was changed after the check: run its check again"
        else:
            question.earned += min(_number(mark.get("earned")), points)
            question.judged += points
            question.answered &= mark.get("answered") is not False
        return


def _number(value: object) -> float:
    """`value` if it is a number of points, else 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value <= MOST_POINTS else 0.0
