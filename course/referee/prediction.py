"""Compares a prediction with its right value, and explains mistakes without revealing that value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from course.explain.texts import Found
from course.referee.parts import described, is_right_value, paired_parts
from course.referee.results import CaseResult
from course.tasks import Task, known_mistakes
from course.tasks.prediction_mistakes import ALSO_RIGHT, WORDS, Mistakes


def compare_prediction(task: Task, got: Any, expected: Any) -> CaseResult:
    """Compare the whole value, or each entry of a dict.

    Parameters
    ----------
    task : Task
        The question.
    got : Any
        The prediction as the worker returned it. In text, capitals and surrounding spaces do not count.
    expected : Any
        The right value.

    Returns
    -------
    CaseResult
        Whether the prediction is right. If not, its `seen` names the wrong entries of a dict, and any known mistake.
    """
    mistakes, words = known_mistakes(task), WORDS.get(task.name, ())
    if not isinstance(expected, dict):
        if _is_right(got, expected):
            return _right()
        reason = _kind_problem(got, expected, words)
        return _wrong(got, f": {reason}" if reason else "", _known(got, mistakes))
    if not isinstance(got, dict):
        return _wrong(got, f": it must be a dict with the entries {_listed(expected)}", ())
    missing = [key for key in expected if got.get(key) is None]
    added = [key for key in got if key not in expected]
    also = ALSO_RIGHT.get(task.name, {})
    given = [key for key in expected if key not in missing]
    wrong = [k for k in given if not (_is_right(got[k], expected[k]) or (k in also and _is_right(got[k], also[k])))]
    if not (missing or added or wrong):
        return _right()
    found = [f"it has no entry for {', '.join(map(str, missing))}"] if missing else []
    found += [f"the question did not ask for {', '.join(map(described, added))[:200]}"] if added else []
    found += [f"{_listed(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong"] if wrong else []
    sentences = []
    for key in wrong:
        if reason := _kind_problem(got[key], expected[key], words):
            sentences.append(f'"{key}": {reason}.')
        sentences += [f'"{key}": {sentence}' for sentence in _known(got[key], mistakes.get(key, {}))]
    return _wrong(got, f": {', and '.join(found)}", sentences)


def _right() -> CaseResult:
    return CaseResult("", True, "Your prediction is right.")


def _wrong(got: Any, why: str, sentences: Iterable[str]) -> CaseResult:
    known = " ".join(sentences)
    found = Found("prediction", {"mistake": known}) if known else None
    return CaseResult("", False, f"Your prediction, {described(got)}, is not right{why}.", found)


def _known(got: Any, mistakes: Mistakes) -> Iterator[str]:
    """The sentence for a known mistake that gives this value, if any."""
    for value, sentence in mistakes.items():
        if _is_right(got, value):
            yield f"{described(got)} {sentence}"
            return


def _is_right(got: Any, expected: Any) -> bool:
    return all(is_right_value(_plain(g), _plain(e)) for _, g, e in paired_parts(got, expected, ""))


def _plain(value: Any) -> Any:
    """Text without the differences that do not count: surrounding spaces and capitals."""
    return value.strip().casefold() if isinstance(value, str) else value


def _kind_problem(got: Any, expected: Any, words: Iterable[str]) -> str:
    """The kind of value that the prediction must be, if it is a value of another kind; else ""."""
    if isinstance(expected, str):
        return f"{described(got)} is not one of {_listed(words)}" if words and _plain(got) not in words else ""
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        return ""
    if isinstance(got, bool) or not isinstance(got, int | float):
        return "it must be a number"
    return "it must be a whole number" if isinstance(expected, int) and got != got // 1 else ""


def _listed(names: Iterable[str]) -> str:
    *first, last = (f'"{name}"' for name in names)
    return f"{', '.join(first)} and {last}" if first else last
