"""Compares a prediction with its right value, and explains mistakes without revealing that value."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from course.explain.texts import Found
from course.referee.values import described, is_right_value, paired_parts
from course.referee.verdict import CaseResult
from course.tasks import PREDICTIONS, Task, prediction_texts

SMALL = 50  # smaller whole numbers are a few matrices or sectors, and too often a quarter of another


def compare_prediction(task: Task, got: Any, expected: Any) -> CaseResult:
    """Compare a prediction, or each entry of a dict. If it is wrong, say which entries are, and name known mistakes.

    In text, capitals and surrounding spaces do not count.
    """
    if not isinstance(expected, dict):
        return _right() if _is_right(got, expected) else _wrong(got, "", _explained(task, got, expected))
    if not isinstance(got, dict):
        return _wrong(got, f": it must be a dict with the entries {_listed(expected)}", ())
    missing = [key for key in expected if got.get(key) is None]
    added = [key for key in got if key not in expected]
    wrong = [key for key in expected if key not in missing and not _is_right(got[key], expected[key])]
    if not (missing or added or wrong):
        return _right()
    found = [f"it has no entry for {', '.join(map(str, missing))}"] if missing else []
    found += [f"the question did not ask for {', '.join(map(described, added))[:200]}"] if added else []
    found += [f"{_listed(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong"] if wrong else []
    sentences = [f'"{key}": {each}' for key in wrong for each in _explained(task, got[key], expected[key], key)]
    return _wrong(got, f": {', and '.join(found)}", sentences)


def known_mistakes(task: Task, expected: Any, key: str = "") -> dict[Any, str]:
    """The likely wrong values and what is said about them, for the task's own constants, in the order to try them.

    `expected` is the right value, or the right entry `key` of a dict. Only the course's predictions have known
    mistakes.
    """
    wrong = _question(task).get("wrong")
    if not wrong:
        return {}
    wrong = wrong[key] if key else wrong
    if isinstance(expected, str):
        return dict(wrong)
    general = prediction_texts()["any_number"]["wrong"] if isinstance(expected, float) or expected >= SMALL else {}
    constants = vars(task.module)
    found: dict[Any, str] = {}
    for value, text in (*wrong.items(), *general.items()):
        found.setdefault(eval(value, {"right": expected, **constants}), text.format_map(constants))
    return found


def _question(task: Task) -> Mapping[str, Any]:
    """What is said about a prediction; {} for a task that is not one of the course's predictions."""
    return prediction_texts()[task.name] if task.path == str(PREDICTIONS) else {}


def _right() -> CaseResult:
    return CaseResult("", True, "Your prediction is right.")


def _wrong(got: Any, why: str, sentences: Iterable[str]) -> CaseResult:
    known = " ".join(sentences)
    found = Found("prediction", {"mistake": known}) if known else None
    return CaseResult("", False, f"Your prediction, {described(got)}, is not right{why}.", found)


def _explained(task: Task, got: Any, expected: Any, key: str = "") -> Iterator[str]:
    """What is wrong with the kind of the value, and the text of the first known mistake that gives this value."""
    words = _question(task).get("words", ())
    if isinstance(expected, str) and words and _plain(got) not in words:
        yield f"{described(got)} is not one of {_listed(words)}."
    if _is_number(expected) and not _is_number(got):
        yield f"{described(got)} is not a number."
    elif _is_number(expected) and isinstance(expected, int) and got != got // 1:
        yield f"{described(got)} is not a whole number."
    for value, text in known_mistakes(task, expected, key).items():
        if _is_right(got, value):
            yield f"{described(got)} {text}"
            return


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_right(got: Any, expected: Any) -> bool:
    return all(is_right_value(_plain(g), _plain(e)) for _, g, e in paired_parts(got, expected, ""))


def _plain(value: Any) -> Any:
    """Text without the differences that do not count: surrounding spaces and capitals."""
    return value.strip().casefold() if isinstance(value, str) else value


def _listed(names: Iterable[str]) -> str:
    *first, last = (f'"{name}"' for name in names)
    return f"{', '.join(first)} and {last}" if first else last
