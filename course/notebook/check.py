"""`check`: judge an answer in a process of its own, and give it a mark."""

from __future__ import annotations

import builtins
import math
import os
import runpy
from collections.abc import Sequence
from html import escape

from course.errors import CourseError
from course.notebook.answers import answer_of, predicting_cell
from course.progress import progress
from course.referee.judge import judge
from course.tasks import HIDDEN, Case, load_task


class Mark(float):
    """The points that an answer earns, with the reason.

    `repr(mark)` is the bare number, which nbgrader reads; `print(mark)` gives the reason as text, and a notebook shows
    it as HTML.

    Parameters
    ----------
    points : float
        The points that the question gives.
    correct : bool
        Whether the answer is right. A wrong answer earns 0.
    text, html : str
        The reason, as plain text and as HTML.
    share : float, default 1
        The part of the points, 0 to 1, that a right answer earns: less than 1 only where its time is marked.

    Attributes
    ----------
    points : float
        The points that the question gives.
    """

    points: float
    _text: str
    _html: str

    def __new__(cls, points: float, correct: bool, text: str, html: str, share: float = 1.0) -> Mark:
        mark = super().__new__(cls, points * share if correct else 0.0)
        mark.points, mark._text, mark._html = points, text, html
        return mark

    def __str__(self) -> str:
        return f"{self._head()}{self._text}"

    def html(self) -> str:
        """The points and the verdict, as a notebook and a feedback page show them."""
        return f'<div class="course-mark"><strong>{self._head()}</strong>{self._html}</div>'

    def _repr_html_(self) -> str:
        return self.html()

    def _head(self) -> str:
        return f"{self:g} of {self.points:g} points. " if self.points else ""  # a check that earns nothing


def check(task: str, function: object, *, points: float, cases: str = "visible") -> Mark:
    """Judge an answer in a process of its own.

    Parameters
    ----------
    task : str
        The name of a task in `course/tasks/`.
    function : object
        The answer: a function of a `%%cuda` module; what a `%%candidate` cell bound; a Python function or a model class
        defined in a cell, where all of that cell is the answer; or a prediction, which is a number, a string, a tuple
        or a dict. None, or a dict whose values are all None, is not answered yet.
    points : float
        The points that a right answer earns, 0 or more.
    cases : {"visible", "hidden", "timed"}, default "visible"
        The inputs to judge with. Only the instructor's copy of the course has the hidden ones. With `"timed"`, the
        autograder marks the time of the answer against that of the solution.

    Returns
    -------
    Mark
        A float from 0 to `points`, with the verdict as its HTML. It is 0 for cases that are left to the instructor.

    Raises
    ------
    CourseError
        If nothing can be judged: an unknown task, invalid points or cases, or something that is no answer. Also, while
        nbgrader validates, if the mark is not full: Validate shows the student nothing but errors.
    """
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points < math.inf:
        raise CourseError(f"points must be a number, 0 or more, and it is {points!r}.")
    mark = _judged(task, function, points, _cases(task, cases))
    if os.environ.get("NBGRADER_VALIDATING") and mark < points:
        raise CourseError(str(mark))
    return mark


def _judged(task: str, function: object, points: float, cases: Sequence[Case] | None) -> Mark:
    if cases is None:
        return _unjudged(points, "These cases are judged by the instructor, after you hand in.")
    if function is None or (isinstance(function, dict) and all(value is None for value in function.values())):
        return _unjudged(points, "Not answered yet.")
    answer = answer_of(function)
    if answer.function == "prediction":
        answer = predicting_cell(task, _executed_cells()) or answer
    with progress(f"Judging {answer.function}") as say:
        verdict = judge(answer, task, cases=cases, progress=say)
    return Mark(points, verdict.correct, verdict.text(), verdict.html())


def _executed_cells() -> Sequence[str]:
    """The text of the cells that ran in this notebook, the running one last; none outside a notebook."""
    shell = getattr(builtins, "get_ipython", None)  # defined while IPython runs a cell
    return shell().history_manager.input_hist_raw if shell else ()


def _unjudged(points: float, sentence: str) -> Mark:
    return Mark(points, False, sentence, f"<p>{escape(sentence)}</p>")


def _cases(task: str, which: str) -> Sequence[Case] | None:
    """The cases of a task; None for those that are judged by the instructor."""
    rules = load_task(task)
    if which == "visible":
        return rules.cases
    if which == "timed":
        return None
    if which != "hidden":
        raise CourseError(f'cases is "visible", "hidden" or "timed", and it is {which!r}.')
    hidden = HIDDEN / f"{rules.name}.py"
    return runpy.run_path(str(hidden))["CASES"] if hidden.exists() else None
