"""Marks by time: the rule, computed from measured times.

An instructor turns it on for a question with a graded cell whose `course` metadata have `"cases": "timed"`. Without
such a cell, efficiency is marked by counted traffic, which is the same on every machine.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from course.measure import summary
from course.notebook.plots import show_ms

FULL, NOTHING = 1.1, 2.0  # multiples of the solution's time: all points up to the first, none from the second on
FLOOR_MARGIN = 0.8  # of a copy's time: other patterns of reads and writes may be a little faster
RULE = (
    "Your answer and the instructor's solution took turns on the same GPU. Up to 1.1 times the solution's time you get "
    "all points, from 2 times on none, and in between the points fall linearly. Variation of the times counts in your "
    "favour: the first quartile of your times is compared with the third quartile of the solution's."
)
FASTER_THAN_POSSIBLE = "faster than the device can move the bytes"


@dataclass(frozen=True)
class Race:
    """Milliseconds per call in each round, of an answer and of the solution, and the device's least time."""

    answer_ms: Sequence[float]
    solution_ms: Sequence[float]
    floor_ms: float

    @property
    def ratio(self) -> float:
        """The answer's time as a multiple of the solution's time, at least."""
        return summary(list(self.answer_ms)).iqr_ms[0] / summary(list(self.solution_ms)).iqr_ms[1]

    @property
    def impossible(self) -> bool:
        """Whether the answer is faster than its bytes can move, so that something else did the work."""
        return summary(list(self.answer_ms)).median_ms < self.floor_ms

    @property
    def share(self) -> float:
        """The part of the points that the answer earns, 0 to 1, to one hundredth."""
        if self.impossible:
            return 0.0
        return round(min(1.0, max(0.0, (NOTHING - self.ratio) / (NOTHING - FULL))), 2)

    def reason(self) -> str:
        """What the learner reads, as HTML: the times, what they are worth, the rule."""
        answer, solution = (summary(list(times)).median_ms for times in (self.answer_ms, self.solution_ms))
        text = f"Your answer takes {show_ms(answer)}, the solution {show_ms(solution)} (medians)."
        if self.impossible:
            text += (
                f" Moving the bytes that the question needs takes this GPU at least {show_ms(self.floor_ms)}, so "
                "something other than the kernel did the work: no points, and your instructor will look at it."
            )
        else:
            text += (
                f" By the rule below, that counts as {self.ratio:.3g} times the solution's time and earns "
                f"{self.share:.0%} of the points."
            )
        return f"<p>{html.escape(text)}</p><p>{html.escape(RULE)}</p>"


def floor_ms(bytes_moved: int, copy_ms: float, l2: int) -> float:
    """The least milliseconds of a call that moves `bytes_moved`, from a copy of as many bytes; 0 where it is unknown.

    Inputs that an L2 cache of `l2` bytes may still hold, and outputs that it may keep, need not move in a call.
    """
    moved = max(0.0, 1 - 2 * l2 / bytes_moved) if bytes_moved else 0.0
    return FLOOR_MARGIN * moved * copy_ms
