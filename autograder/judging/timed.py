"""Marks by time: the rule, as arithmetic on times that were measured.

An instructor turns it on for a question: a graded cell whose `course` metadata have `"cases": "timed"`. Without such a
cell efficiency is marked by counted traffic, the same on every machine.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from course.measure import summary
from course.notebook.plots import show_ms

FULL, NOTHING = 1.1, 2.0  # times the solution's time: up to the first all points, from the second on none
FLOOR_MARGIN = 0.8  # of the time of a copy: what reads and writes differently may be a little faster
RULE = (
    "Your answer and the instructor's solution took turns on the same GPU. Up to 1.1 times the solution's time gives "
    "all points, 2 times none, and between them they fall in a straight line. Where the times vary, that is decided "
    "for you: the first quartile of yours is held against the third quartile of the solution's."
)
FASTER_THAN_POSSIBLE = "faster than the device can move the bytes"


@dataclass(frozen=True)
class Race:
    """Milliseconds of one call, round for round, of an answer and of the solution, and the device's floor."""

    answer_ms: Sequence[float]
    solution_ms: Sequence[float]
    floor_ms: float

    @property
    def ratio(self) -> float:
        """How many times the solution's time the answer takes at least."""
        return summary(list(self.answer_ms)).iqr_ms[0] / summary(list(self.solution_ms)).iqr_ms[1]

    @property
    def impossible(self) -> bool:
        """Whether the answer is faster than its bytes can move, so that something else did its work."""
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
                "something else than the kernel did the work: no points, and your instructor will look at it."
            )
        else:
            text += f" Held against each other that is at least {self.ratio:.3g} times its time: {self.share:.0%}."
        return f"<p>{html.escape(text)}</p><p>{html.escape(RULE)}</p>"


def floor_ms(bytes_moved: int, copy_ms: float, l2: int) -> float:
    """The least milliseconds of a call that moves `bytes_moved`, by a copy of as many bytes; 0 where it is not known.

    What the L2 cache of `l2` bytes may still hold of the inputs, and keep of the outputs, need not move in a call.
    """
    moved = max(0.0, 1 - 2 * l2 / bytes_moved) if bytes_moved else 0.0
    return FLOOR_MARGIN * moved * copy_ms
