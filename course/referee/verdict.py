"""What the referee found, as data, in a learner's words and as HTML."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import torch

from course.errors import Hazard
from course.referee.traffic import in_global, most_asked
from course.toolchains.emulator.traffic import Traffic

TRAFFIC = ("kernel", "line", "space", "op", "bytes_each", "requests", "units", "ideal")  # what the JSON has of a line
TOO_MUCH = "too much traffic"  # the mistake of a case that asks for more than its `budget`
MAP_ROWS, MAP_COLUMNS = 16, 64  # squares of a map of wrong elements, at most
SHOWN = 3  # failed cases and hazards that are shown in full; the table has them all


@dataclass(frozen=True)
class Example:
    """One wrong element: its position and both values, as text."""

    position: str
    got: str
    expected: str


@dataclass(frozen=True)
class Places:
    """Where an output is wrong: squares of `size` (height and width in elements), and the wrong part of each, 0 to 1.

    An output of one dimension is cut into rows in reading order, one of more than two has its last two kept.
    """

    shares: tuple[tuple[float, ...], ...]
    size: tuple[int, int]
    tensor: str

    @classmethod
    def of(cls, wrong: torch.Tensor) -> Places:
        """The places of a mask of at least one element."""
        tensor = f"({', '.join(map(str, wrong.shape))})"
        length = wrong.numel()
        if wrong.dim() < 2:
            each = math.ceil(length / (MAP_ROWS * MAP_COLUMNS))
            columns, size = min(MAP_COLUMNS, math.ceil(length / each)), (1, each)
            rows = math.ceil(length / (columns * each))
            padded = torch.full((rows * columns * each,), math.nan)
            padded[:length] = wrong.reshape(-1).cpu().float()
            shares = padded.view(rows, columns, each).nanmean(-1)
        else:
            flat = wrong.reshape(-1, wrong.shape[-1]).cpu().float()
            size = (math.ceil(flat.shape[0] / MAP_ROWS), math.ceil(flat.shape[1] / MAP_COLUMNS))
            # Squares at the edges are smaller: what is not there counts in neither sum.
            shares = torch.nn.functional.avg_pool2d(flat[None], size, ceil_mode=True, count_include_pad=False)[0]
        kept = (tuple(x for x in row if not math.isnan(x)) for row in shares.tolist())
        return cls(tuple(kept), size, tensor)

    @property
    def alt(self) -> str:
        """The picture in sentences."""
        each = [x for row in self.shares for x in row]
        whole, none = sum(x == 1 for x in each), sum(x == 0 for x in each)
        height, width = self.size
        square = (
            "one element"
            if height * width == 1
            else f"{height} by {width} elements"
            if height > 1
            else (f"{width} elements in a row")
        )
        part = len(each) - whole - none
        return (
            f"Map of the output of shape {self.tensor}, a square for {square}: "
            f"{whole} squares are all wrong, {part} in part, {none} right."
        )

    def svg(self) -> str:
        """The picture, in the page's own colour: a full square is all wrong, a small one in part, a dot is right."""
        drawn = []
        for y, row in enumerate(self.shares):
            for x, share in enumerate(row):
                side = 9 if share == 1 else 5 if share else 1
                drawn.append(f"M{10 * x + (10 - side) / 2:g} {10 * y + (10 - side) / 2:g}h{side}v{side}h-{side}z")
        width, height = 10 * max(map(len, self.shares)), 10 * len(self.shares)
        picture = (
            f'<svg role="img" aria-label="{escape(self.alt)}" viewBox="0 0 {width} {height}" width="{width}" '
            f'style="max-width:100%;height:auto;fill:currentColor"><path d="{"".join(drawn)}"/></svg>'
        )
        caption = f"{self.alt} A full square is all wrong, a small one in part, a dot is right."
        return f'<figure style="margin:0.5em 0">{picture}<figcaption>{escape(caption)}</figcaption></figure>'


@dataclass(frozen=True)
class CaseResult:
    """One case: its inputs in words, whether it passed, what was seen, and the mistake it looks like ("" if none).

    `examples` are the first wrong elements of the output, which has `elements`; `mistake` is the kind of what is wrong
    where the case did not pass, `places` a map of what is wrong in an output that was compared whole.
    """

    inputs: str
    passed: bool
    seen: str = ""
    pattern: str = ""
    examples: tuple[Example, ...] = ()
    elements: int = 0
    mistake: str = "wrong result"
    places: Places | None = None

    @property
    def detail(self) -> str:
        """All of it as text: what was seen, the wrong elements, the mistake."""
        positions = "; ".join(f"at {e.position} got {e.got}, expected {e.expected}" for e in self.examples)
        return " ".join(filter(None, (self.seen, positions and f"{capitalized(positions)}.", self.pattern)))


