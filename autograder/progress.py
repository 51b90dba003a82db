"""Shows how many items of its work a command has done, and estimates the time for the rest."""

import sys
import time

PLAIN_SECONDS = 10.0  # between two lines of progress if the output is not a terminal


class Progress:
    """Prints how many of `total` items are done.

    A terminal overwrites one line again and again. Any other output gets a new line every PLAIN_SECONDS.
    """

    def __init__(self, verb: str, total: int):
        self.verb, self.total, self.done = verb, total, 0
        self.begun = self.printed = time.monotonic()

    def __enter__(self) -> "Progress":
        self._print()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.total:
            self._print(last=True)

    def step(self) -> None:
        """Count one more item as done."""
        self.done += 1
        self._print()

    def _print(self, last: bool = False) -> None:
        now, overwrites = time.monotonic(), sys.stdout.isatty()
        due = self.done < self.total and (overwrites or now - self.printed >= PLAIN_SECONDS)
        if not (due or last):
            return
        self.printed, spent = now, now - self.begun
        line = f"{self.verb} {self.done} of {self.total}"
        if 0 < self.done < self.total and not last:
            line += f", about {_duration(spent / self.done * (self.total - self.done))} left"
        elif self.done:
            line += f" in {_duration(spent)}"
        start, end = ("\r\x1b[K", "\n" if last else "") if overwrites else ("", "\n")
        print(f"{start}  {line}", end=end, flush=True)


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{seconds:.0f} s" if seconds < 100 else f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"
