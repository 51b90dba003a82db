"""The limits of one answer, over all workers that run it."""

from __future__ import annotations

from dataclasses import dataclass

from course.toolchains.time_limit import TimeLimit


@dataclass
class Budget:
    """What one answer may still use for its cases, traces and modules together.

    Parameters
    ----------
    calls : float
        Seconds of its calls, without the builds for them, as `TimeLimit` counts them.
    builds : float
        Seconds of its builds, counted in the same way.
    modules : int
        Bytes of the modules that are built.
    one_build : float
        Seconds of the builds for one request, which is not used up.
    patience, unwatched : int, float
        How time is counted: those of `TimeLimit`.
    """

    calls: float = 120.0
    builds: float = 300.0
    modules: int = 96 << 20
    one_build: float = 120.0
    patience: int = 10
    unwatched: float = 1.0

    def time_limit(self, seconds: float) -> TimeLimit:
        """A limit of at most `seconds`."""
        return TimeLimit(seconds, self.patience, self.unwatched)

    def build_limit(self) -> TimeLimit:
        """A limit for the builds of one request."""
        return self.time_limit(min(self.one_build, self.builds))
