"""Computes the mark of a question that is marked by time.

A question is marked by time if it has a graded cell whose `course` metadata have `"cases": "timed"`. Other questions
about efficiency are marked by counted traffic, which is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from course.html import paragraph
from course.measure import show_ms, summary

# Multiples of the solution's time. Up to the first multiple an answer gets all points, and from the second no points.
FULL, NOTHING = 1.1, 2.0
FLOOR_MARGIN = 0.8  # the share of a copy's time that is possible: other patterns of access may be a little faster
RULE = (
    "Your answer and the instructor's solution took turns on the same GPU. If your answer takes at most 1.1 times the "
    "solution's time, you get all points. If it takes 2 times the solution's time or more, you get no points. Between "
    "these limits, the points fall linearly. Variation of the times counts in your favour: the first quartile of your "
    "times is compared with the third quartile of the solution's times."
)
FASTER_THAN_POSSIBLE = "faster than the device can move the bytes"


@dataclass(frozen=True)
class Race:
    """The times of an answer and of the solution in each round, and the least possible time, in milliseconds."""

    answer_ms: Sequence[float]
    solution_ms: Sequence[float]
    floor_ms: float

    @property
    def ratio(self) -> float:
        """The answer's time as a multiple of the solution's time. Variation makes it smaller."""
        return summary(list(self.answer_ms)).iqr_ms[0] / summary(list(self.solution_ms)).iqr_ms[1]

    @property
    def impossible(self) -> bool:
        """Whether the answer is faster than its bytes can move. Then something other than its kernel did the work."""
        return summary(list(self.answer_ms)).median_ms < self.floor_ms

    @property
    def share(self) -> float:
        """The part of the points that the answer earns, 0 to 1, to one hundredth."""
        if self.impossible:
            return 0.0
        return round(min(1.0, max(0.0, (NOTHING - self.ratio) / (NOTHING - FULL))), 2)

    def reason(self) -> str:
        """The learner's text, as HTML: the times, the share of the points that they earn, and the rule."""
        answer, solution = (summary(list(times)).median_ms for times in (self.answer_ms, self.solution_ms))
        text = f"Your answer takes {show_ms(answer)}, the solution {show_ms(solution)} (medians)."
        if self.impossible:
            text += (
                f" This GPU needs at least {show_ms(self.floor_ms)} to move the bytes of this question, so something "
                "other than the kernel did the work. You get no points, and your instructor will look at the answer."
            )
        else:
            text += (
                f" By the rule below, your time counts as {self.ratio:.3g} times the solution's time and earns "
                f"{self.share:.0%} of the points."
            )
        return paragraph(text) + paragraph(RULE)


def floor_ms(bytes_moved: int, copy_ms: float, l2: int) -> float:
    """The least possible milliseconds of a call that moves `bytes_moved` bytes; 0 if the number of bytes is unknown.

    `copy_ms` is the time of a copy that moves the same number of bytes. Inputs that an L2 cache of `l2` bytes may still
    hold, and outputs that it may keep, need not move in a call.
    """
    moved = max(0.0, 1 - 2 * l2 / bytes_moved) if bytes_moved else 0.0
    return FLOOR_MARGIN * moved * copy_ms
