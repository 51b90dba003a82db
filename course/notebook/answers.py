"""Finds the text of the answer that a cell passes to `check` or `compare` as an object."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from types import FunctionType

from course import build
from course.build import UnbuiltFunction
from course.errors import CourseError
from course.worker.protocol import Answer
from course.worker.server import inside_worker

LITERALS = (bool, int, float, str, tuple, list, dict)  # the types of a prediction


@dataclass(frozen=True)
class Candidate:
    """A whole KernelBench script that defines `ModelNew`. `%%candidate NAME` binds its name to such an object."""

    source: str


def answer_of(function: object) -> Answer:
    """The text that is judged for an object.

    Parameters
    ----------
    function : object
        One of: a function of a `%%cuda` module, built or not; the script that a `%%candidate` cell bound; a Python
        function, or a class with a `forward`, that a cell defines; a prediction, which is a literal.

    Returns
    -------
    Answer
        The text, its kind, and the name of the function that it defines.

    Raises
    ------
    CourseError
        If `function` is none of these, or the text that defines it cannot be found.
    RuntimeError
        If this process is a worker, which means that the answer calls `check` or `compare` itself.
    """
    if inside_worker():
        # To judge a Python function, the worker runs its cell again. If that cell called `check`, judging would never
        # end. This is not a CourseError, because the mistake is in the answer and the referee should report it.
        raise RuntimeError("a cell that defines an answer cannot judge it: put check or compare into a separate cell")
    match function:
        case build.Function():
            return Answer("cuda", function.source, function.name, function.built_from.cuda_cflags)
        case UnbuiltFunction():
            return Answer("cuda", function.source, function.name)
        case Candidate():
            return Answer("candidate", function.source, "ModelNew")
        case FunctionType():
            return Answer("python", _cell_of(function), function.__name__)
        case type() if isinstance(forward := getattr(function, "forward", None), FunctionType):
            return Answer("python", _cell_of(forward), function.__name__)
        case float():
            return Answer("python", f"prediction = float({str(function)!r})", "prediction")
        case value if isinstance(value, LITERALS):
            return Answer("python", f"prediction = {function!r}", "prediction")
    raise CourseError(
        f"A {type(function).__name__} is not an answer: give the function itself (`module.function`, without a call), "
        "the name of a %%candidate cell, or a number, string, tuple, list or dict."
    )


def _cell_of(function: FunctionType) -> str:
    """The whole text of the cell or file that defines a function."""
    text = "".join(linecache.getlines(function.__code__.co_filename))
    if not text or function.__name__ == "<lambda>":
        raise CourseError(f"The text of {function.__name__} cannot be found: define it with `def` in a notebook cell.")
    return text
