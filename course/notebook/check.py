"""`check`: judge an answer in a separate process and mark it."""

import math
import os
import runpy
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from course.build import Function
from course.errors import CourseError
from course.html import paragraph
from course.notebook.answers import LITERALS, Missing, NotRead, Run, answer_of, checked_answer, run_to_judge
from course.notebook.saved import bundle, fingerprint, line_mark, marked_lines, value_at
from course.notebook.tally import note
from course.progress import interruptible, progress
from course.referee.judge import judge
from course.referee.verdict import Verdict
from course.tasks import HIDDEN, Case, load_task, prediction_texts
from course.worker.protocol import Answer

_wrong_tries: Counter[str] = Counter()  # counts the wrong tries of each prediction in this process


class Mark(float):
    """The points that an answer earns, with the reason.

    `repr(mark)` is only the number, which nbgrader reads. `print(mark)` prints the reason as text, and a notebook shows
    the reason as HTML, or as text if it cannot show HTML. `share` is the part of the points that a right answer earns,
    less than 1 only if the time is marked. `data` are for programs, and not used by the autograder: the lines to mark
    in a `%%cuda` cell, and under "mark" the record for `course status`.
    """

    points: float
    _head: str
    _text: str
    _html: str
    _data: Mapping[str, object]

    def __new__(
        cls,
        points: float,
        correct: bool,
        text: str,
        html: str,
        share: float = 1.0,
        data: Mapping[str, object] | None = None,
    ) -> "Mark":
        mark = super().__new__(cls, points * share if correct else 0.0)
        mark.points, mark._text, mark._html, mark._data = points, text, html, data or {}
        plural = "s" * (points != 1)
        mark._head = f"{mark:g} of {points:g} point{plural}. " if points else ""  # a check may earn no points
        return mark

    def __str__(self) -> str:
        return f"{self._head}{self._text}"

    def _repr_html_(self) -> str:
        return f'<div class="course-mark"><strong>{self._head}</strong>{self._html}</div>'

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """The marked lines and the record for `course status`. IPython adds the text and the HTML."""
        return bundle(**self._data) if self._data else {}

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text, for front ends without HTML. nbgrader, which runs a notebook too, gets the number."""
        printer.text(repr(self) if os.environ.get("NBGRADER_EXECUTION") else str(self))


@interruptible("check")
def check(task: str, function: object, *, points: float, cases: str = "visible") -> Mark:
    """Judge an answer in a separate process.

    Parameters
    ----------
    task : str
        The name of a task in `course/tasks/`.
    function : object
        The answer. It can be a function of a `%%cuda` module, or the script that a `%%candidate` cell bound. It can be
        a Python function or a model class that a cell defines; then the whole cell is the answer. A prediction is a
        number, a string, a tuple, a list or a dict. None means "not answered yet", and so does a dict whose values are
        all None.
    points : float
        The points that a right answer earns, 0 or more.
    cases : {"visible", "hidden", "timed"}, default "visible"
        The inputs to judge with. Only the instructor's copy of the course has the hidden cases. With `"timed"`, the
        autograder compares the time of the answer with the time of the solution, and marks the ratio.

    Returns
    -------
    Mark
        A float from 0 to `points`, with the verdict as HTML. It is 0 for cases that the instructor judges later.
        After the second wrong prediction, a hint follows the verdict.

    Raises
    ------
    CourseError
        If nothing can be judged, because the task is unknown, the points or cases are invalid, or `function` is not an
        answer. Also if the mark is less than `points` while nbgrader validates, since Validate shows only errors.
    """
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points < math.inf:
        raise CourseError(f"points must be a number, 0 or more, not {points!r}.")
    rules = load_task(task)
    if cases not in ("visible", "hidden", "timed"):
        raise CourseError(f'cases must be "visible", "hidden" or "timed", not {cases!r}.')
    hidden = HIDDEN / f"{rules.name}.py"
    if cases == "visible":
        mark = _judged(task, function, points, rules.cases)
    elif cases == "hidden" and hidden.exists():
        mark = _judged(task, function, points, runpy.run_path(str(hidden))["CASES"])
    else:
        mark = _unjudged(points, "The instructor judges these cases after you hand in.")
    if cases == "visible" and (answer := checked_answer(task)):
        note(answer, task, None if value_at(mark._data, "mark", "answered") is False else mark, points)
    if os.environ.get("NBGRADER_VALIDATING") and mark < points:
        raise CourseError(str(mark))
    return mark


def _judged(task: str, function: object, points: float, cases: Sequence[Case]) -> Mark:
    expression = checked_answer(task)
    try:
        run, remark = run_to_judge(expression)
        answer = _answer(function, expression, run)
    except NotRead as error:
        return _unjudged(points, str(error), {"mark": _record(0.0, "")})
    another = run is not None and bool(run.error or (run.answer and remark))  # the value is not that of the answer
    placeholder = function is None or (isinstance(function, dict) and all(value is None for value in function.values()))
    if placeholder and not another:
        return _unjudged(points, "Not answered yet.", {"mark": _record(0.0, answer.source, answered=False)})
    with progress(f"Judging {answer.function}") as say:
        verdict = judge(answer, task, cases=cases, progress=say)
    more = [*filter(None, (remark, _hint(verdict)))]
    text = "".join([verdict.text(), *(f"\n{each}" for each in more)])
    html = verdict.html() + "".join(map(paragraph, more))
    record = _record(points if verdict.correct else 0.0, answer.source)
    data = {**_marked(function, answer, verdict), "mark": record}
    return Mark(points, verdict.correct, text, html, data=data)


def _answer(function: object, expression: str, run: Run | None) -> Answer:
    """The text to judge for `function`, the value of `expression` in the check, which `run` has bound.

    Raises NotRead if the autograder would not read this text, and CourseError if `function` is not an answer.
    """
    module, _, name = expression.rpartition(".")
    if run and run.answer:
        try:
            return Answer.of_cell(run.text, name)
        except CourseError as error:
            raise NotRead(f"In [{run.number}], the answer cell, was not run. {error}") from None
    built = getattr(function, "source", None)  # of a cell with a magic
    if run and run.error and not (isinstance(built, str) and _same(built, run.source())):
        raise NotRead(
            f"In [{run.number}], the cell of {module or name}, failed: correct it and run it again. {run.error}"
        )
    if isinstance(function, Missing):
        raise NotRead(f"{module or name} has no value: run its answer cell first.")
    if run and (function is None or isinstance(function, LITERALS)):
        return Answer.of_cell(run.text, name)  # a number from another cell must fail here too
    return Answer("python", "") if function is None else answer_of(function)


def _same(source: str, other: str) -> bool:
    return source.rstrip("\n") == other.rstrip("\n")


def _record(earned: float, text: str, answered: bool = True) -> dict[str, Any]:
    """The mark of the answer `text`, for `course status` to read in a saved notebook; `text` is "" if it is unknown."""
    return {"earned": earned, "answer": fingerprint(text) if text else "", "answered": answered}


def _hint(verdict: Verdict) -> str:
    """The hint for a prediction, from the second wrong try on; otherwise ""."""
    if verdict.correct or verdict.problem or os.environ.get("NBGRADER_VALIDATING"):
        return ""
    text = prediction_texts().get(verdict.task, {}).get("hint")
    if not text:
        return ""
    _wrong_tries[verdict.task] += 1
    return f"Hint: {text}" if _wrong_tries[verdict.task] > 1 else ""


def _marked(function: object, answer: Answer, verdict: Verdict) -> dict[str, object]:
    """The marks that a verdict puts on lines of a `%%cuda` cell. Empty for other kinds of answer."""
    if not (isinstance(function, Function) and _same(function.source, answer.source)):
        return {}
    costly = [line_mark(case.line, case.seen, "cost") for case in verdict.failed if case.line]
    return marked_lines(function.module, function.source, costly[:1], verdict.hazards)


def _unjudged(points: float, sentence: str, data: Mapping[str, object] | None = None) -> Mark:
    return Mark(points, False, sentence, paragraph(sentence), data=data)
