"""What was found in each case, and which failed case a verdict reports first."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass, replace

from course.errors import Hazard
from course.explain.from_values import Unwritten
from course.explain.rules import Certainty
from course.explain.texts import Found, say
from course.referee.wrong_elements import WrongElements

WRONG = "wrong result"  # the kind of mistake of a case whose output differs from the reference
TOO_MUCH = "too much traffic"  # the mistake of a case that exceeds its `budget`
BY_CHANCE = 200  # elements; a smaller wrong output may fit several mistakes by chance


@dataclass(frozen=True)
class Example:
    """One wrong element: its position and both values, as text."""

    position: str
    got: str
    expected: str


@dataclass(frozen=True)
class CaseResult:
    """One case: its inputs in words, whether it passed, what was seen, and what explains it.

    Parameters
    ----------
    inputs, passed, seen : str, bool and str
        The inputs in words, whether the case passed, and what was seen.
    found : Found or None
        The mistake that it looks like.
    examples : tuple of Example
        The first wrong elements of the output.
    elements : int
        How many elements the output has; all tensors together if there is no output.
    mistake : str
        The kind of mistake if the case did not pass; "" if it was not run.
    places : WrongElements or None
        Where an output is wrong that was compared as a whole.
    telling : int
        How much the case says, by `Certainty`; 0 if it says only which values are wrong.
    fits : tuple of str
        All of the task's mistakes that would give this output.
    shape : tuple of int
        The shape of the output if it was compared.
    unwritten : Unwritten or None
        The elements that were never written, if all others are right.
    line : int
        The line of the source with the most requests if the case exceeds its budget, else 0.
    handled : str
        A build or call that failed, if a script handled it and then did not pass.
    reported : tuple of Hazard
        The hazards that `seen` describes.
    """

    inputs: str
    passed: bool
    seen: str = ""
    found: Found | None = None
    examples: tuple[Example, ...] = ()
    elements: int = 0
    mistake: str = WRONG
    places: WrongElements | None = None
    telling: int = 0
    fits: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    unwritten: Unwritten | None = None
    line: int = 0
    handled: str = ""
    reported: tuple[Hazard, ...] = ()

    @property
    def why(self) -> str:
        """The mistake that it looks like, as a sentence; "" for none."""
        return say(self.found)

    @property
    def detail(self) -> str:
        """Everything as text: what was seen, the wrong elements, the mistake."""
        positions = "; ".join(f"at {e.position} got {e.got}, expected {e.expected}" for e in self.examples)
        return " ".join(filter(None, (self.seen, positions and f"{capitalized(positions)}.", self.why)))


def capitalized(text: str) -> str:
    """`text` with a capital first letter."""
    return text[:1].upper() + text[1:]


def most_telling_first(failed: Sequence[CaseResult]) -> list[CaseResult]:
    """Failed cases in the order in which they are reported, each with the task's mistake that fits most of them.

    A mistake that the task knows is not taken as the reason if it fits only a few small outputs, or outputs of one row
    or column, because it may fit these by chance.
    """
    fitting = collections.Counter(mistake for case in failed for mistake in case.fits)
    kinds = collections.Counter(case.mistake for case in failed)
    evidence = {
        mistake: max(0 if _is_vector(case.shape) else case.elements for case in failed if mistake in case.fits)
        for mistake in fitting
    }
    ranked = []
    for case in failed:
        if case.found and case.found.id == "known_mistake":
            best = max(case.fits, key=lambda mistake: fitting[mistake])
            known = evidence[best] and (2 * fitting[best] >= kinds[WRONG] or evidence[best] >= BY_CHANCE)
            found = Found("known_mistake", {"mistake": best})
            case = replace(case, found=found, telling=Certainty.KNOWN if known else Certainty.SEEN)
        ranked.append(case)

    def rank(case: CaseResult) -> tuple[float, ...]:
        # A case says too little if it has few elements, or if several mistakes would explain it.
        telling = max(case.telling, Certainty.SEEN) if case.mistake else 0  # a case that was not run says nothing
        uneven = len({*case.shape}) == len(case.shape) > 0  # shows exchanged lengths
        return (telling, kinds[case.mistake], -len(case.fits), uneven, case.elements)

    return sorted(ranked, key=rank, reverse=True)


def _is_vector(shape: tuple[int, ...]) -> bool:
    """Whether an output of several dimensions has only one row or only one column."""
    return len(shape) > 1 and 1 in shape
