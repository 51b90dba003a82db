"""`tally`: shows the points of a notebook so far, and what is missing, in the table that `course status` shows too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course.notebook.tables import Table

# The points that each check earned when it last ran in this process, by the answer's expression and by task.
_earned: dict[str, dict[str, tuple[float | None, float]]] = {}


@dataclass
class Question:
    """The results of the checks of one answer.

    Three attributes are numbers of points: `earned` so far, `judged` (what the checks that ran are worth), and `points`
    (what all checks are worth). `remark` replaces the state that follows from them.
    """

    answer: str
    points: float = 0.0
    earned: float = 0.0
    judged: float = 0.0
    answered: bool = True
    remark: str = ""

    def row(self) -> tuple[str, str, str]:
        """The question as a row of the table, with its answer, its points and its state."""
        if self.earned >= self.points:
            state = "✓"
        elif not self.answered:
            state = "not answered yet"
        else:
            state = "not checked yet" if self.judged < self.points else "not right yet"
        return self.answer, f"{self.earned:g} of {self.points:g}", self.remark or state


def table_of(questions: Sequence[Question], hidden: float, by_hand: float, notebook: str = "") -> Table:
    """The table of a notebook's questions, and the sum of their points in its caption."""
    earned, points = sum(each.earned for each in questions), sum(each.points for each in questions)
    adds = [f"hidden cases add up to {hidden:g} more"] * bool(hidden)
    adds += [f"an instructor gives up to {by_hand:g} more"] * bool(by_hand)
    more = f"; {' and '.join(adds)}, but only in a class" if adds else ""
    caption = f"{notebook}{earned:g} of {points:g} points so far{more}"
    return Table([("answer", "points", "state"), *(each.row() for each in questions)], caption)


def note(answer: str, task: str, earned: float | None, points: float) -> None:
    """Remember the points of a check. `check` calls this with the answer's expression in the running cell.

    `earned` is None if there was no answer yet.
    """
    _earned.setdefault(answer, {})[task] = earned, points


def tally(questions: Mapping[str, float], hidden: float = 0, by_hand: float = 0) -> Table:
    """Show the points of this notebook so far, and what is missing.

    `tally` counts the checks that ran since the notebook's kernel was started.

    Parameters
    ----------
    questions : mapping of str to float
        The points of each answer, by its name in `check`: `{"adder.add": 2}`.
    hidden : float, optional
        The points of hidden cases, which only a class has: they are judged after students hand in.
    by_hand : float, optional
        The points of answers that an instructor reads and marks.

    Returns
    -------
    Table
        A table with one row for each answer.
    """
    rows = []
    for answer, points in questions.items():
        checks = _earned.get(answer, {}).values()
        earned = min(points, sum(each or 0 for each, _ in checks))
        answered = None not in (each for each, _ in checks)
        rows.append(Question(answer, points, earned, sum(of for _, of in checks), answered))
    return table_of(rows, hidden, by_hand)
