"""What the referee found, as data, in words for a learner, and as HTML."""

from __future__ import annotations

import collections
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from course.errors import Hazard
from course.referee.diagnose import KNOWN, PATTERN, SEEN
from course.referee.places import Places
from course.referee.traffic import Lines, in_global, most_asked
from course.referee.work import Unwritten
from course.toolchains.emulator.traffic import Traffic

TRAFFIC = ("kernel", "line", "space", "op", "bytes_each", "requests", "units", "ideal")  # fields that the JSON has
UNCOALESCED = 2  # times the least sectors
TOO_MUCH = "too much traffic"  # the mistake of a case that exceeds its `budget`
BY_CHANCE = 200  # elements; a smaller wrong output may fit several mistakes by chance
SHOWN = 3  # failed cases and hazards that are shown in full; the table has them all


@dataclass(frozen=True)
class Example:
    """One wrong element: its position and both values, as text."""

    position: str
    got: str
    expected: str


@dataclass(frozen=True)
class CaseResult:
    """One case: its inputs in words, whether it passed, what was seen, and the mistake it looks like ("" if none).

    `examples` are the first wrong elements of the output, and `elements` is the number of its elements (of all tensors
    together if there is no output). `mistake` is the kind of mistake if the case did not pass. `places` shows where an
    output is wrong that was compared as a whole. `telling` is how much `pattern` says (see `diagnose.py`). `fits` has
    the sentences of all the task's mistakes that would give this output. `shape` is the shape of the output if it was
    compared. `unwritten` describes the elements that were never written, if all others are right. `line` is the line of
    the source with the most requests if a case exceeds its budget, else 0. `handled` is a build or call that failed, if
    a script handled it and then did not pass.
    """

    inputs: str
    passed: bool
    seen: str = ""
    pattern: str = ""
    examples: tuple[Example, ...] = ()
    elements: int = 0
    mistake: str = "wrong result"
    places: Places | None = None
    telling: int = 0
    fits: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    unwritten: Unwritten | None = None
    line: int = 0
    handled: str = ""

    @property
    def detail(self) -> str:
        """Everything as text: what was seen, the wrong elements, the mistake."""
        positions = "; ".join(f"at {e.position} got {e.got}, expected {e.expected}" for e in self.examples)
        return " ".join(filter(None, (self.seen, positions and f"{capitalized(positions)}.", self.pattern)))


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

    Parameters
    ----------
    task, toolchain, device : str
        What was judged, and where it ran.
    compiled : bool
        Whether the answer could be built and loaded.
    cases : list of CaseResult
        One for each case, in the order of the task, and one for the size at which the answer was timed.
    hazards : list of Hazard
        What the kernels did wrong, even if the values are right.
    traffic : tuple of Traffic
        What the kernels requested from memory, by line of the source, in the case that `counted` names; empty if no
        case was traced.
    counted : str
        The inputs of that case, in words.
    remarks : list of str
        Sentences about what a right answer could do better in that case. They cost no points.
    timing : Timing or None
        The times in milliseconds; None if nothing was timed.
    problem : str
        Why no case was judged.
    untraced : str
        Why the accesses of a right answer could not be traced.
    lines : Lines
        The text in which the lines of `traffic` are numbered.
    printed : str
        What the answer wrote to stdout and stderr while it ran.
    handled : str
        A build or call that failed, which the script of an answer that is not right has handled.
    """

    task: str
    toolchain: str
    device: str
    compiled: bool = True
    cases: list[CaseResult] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    traffic: tuple[Traffic, ...] = ()
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
        # Without the tracer, an access out of bounds has no line. Any other hazard that ended the call is already in
        # the case's own result.
        reported = {first.mistake} - {"out-of-bounds"}
        return next(
            (h for h in self.hazards if h.where and h.kind not in reported and h.detail[1:] not in first.seen), None
        )

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
        count = self._count()
        if self.failed:
            first = self._first()
            many = f"{len(self.failed)} of {count} failed. " if len(self.cases) > 1 else ""
            library = "".join(f"{h.detail} " for h in self.hazards if _does_the_work(h, first))
            return many + library + self._which(first) + first.detail + self._traced()
        if self.hazards:
            return f"The values of {count} are right, but: {self.hazards[0].detail}"
        seen = self.cases[0].seen if len(self.cases) == 1 else ""
        untraced = f" Its use of memory could not be checked: {self.untraced}" if self.untraced else ""
        return f"{seen or f'{count} passed.'}{_times(self)}{untraced}"

    @property
    def asked(self) -> str:
        """What the kernels requested from global memory, as text; "" if nothing was counted or a case says it."""
        sectors = in_global(self.traffic, "sectors")
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
            f"{most_asked(self.traffic, 'sectors', self.lines)}"
        )

    @property
    def _has_line_of_case(self) -> bool:
        """Whether `located` is the access out of bounds that was seen in the first failed case, with its line."""
        return self.located is not None and self.located.kind == self.failed[0].mistake

    def _first(self) -> CaseResult:
        """The failed case of the headline. A hazard with a known line explains more than a guess from the values."""
        first = self.failed[0]
        return replace(first, pattern="") if self.located and first.telling < PATTERN else first

    def _traced(self) -> str:
        """What the tracer found in a failed case, as a sentence. It is the same mistake as what was seen."""
        hazard = self.located
        if not hazard:
            return ""
        first = ", the first access out of bounds is" if self._has_line_of_case else ""
        return f" In a traced run{first}: {hazard.detail}."

    def _which(self, case: CaseResult) -> str:
        return f"With {case.inputs}: " if len(self.cases) > 1 else ""

    def _count(self) -> str:
        return f"{len(self.cases)} case{'s' * (len(self.cases) != 1)}"

    @property
    def unnamed(self) -> bool:
        """Whether values are wrong, and no sentence says what the mistake may be."""
        if self.problem or self.hazards or not self.failed:
            return False
        first = self._first()
        return first.mistake == CaseResult.mistake and not first.pattern

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
            "remarks": self.remarks,
        }

    def text(self) -> str:
        """The verdict for a terminal: the message, then the first failed cases and hazards."""
        lines = [f"{_sign(self.correct)}: {self.message}"]
        lines += [f"  ✗ {case.inputs}: {case.seen}" for case in self.failed[1:SHOWN]]
        rest = len(self.failed) - SHOWN
        lines += [f"  … and {rest} more"] * (rest > 0)
        lines += [f"  hazard {h.kind}: {h.detail}" for h in self.hazards[:SHOWN] if h.detail[1:] not in self.message]
        if self.printed and not self.correct:
            lines += ["  The code printed:", *(f"    {line}" for line in self.printed.splitlines()[:20])]
        lines += [f"  remark: {remark}" for remark in self.remarks[:SHOWN]]
        lines += [f"  {self.asked}"] * bool(self.asked)
        return "\n".join(lines)

    def html(self) -> str:
        """The verdict as an HTML fragment that needs no style sheet. Text that a student can write is escaped."""
        parts = [f"<p><strong>{_sign(self.correct)}.</strong> {escape(self._heading())}</p>"]
        seen = ""
        if self.handled:
            parts.append(_preformatted(self.handled))
        if self.problem:
            parts.append(_preformatted(self.problem))
        elif self.failed:
            first = self._first()
            library = (h.detail for h in self.hazards if _does_the_work(h, first))
            before, after = ("", self._traced()) if self._has_line_of_case else (self._traced().strip(), "")
            why = " ".join(filter(None, (*library, first.pattern, before)))
            parts.append(f"<p>{escape(why)}</p>" * bool(why))
            seen = why + first.seen + after
            parts.append(f"<p>{escape(self._which(first) + first.seen + after)}</p>")
            if first.examples:
                rows = [(e.position, e.got, e.expected) for e in first.examples]
                parts.append(html_table(("position", "got", "expected"), rows))
            if first.places:
                parts.append(first.places.html())
        new = [(h.kind, h.detail) for h in self.hazards if h.detail[1:] not in seen]  # apart from a capital letter
        if new:
            parts.append(html_table(("hazard", "what happened"), new[:SHOWN]))
        parts += [f"<p>But: {escape(remark)}</p>" for remark in self.remarks[:SHOWN]]
        if len(self.cases) > 1:
            rows = [(c.inputs, "✓ passed" if c.passed else "✗ failed", c.detail) for c in self.cases]
            passed = len(self.cases) - len(self.failed)
            title = f"All cases: {passed} of {len(self.cases)} passed"
            parts.append(_folded(title, html_table(("inputs", "result", "what was seen"), rows)))
        if self.printed:
            parts.append(_folded("What the code printed", _preformatted(self.printed)))
        if self.asked:  # folded: notebooks ask learners to predict it first
            parts.append(_folded("What it requested from memory", f"<p>{escape(self.asked)}</p>"))
        return f'<div class="course-verdict">{"".join(parts)}</div>'

    def _repr_html_(self) -> str:
        return self.html()

    def _heading(self) -> str:
        """The message without what is shown below it."""
        if self.problem:
            return "Nothing could be run."
        if not self.failed:
            return self._about_cases
        return f"{len(self.failed)} of {self._count()} failed." if len(self.cases) > 1 else ""


def most_telling_first(failed: Sequence[CaseResult]) -> list[CaseResult]:
    """Failed cases in the order in which they are reported, each with the sentence that fits most of them.

    A mistake that the task knows is not taken as the reason if it fits only a few small outputs, or outputs of one row
    or column, because it may fit these by chance.
    """
    fitting = collections.Counter(sentence for case in failed for sentence in case.fits)
    kinds = collections.Counter(case.mistake for case in failed)
    evidence = {
        sentence: max(0 if _is_vector(case.shape) else case.elements for case in failed if sentence in case.fits)
        for sentence in fitting
    }
    compared = kinds[CaseResult.mistake]
    ranked = []
    for case in failed:
        if case.pattern in case.fits:
            best = max(case.fits, key=lambda sentence: fitting[sentence])
            known = evidence[best] and (2 * fitting[best] >= compared or evidence[best] >= BY_CHANCE)
            case = replace(case, pattern=best, telling=KNOWN if known else SEEN)
        ranked.append(case)

    def rank(case: CaseResult) -> tuple[float, ...]:
        # A case says too little if it has few elements, or if several mistakes would explain it.
        telling = max(case.telling, SEEN) if case.mistake else 0  # a case that was not run says nothing
        uneven = len({*case.shape}) == len(case.shape) > 0  # shows exchanged lengths
        return (telling, kinds[case.mistake], -len(case.fits), uneven, case.elements)

    return sorted(ranked, key=rank, reverse=True)


def _is_vector(shape: tuple[int, ...]) -> bool:
    """Whether an output of several dimensions has only one row or only one column."""
    return len(shape) > 1 and 1 in shape


def _times(verdict: Verdict) -> str:
    if verdict.timing is None:
        return ""
    return (
        f" With {verdict.timing.sizes} the answer took {verdict.candidate_ms:.3g} ms and "
        f"{verdict.timing.beside} took {verdict.reference_ms:.3g} ms: "
        f"the answer is {verdict.speedup:.2f} times as fast."
    )


def _does_the_work(hazard: Hazard, first: CaseResult) -> bool:
    """Whether a hazard says that other code does the kernel's work, and the first failed case does not say so."""
    return hazard.kind == "library-call" and hazard.detail[1:] not in first.seen