@dataclass(frozen=True)
class Timing:
    """How long one call takes at `sizes`, in milliseconds, round for round: the candidate's and the baseline's.

    `beside` names the baseline. `bytes_moved` are those that a call must move at least, 0 where the task does not say.
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
        What the kernels did that is wrong, whatever the values.
    traffic : tuple of Traffic
        What the kernels requested from memory, by line of the source, in the case that `counted` names; empty if that
        was not traced.
    counted : str
        The inputs of that case, in words.
    timing : Timing or None
        The times in milliseconds; None if nothing was timed.
    problem : str
        Why no case was judged.
    untraced : str
        Why the accesses of a right answer could not be traced.
    numbered : str
        What the lines of `traffic` are numbered in, if not in the answer's own text.
    printed : str
        What the answer wrote to stdout and stderr while it ran.
    """

    task: str
    toolchain: str
    device: str
    compiled: bool = True
    cases: list[CaseResult] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)
    traffic: tuple[Traffic, ...] = ()
    counted: str = ""
    timing: Timing | None = None
    problem: str = ""
    untraced: str = ""
    numbered: str = ""
    printed: str = ""

    @property
    def correct(self) -> bool:
        """Built, every case's values, shape and dtype right, and no hazard."""
        return self.compiled and bool(self.cases) and not self.failed and not self.hazards

    @property
    def failed(self) -> list[CaseResult]:
        """The cases that did not pass, the most telling first: one whose mistake is named, with many elements."""
        failed = [case for case in self.cases if not case.passed]
        return sorted(failed, key=lambda case: (bool(case.pattern), case.elements), reverse=True)

    @property
    def candidate_ms(self) -> float | None:
        """Milliseconds of one call of the answer, the median; None where it was not timed."""
        return statistics.median(self.timing.candidate) if self.timing else None

    @property
    def reference_ms(self) -> float | None:
        """Milliseconds of one call of what the answer was timed beside, the median; None where it was not timed."""
        return statistics.median(self.timing.baseline) if self.timing else None

    @property
    def speedup(self) -> float | None:
        """How many times faster than the reference; None where either was not timed."""
        return self.reference_ms / self.candidate_ms if self.reference_ms and self.candidate_ms else None

    @property
    def message(self) -> str:
        """The verdict in a sentence or two."""
        if self.problem:
            return self.problem
        count = self._count()
        if self.failed:
            first = self.failed[0]
            many = f"{len(self.failed)} of {count} failed. " if len(self.cases) > 1 else ""
            # What the tracer found in a failed case says more than the wrong values do.
            why = next(
                (f" When it is traced: {h.detail}." for h in self.hazards if h.where and h.kind != first.mistake), ""
            )
            return many + self._which(first) + first.detail + why
        if self.hazards:
            return f"The values of {count} are right, but: {self.hazards[0].detail}"
        seen = self.cases[0].seen if len(self.cases) == 1 else ""
        untraced = f" What it does to memory could not be looked at: {self.untraced}" if self.untraced else ""
        return f"{seen or f'{count} passed.'}{self._times()}{untraced}"

    @property
    def asked(self) -> str:
        """What the kernels asked of global memory, in some sentences; "" where none was counted, or a case says it."""
        sectors = in_global(self.traffic, "sectors")
        if not sectors or any(case.mistake == TOO_MUCH for case in self.failed):
            return ""
        ideal = sum(line.ideal for line in self.traffic if line.space == "global")
        times = f"{sectors / ideal:.4g} times as many" if sectors > ideal else "as few"
        return (
            f"Global memory, with {self.counted}: {in_global(self.traffic, 'requests'):,} requests for {sectors:,} "
            f"sectors of 32 bytes, {times} as could hold what was asked for. "
            + most_asked(self.traffic, "sectors", self.numbered)
        )

    def _which(self, case: CaseResult) -> str:
        return f"With {case.inputs}: " if len(self.cases) > 1 else ""

    def _count(self) -> str:
        return f"{len(self.cases)} case{'s' * (len(self.cases) != 1)}"

    def _times(self) -> str:
        if self.timing is None:
            return ""
        return (
            f" With {self.timing.sizes} it took {self.candidate_ms:.3g} ms, "
            f"{self.timing.beside} {self.reference_ms:.3g} ms: "
            f"{self.speedup:.2f} times as fast."
        )

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
        }

    def text(self) -> str:
        """The verdict for a terminal: the message, then the first failed cases and hazards."""
        lines = [f"{_sign(self.correct)}: {self.message}"]
        lines += [f"  ✗ {case.inputs}: {case.seen}" for case in self.failed[1:SHOWN]]
        rest = len(self.failed) - SHOWN
        lines += [f"  … and {rest} more"] * (rest > 0)
        lines += [f"  hazard {h.kind}: {h.detail}" for h in self.hazards[:SHOWN] if h.detail[1:] not in self.message]
        if self.printed and not self.correct:
            lines += ["  It printed:", *(f"    {line}" for line in self.printed.splitlines()[:20])]
        lines += [f"  {self.asked}"] * bool(self.asked)
        return "\n".join(lines)

    def html(self) -> str:
        """The verdict as an HTML fragment that needs no style sheet; what a student can write is escaped."""
        parts = [f"<p><strong>{_sign(self.correct)}.</strong> {escape(self._heading())}</p>"]
        if self.problem:
            parts.append(_preformatted(self.problem))
        elif self.failed:
            first = self.failed[0]
            parts.append(f"<p>{escape(first.pattern)}</p>" * bool(first.pattern))
            parts.append(f"<p>{escape(self._which(first) + first.seen)}</p>")
            if first.examples:
                rows = [(e.position, e.got, e.expected) for e in first.examples]
                parts.append(html_table(("position", "got", "expected"), rows))
            if first.places:
                parts.append(first.places.svg())
        seen = self.failed[0].seen if self.failed else ""
        new = [(h.kind, h.detail) for h in self.hazards if h.detail[1:] not in seen]  # apart from a capital letter
        if new:
            parts.append(html_table(("hazard", "what happened"), new[:SHOWN]))
        if len(self.cases) > 1:
            rows = [(c.inputs, "✓ passed" if c.passed else "✗ failed", c.detail) for c in self.cases]
            passed = len(self.cases) - len(self.failed)
            title = f"All cases: {passed} of {len(self.cases)} passed"
            parts.append(_folded(title, html_table(("inputs", "result", "what was seen"), rows)))
        if self.printed:
            parts.append(_folded("What the code printed", _preformatted(self.printed)))
        if self.asked:  # folded: notebooks have their learners predict it first
            parts.append(_folded("What it asked of memory", f"<p>{escape(self.asked)}</p>"))
        return f'<div class="course-verdict">{"".join(parts)}</div>'

    def _repr_html_(self) -> str:
        return self.html()

    def _heading(self) -> str:
        """The message without what the picture tells below it."""
        if self.problem:
            return "Nothing could be run."
        if not self.failed:
            return self.message
        return f"{len(self.failed)} of {self._count()} failed." if len(self.cases) > 1 else ""


def capitalized(text: str) -> str:
    """`text` with its first letter as a sentence begins."""
    return text[:1].upper() + text[1:]


def _sign(correct: bool) -> str:
    return "✓ Right" if correct else "✗ Not right"


def _folded(title: str, body: str) -> str:
    # nbgrader's feedback page takes a summary's triangle away.
    summary = f'<summary style="display:list-item;cursor:pointer">{escape(title)}</summary>'
    return f"<details>{summary}{body}</details>"


def _preformatted(text: str) -> str:
    return f'<pre style="white-space:pre-wrap">{escape(text)}</pre>'


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table of text for a notebook; a row of one text is a line of source that heads the rows below it."""
    # Borders are half-transparent grey and text has the page's own colour: legible on light and on dark.
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
            # What a row is about stays in one piece: `bad-launch` would be broken at its hyphen.
            groups[-1] += f'<tr><td style="{cell};white-space:nowrap">{first}</td>'
            groups[-1] += "".join(f'<td style="{cell}">{text}</td>' for text in rest) + "</tr>"
    body = "".join(f"<tbody>{group}</tbody>" for group in groups if group)
    return f'<table style="{table}">{above if caption else ""}<thead><tr>{head}</tr></thead>{body}</table>'
