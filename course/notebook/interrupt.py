"""Interrupts of the course's functions: shown in one line, in place of a stack trace through the course."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Interrupted(KeyboardInterrupt):
    """The learner interrupted one of the course's functions: notebooks show it without a stack trace.

    IPython takes 8 to 15 s to render the course's frames for the first time in a kernel.
    """

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a stack trace."""
        return [f"KeyboardInterrupt: {self}"]


def interruptible(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for the function that learners call `name`: its interrupt is shown in one line."""

    def decorator(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*arguments: P.args, **keywords: P.kwargs) -> R:
            try:
                return function(*arguments, **keywords)
            except KeyboardInterrupt:
                raise Interrupted(f"{name} was interrupted: run the cell again.") from None

        return wrapper

    return decorator