def capitalized(text: str) -> str:
    """`text` with a capital first letter."""
    return text[:1].upper() + text[1:]


def _sign(correct: bool) -> str:
    return "✓ Right" if correct else "✗ Not right"


def _folded(title: str, body: str) -> str:
    # nbgrader's feedback page removes the triangle of a summary.
    summary = f'<summary style="display:list-item;cursor:pointer">{escape(title)}</summary>'
    return f"<details>{summary}{body}</details>"


def _preformatted(text: str) -> str:
    return f'<pre style="white-space:pre-wrap">{escape(text)}</pre>'


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of text for a notebook. A row with only one text is a line of source, which heads the rows below it."""
    # With half-transparent grey borders and the page's own text colour, the table is legible on light and dark pages.
    table = "border-collapse:collapse;color:inherit;font-size:inherit;margin:0.5em 0"
    cell = "padding:0.2em 0.8em;text-align:left;vertical-align:top;border-bottom:1px solid #8888"
    code = "font-family:monospace;font-weight:normal;white-space:pre-wrap;padding-top:0.8em"
    above = '<caption style="color:inherit;text-align:left;font-weight:bold">' + escape(caption) + "</caption>"
    head = "".join(f'<th scope="col" style="{cell}">{escape(text)}</th>' for text in heads)
    groups = [""]
    for row in rows:
        if len(row) == 1 < len(heads):
            line = f'<th scope="rowgroup" colspan="{len(heads)}" style="{cell};{code}">{escape(row[0])}</th>'
            groups.append(f"<tr>{line}</tr>")
        else:
            first, *rest = (escape(text) for text in row)
            # The first column is not wrapped, because `bad-launch` would be broken at its hyphen.
            groups[-1] += f'<tr><td style="{cell};white-space:nowrap">{first}</td>'
            groups[-1] += "".join(f'<td style="{cell}">{text}</td>' for text in rest) + "</tr>"
    body = "".join(f"<tbody>{group}</tbody>" for group in groups if group)
    return f'<table style="{table}">{above if caption else ""}<thead><tr>{head}</tr></thead>{body}</table>'
