"""`tally`: shows the points of a notebook so far, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping

from course.errors import CourseError
from course.notebook.tables import Table

MAX_POINTS = 1e9  # the most points of a question; a float may not hold a larger whole number

# The points that each check earned when it last ran in this process, by the answer's expression and by task.
_earned: dict[str, dict[str, tuple[float | None, float]]] = {}


def note(answer: str, task: str, earned: float | None, points: float) -> None:
    """Remember the points of a check. `check` calls this with the answer's expression in the running cell.

    `earned` is None if there was no answer yet.
    """
    _earned.setdefault(answer, {})[task] = earned, points


def question_row(
    answer: str, earned: float, judged: float, points: float, answered: bool = True
) -> tuple[str, str, str]:
    """A question as a row of a table: answer, points, state. `judged` is the most that the checks that ran can earn."""
    if earned >= points:
        state = "✓"
    elif not answered:
        state = "not answered yet"
    else:
        state = "not checked yet" if judged < points else "not right yet"
    return answer, f"{earned:g} of {points:g}", state


def sum_of_points(earned: float, points: float, hidden: float) -> str:
    """The title of a table of questions."""
    more = f"; up to {hidden:g} more for hidden cases, which are judged after you hand in" if hidden else ""
    return f"{earned:g} of {points:g} points so far{more}"


def tally(questions: Mapping[str, float], hidden: float = 0) -> Table:
    """Show the points of this notebook so far, and what is missing.

    `tally` counts the checks that ran since the notebook's kernel was started.

    Parameters
    ----------
    questions : mapping of str to float
        The points of each answer, by its name in `check`: `{"adder.add": 2}`.
    hidden : float, optional
        The points of hidden cases, which are judged after students hand in.

    Returns
    -------
    Table
        A table with one row for each answer.

    Raises
    ------
    CourseError
        If `questions` is not a mapping of names to points.
    """
    given = {**questions, "": hidden} if isinstance(questions, Mapping) else {"": None}
    if not all(
        isinstance(name, str) and isinstance(points, int | float) and 0 <= points <= MAX_POINTS
        for name, points in given.items()
    ):
        raise CourseError('tally takes the points of each answer by its name, as in tally({"adder.add": 2}).')
    rows: list[tuple[str, ...]] = [("answer", "points", "")]
    total = 0.0
    for answer, points in questions.items():
        checks = _earned.get(answer, {}).values()
        earned = min(points, sum(each or 0 for each, _ in checks))
        judged = sum(of for _, of in checks)
        total += earned
        rows.append(question_row(answer, earned, judged, points, None not in (each for each, _ in checks)))
    caption = sum_of_points(total, sum(questions.values()), hidden)
    others = [
        each for each, checks in _earned.items() if each not in questions and any(of for _, of in checks.values())
    ]
    if others:
        caption += (
            f". Not counted because no answer of this notebook has that name: {', '.join(others)}. Was a cell renamed?"
        )
    return Table(rows, caption)
