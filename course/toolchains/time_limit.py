"""Limits on the time of other processes. They count processor time, so a busy machine makes no limit shorter."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path


class TimeLimit:
    """At most `seconds` for what other processes do in the contexts of `watching`.

    What counts is their processor time, but not more than the time that passed: several threads together, such as
    PyTorch's, use more. And at least a `patience`-th of the time that passed counts, for code that waits without using
    a processor, for example for a GPU or for itself. The first `unwatched` seconds count in full, so that a short call
    needs no look at the processor time. `spent` is what has counted so far, in seconds.
    """

    def __init__(self, seconds: float, patience: int = 10, unwatched: float = 1.0):
        self.seconds, self.patience, self.unwatched, self.spent = seconds, patience, unwatched, 0.0

    @contextlib.contextmanager
    def watching(self, used: Callable[[], float]) -> Iterator[Callable[[], float]]:
        """Count the time inside the `with` block, of the processes whose processor time `used` reads.

        The block gets a function that returns how many seconds may pass before it must be called again. It raises
        TimeoutError, with what was measured as text, when the limit is reached.
        """
        spent_before, start = self.spent, time.monotonic()
        unwatched = min(self.unwatched, self.seconds - self.spent)
        used_before: float | None = None
        next_look = start + unwatched

        def count() -> float:
            nonlocal used_before
            passed = time.monotonic() - start
            if passed < unwatched:
                processor = passed
            else:
                now_used = used()
                used_before = now_used - unwatched if used_before is None else used_before
                processor = now_used - used_before
            self.spent = spent_before + min(passed, max(processor, passed / self.patience))
            return processor

        def left() -> float:
            nonlocal next_look
            if time.monotonic() >= next_look:
                processor = count()
                if self.spent >= self.seconds:
                    waited = time.monotonic() - start
                    text = f"{self.seconds:g} s of processor time"
                    busy = processor > waited / self.patience
                    raise TimeoutError(text if busy else f"{waited:.0f} s, almost all of which it waited")
                next_look = time.monotonic() + self.seconds - self.spent
            return next_look - time.monotonic()

        try:
            yield left
        finally:
            with contextlib.suppress(OSError):  # the process has ended, and cannot be asked
                count()


def processor_seconds(root: int) -> float:
    """The processor time that process `root` and its descendants have used, with the children that have ended."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            fields = path.read_text().rpartition(")")[2].split()
            pid = int(path.parent.name)
            parents[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))  # see proc(5)
    family, found = {root}, {root}
    while found := {pid for pid, parent in parents.items() if parent in found} - family:
        family |= found
    return sum(ticks.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")
