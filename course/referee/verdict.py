"""What the referee found, as data, in words for a learner, and as HTML."""

import collections
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from course.errors import Hazard
from course.explain.counts import Lines, Traffic, busiest_line, in_global
from course.explain.from_values import Unwritten
from course.explain.limits import CARDS, Demand
from course.explain.rules import PATTERN, Certainty
from course.explain.texts import Found, say
from course.html import render
from course.referee.wrong_elements import WrongElements

WRONG = "wrong result"  # the kind of mistake of a case whose output differs from the reference
TOO_MUCH = "over a limit of the question"  # the mistake of a case that exceeds its `budget`
# Hazards of a single access, whose line only the tracer knows, and such an access in words.
OF_AN_ACCESS = {"out-of-bounds": "access out of bounds", "misaligned": "misaligned access"}
BY_CHANCE = 200  # elements; a smaller wrong output may fit several mistakes by chance
TRAFFIC = [each.name for each in fields(Traffic) if each.name != "lanes"]  # in the JSON
UNCOALESCED = 2  # times the least sectors
SHOWN = 3  # failed cases and hazards that are shown in full; the table has them all


@dataclass(frozen=True)
class Example:
    """One wrong element: its position and both values, as text."""

    position: str
    got: str
    expected: str


@dataclass(frozen=True)
class CaseResult:
    """One case: its inputs in words, whether it passed, what was seen, and what explains it.

    `found` is the mistake that it looks like, `mistake` the kind of mistake ("" if the case was not run), and `telling`
    how much the case says, by `Certainty`. `examples` are the first wrong elements of an output of `elements` elements,
    `places` says where it is wrong, and `fits` are all of the task's mistakes that would give it. `unwritten` has the
    elements that were never written, if all others are right. `line` has the most requests if the case exceeds its
    budget. `handled` is a build or call that failed, if a script handled it and then did not pass. `reported` are the
    hazards that `seen` describes.
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


def sentence(text: str) -> str:
    """`text` with a capital first letter and a full stop, if it has no other end."""
    return capitalized(text) if text[-1:] in ".?!" else f"{capitalized(text)}."


@dataclass(frozen=True)
class Told:
    """A verdict in the order of the page: what is wrong, what is shown below it, and what can be unfolded."""

    diagnosis: str = ""
    shown: Sequence[str] = ()
    folded: str = ""


@dataclass(frozen=True)
class Timing:
    """The milliseconds of one call at `sizes` in each round, for the candidate and for the baseline.

    `beside` names the baseline. `bytes_moved` is the least number of bytes that a call must move; 0 if the task does
    not state it.
    """

    sizes: str
    candidate: Sequence[float]
    baseline: Sequence[float]
    beside: str = "the reference"
    bytes_moved: int = 0


@dataclass
class Verdict:
    """What the referee found about one answer.

    `cases` has one result for each case, in the order of the task, and one for the size at which the answer was timed.
    `hazards` are what the kernels did wrong, even if the values are right. `traffic` is what the kernels requested from
    memory in the case that `counted` names, by the lines of the text `lines`; `demand` is what they ask of a card.
    `remarks` say what a right answer could do better in that case, and cost no points. `problem` says why the answer
    could not be built or run, and `untraced` why it could not be traced. `printed` is what the answer wrote to stdout
    and stderr. `handled` is a build or call that failed, which the script of an answer that is not right has handled.
    """

    task: str
    toolchain: str
    device: str
    compiled: bool = True
    cases: list[CaseResult] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    traffic: tuple[Traffic, ...] = ()
    demand: Demand | None = None
    counted: str = ""
    remarks: list[str] = field(default_factory=list)
    timing: Timing | None = None
    problem: str = ""
    untraced: str = ""
    lines: Lines = field(default_factory=Lines)
    printed: str = ""
    handled: str = ""

    @property
    def correct(self) -> bool:
        """Whether the answer was built, every case passed, and there is no hazard."""
        return self.compiled and bool(self.cases) and not self.failed and not self.hazards

    @property
    def failed(self) -> list[CaseResult]:
        """The cases that did not pass, the most telling first."""
        return most_telling_first([case for case in self.cases if not case.passed])

    @property
    def located(self) -> Hazard | None:
        """The hazard with a line that explains the first failed case; None if there is none or the case reports it."""
        if not self.failed:
            return None
        first = self.failed[0]
        # Without the tracer, a wrong access has no line. Any other hazard that ended the call is already in the case's
        # own result.
        reported = {first.mistake} - OF_AN_ACCESS.keys()
        return next((h for h in self.hazards if h.where and h.kind not in reported and h not in first.reported), None)

    @property
    def candidate_ms(self) -> float | None:
        """The median of the milliseconds of one call of the answer; None if it was not timed."""
        return statistics.median(self.timing.candidate) if self.timing else None

    @property
    def reference_ms(self) -> float | None:
        """The median of the milliseconds of one call of the baseline; None if it was not timed."""
        return statistics.median(self.timing.baseline) if self.timing else None

    @property
    def speedup(self) -> float | None:
        """The baseline's time divided by the answer's time; None if they were not timed."""
        return self.reference_ms / self.candidate_ms if self.reference_ms and self.candidate_ms else None

    @property
    def message(self) -> str:
        """The verdict in a sentence or two."""
        return f"{self.handled}\n{self._about_cases}" if self.handled else self._about_cases

    @property
    def _about_cases(self) -> str:
        if self.problem:
            return self.problem
        if self.failed:
            first = self._first
            parts = [self._heading, *(hazard.detail for hazard in self._workers)]
            return " ".join(filter(None, [*parts, self._which(first) + first.detail + self._traced()]))
        if self.hazards:
            return f"The values of {self._count} are right, but: {self.hazards[0].detail}"
        said = (self.cases[0].seen if len(self.cases) == 1 else "") or f"{self._count} passed."
        if timing := self.timing:
            said += (
                f" With {timing.sizes} the answer took {self.candidate_ms:.3g} ms and {timing.beside} took "
                f"{self.reference_ms:.3g} ms: the answer is {self.speedup:.2f} times as fast."
            )
        return said + (f" Its use of memory could not be checked: {self.untraced}" if self.untraced else "")

    @property
    def _workers(self) -> list[Hazard]:
        """The hazards that say that other code does the kernel's work, if the first failed case does not say so."""
        return [h for h in self.hazards if h.kind == "library-call" and h not in self.failed[0].reported]

    @property
    def _unsaid(self) -> list[Hazard]:
        """The hazards that the message does not say."""
        if self.failed:
            said = [*self.failed[0].reported, *self._workers, self.located]
        else:
            said = [] if self.problem else [*self.hazards[:1]]
        return [hazard for hazard in self.hazards if hazard not in said]

    @property
    def told(self) -> Told:
        """The diagnosis of an answer that is not right, then the line of code that shows it, and then the values."""
        if self.problem or self.correct:
            return Told("Nothing could be run." if "\n" in self.problem else self.problem)
        if not self.failed:
            hazard, values = self.hazards[0], f"The values of {self._count} are right."
            shown = [sentence(hazard.seen), values] if hazard.seen else [values]
            return Told(sentence(hazard.advice or hazard.detail), shown)
        first, located = self._first, self.located
        values = f"{self._which(first)}{first.seen}"
        why = " ".join(filter(None, (*(sentence(hazard.detail) for hazard in self._workers), first.why)))
        hazard = located or next((each for each in first.reported if each.seen), None)
        if not hazard:
            return Told(why, [values]) if why else Told(values)
        line = sentence(hazard.seen or hazard.detail)
        if not located:
            return Told(why or sentence(hazard.advice), [f"{self._which(first)}{line}"])
        shown = [line] if why or hazard.seen else []
        return Told(why or sentence(hazard.advice or hazard.detail), shown, values * (hazard.kind != first.mistake))

    @property
    def cause(self) -> tuple[str, str]:
        """What tells this mistake from others, and a sentence about it that stands alone; both "" for a right answer.

        The first is the id of what explains the first failed case, or what was seen, without names and numbers.
        """
        if not (self.problem or self.failed or self.hazards):
            return "", ""
        if self.problem:
            error = re.search(r"error: .*", self.problem) or re.match(r".*", self.problem)
            said = error[0] if error else ""
            return f"does not build: {_pattern(said)}", said
        first = self._first if self.failed else CaseResult("", False)
        if found := first.found:
            mistake = found.facts.get("mistake") or ".".join(filter(None, (found.id, found.facts.get("case"))))
            return mistake, self.told.diagnosis
        hazards = [*first.reported[:1], *filter(None, [self.located])] or self.hazards[:1]
        seen = [f"{each.kind}: {_pattern(each.advice or each.id or each.detail)}" for each in hazards]
        said = sentence(hazards[0].advice or hazards[0].detail) if self.located else self.told.diagnosis
        return "; ".join(dict.fromkeys(seen)) or f"{first.mistake}: {_pattern(first.seen)}", said

    @property
    def asked(self) -> str:
        """What the kernels requested from global memory, as text; "" if nothing was counted or a case says it."""
        sectors = in_global(self.traffic, "sectors") if self.traffic else 0
        if not sectors or any(case.mistake == TOO_MUCH for case in self.failed):
            return ""
        asked = (
            f"Global memory, with {self.counted}: {in_global(self.traffic, 'requests'):,} requests for {sectors:,} "
            "sectors of 32 bytes"
        )
        if self.remarks:  # the ratio to the ideal would praise needless requests
            return f"{asked}."
        ideal = sum(line.ideal for line in self.traffic if line.space == "global")
        times = f"{sectors / ideal:.4g} times as many" if sectors > ideal else "as few"
        apart = (
            " The requests are uncoalesced: the lanes of a warp request addresses that are far apart."
            if sectors > UNCOALESCED * ideal
            else ""
        )
        return (
            f"{asked}, {times} as could hold the requested bytes.{apart} "
            f"{say(Found('most_asked', busiest_line(self.traffic, 'sectors', self.lines)))}"
        )

    @property
    def _first(self) -> CaseResult:
        """The failed case of the headline. A hazard with a known line explains more than a guess from the values."""
        first = self.failed[0]
        return replace(first, found=None) if self.located and first.telling < PATTERN else first

    def _traced(self) -> str:
        """What the tracer found in a failed case, as a sentence. It is the same mistake as what was seen."""
        if not self.located:
            return ""
        # Whether it is the access that was seen in the case, with its line.
        seen = self.located.kind == self.failed[0].mistake
        first = f", the first {OF_AN_ACCESS[self.located.kind]} is" if seen else ""
        return f" In a traced run{first}: {self.located.detail}."

    def _which(self, case: CaseResult) -> str:
        return f"With {case.inputs}: " if len(self.cases) > 1 else ""

    @property
    def _count(self) -> str:
        return "1 case" if len(self.cases) == 1 else f"{len(self.cases)} cases"

    @property
    def _heading(self) -> str:
        return f"{len(self.failed)} of {len(self.cases)} cases failed." if len(self.cases) > 1 else ""

    @property
    def unnamed(self) -> bool:
        """Whether values are wrong, and no sentence says what the mistake may be."""
        if self.problem or self.hazards or not self.failed:
            return False
        return self._first.mistake == WRONG and not self._first.found

    def to_json(self) -> dict[str, Any]:
        """The object that `course judge --json` prints."""
        return {
            "task": self.task,
            "toolchain": self.toolchain,
            "device": self.device,
            "compiled": self.compiled,
            "correct": self.correct,
            "cases": [{"inputs": c.inputs, "passed": c.passed, "detail": c.detail} for c in self.cases],
            "hazards": [
                {"kind": h.kind, "kernel": h.kernel, "where": [dict(place) for place in h.where], "detail": h.detail}
                for h in self.hazards
            ],
            "traffic": [{key: getattr(line, key) for key in TRAFFIC} for line in self.traffic],
            "reference_ms": self.reference_ms,
            "candidate_ms": self.candidate_ms,
            "speedup": self.speedup,
            "message": self.message,
            "cause": self.cause[0],
            "diagnosis": self.cause[1],
            "remarks": self.remarks,
            "counted": self.counted,
            "bounds": [self.demand.bound(card).to_json() for card in CARDS] if self.demand else [],
        }

    def text(self) -> str:
        """The verdict for a terminal: the message, then the first failed cases and hazards."""
        told, said = self.told, self.message
        if told.shown and (self.located or not self.failed) and not self.handled:  # the message says it less briefly
            heading = self._heading if self.failed else ""
            said = " ".join(filter(None, (heading, told.diagnosis, *told.shown, told.folded)))
        lines = [f"{'✓ Right' if self.correct else '✗ Not right'}: {said}"]
        lines += [f"  ✗ {case.inputs}: {case.seen}" for case in self.failed[1:SHOWN]]
        if (rest := len(self.failed) - SHOWN) > 0:
            lines.append(f"  … and {rest} more")
        lines += [f"  hazard {h.kind}: {h.seen or h.detail}" for h in self._unsaid[:SHOWN]]
        if self.printed and not self.correct:
            lines += ["  The code printed:", *(f"    {line}" for line in self.printed.splitlines()[:20])]
        lines += [f"  remark: {remark}" for remark in self.remarks[:SHOWN]]
        lines += [f"  {self.asked}"] if self.asked else []
        return "\n".join(lines)

    def html(self) -> str:
        """The verdict as an HTML fragment that needs no style sheet. Text that a student can write is escaped."""
        first = None if self.problem or not self.failed else self._first
        passed = f"All cases: {len(self.cases) - len(self.failed)} of {len(self.cases)} passed"
        page = render(
            "verdict.html",
            verdict=self,
            told=self.told,
            heading=self._about_cases if self.correct else "",
            examples=[(each.position, each.got, each.expected) for each in first.examples] if first else [],
            places=first.places if first else None,
            hazards=[(each.kind, each.seen or each.detail) for each in self._unsaid[:SHOWN]],
            remarks=self.remarks[:SHOWN],
            summary=passed if len(self.cases) > 1 else "What was seen",
            cases=[(each.inputs, "✓ passed" if each.passed else "✗ failed", each.detail) for each in self.cases],
        )
        return str(page)  # not the type that templates insert without escaping

    _repr_html_ = html


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


def _pattern(text: str) -> str:
    """The first line of `text` with … in place of names, of quoted code and of numbers."""
    return re.sub(r"""'\w*'|"\w*"|\(?`[^`]*`\)?|\d[\d,.]*""", "…", text.partition("\n")[0])


def _is_vector(shape: tuple[int, ...]) -> bool:
    """Whether an output is a matrix, or a batch of matrices, with only one row or only one column."""
    return len(shape) > 1 and 1 in shape[-2:]
