"""Shows the interrupt of a function of the course in one line, without a stack trace through the course's code."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Interrupted(KeyboardInterrupt):
    """The learner interrupted one of the course's functions. Notebooks show this error without a stack trace.

    The first stack trace through the course's code in a notebook would take IPython 8 to 15 s to render.
    """

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a stack trace."""
        return [f"KeyboardInterrupt: {self}"]


def interruptible(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for the function that learners know as `name`. An interrupt of it is shown in one line."""

    def decorator(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*arguments: P.args, **keywords: P.kwargs) -> R:
            try:
                return function(*arguments, **keywords)
            except KeyboardInterrupt:
                raise Interrupted(f"{name} was interrupted: run the cell again.") from None

        return wrapper

    return decorator
