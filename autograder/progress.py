"""Shows how many items of its work a command has done, and estimates the time for the rest."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from course.progress import progress


@contextlib.contextmanager
def counted(verb: str, total: int) -> Iterator[Callable[[], object]]:
    """While the block runs, show how many of `total` items are done. The block calls what it gets after each item."""
    start, numbers = time.monotonic(), itertools.count(1)

    def step() -> None:
        done = next(numbers)
        rest = (time.monotonic() - start) / done * (total - done)
        say(f"{verb} {done} of {total}, about {timedelta(seconds=round(rest))} left")

    with progress(f"{verb} 0 of {total}") as say:
        yield step
