"""The memory requests of a call: how many there are, which line makes the most, and what exceeds a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from course.explain.counts import SECTOR, Traffic, Work
from course.explain.rules import Evidence, explain
from course.explain.texts import Found, say
from course.text.cuda import cited

# The bytes in each unit of `Case.budget`: in one sector, and in one request in which each lane gets 16 bytes.
HELD = {"sectors": SECTOR, "requests": 512}
# The field of `Work` that a budget limits, for each count in a budget.
SPREAD = {"threads_per_element": "writers", "elements_per_thread": "most_stored"}
AGAIN = 1.5  # times the ideal; a line below this uses its sectors well, and can only request data less often


@dataclass(frozen=True)
class Lines:
    """The text that the line numbers of kernels refer to, and the text's name ("" for the answer itself)."""

    text: str = ""
    name: str = ""

    def cite(self, line: int) -> str:
        """The number of a line and its text."""
        of = f" of {self.name}" if self.name else ""
        return cited(re.sub(r"//[^\n]*", "", self.text), line) + of


def in_global(traffic: Sequence[Traffic], count: str) -> int:
    """The `sectors` or `requests` of global memory, summed over all lines."""
    return sum(_count(line, count) for line in traffic if line.space == "global")


def busiest(traffic: Sequence[Traffic], count: str) -> Traffic:
    """The line with the most `sectors` or `requests` of global memory, or `wavefronts` of shared memory.

    There must be at least one such line.
    """
    space = "shared" if count == "wavefronts" else "global"
    return max((line for line in traffic if line.space == space), key=lambda line: _count(line, count))


def is_wasteful(line: Traffic, count: str) -> bool:
    """Whether a line takes clearly more `sectors` or `requests` than are needed for the bytes that it requests."""
    return _count(line, count) >= AGAIN * _ideal(line, count)


def most_asked(traffic: Sequence[Traffic], count: str, lines: Lines) -> str:
    """A sentence about the line that requests the most from global memory, compared with the ideal."""
    return say(Found("most_asked", _busiest_line(traffic, count, lines)))


def _busiest_line(traffic: Sequence[Traffic], count: str, lines: Lines) -> dict[str, object]:
    line = busiest(traffic, count)
    asked, ideal = _count(line, count), _ideal(line, count)
    return {
        "case": "more" if asked > ideal else "ideal",
        "line": lines.cite(line.line),
        "busiest": line,
        "bytes": "1 byte" if line.bytes_each == 1 else f"{line.bytes_each} bytes",
        "asked": asked,
        "ideal": ideal,
        "times": asked / max(ideal, 1),
    }


@dataclass(frozen=True)
class Counts:
    """What the launches of one call requested, stored and touched, and the text that line numbers refer to."""

    traffic: Sequence[Traffic]
    work: Sequence[Work]
    touched: int
    lines: Lines

    def over(self, count: str, budget: int) -> list[Found]:
        """What to say if the call has more of `count` than `budget`; nothing if it has not."""
        if count in SPREAD:
            return self._badly_spread(SPREAD[count], budget)
        totals = {
            "threads": max((work.threads for work in self.work), default=0),
            "sectors_touched": self.touched,
            "wavefronts": sum(line.units for line in self.traffic if line.space == "shared"),
        }
        total = totals[count] if count in totals else in_global(self.traffic, count)
        if total <= budget:
            return []
        facts: dict[str, object] = {"total": total, "budget": budget}
        if count in (*HELD, "wavefronts"):
            facts |= _busiest_line(self.traffic, count, self.lines)
        found = [Found(f"over_{count}", facts)]
        if count in HELD:
            wasteful = is_wasteful(busiest(self.traffic, count), count)
            found += [Found("most_asked", facts), Found("fewer", {"case": count if wasteful else "again"})]
            again = [work for work in self.work if 2 * work.repeated > work.elements]
            found += [each for work in again for each in needless_work(work)]
        return found

    def _badly_spread(self, field: str, budget: int) -> list[Found]:
        worst = max(self.work, key=lambda work: getattr(work, field))
        if getattr(worst, field) <= budget:
            return []
        found = [each for each in needless_work(worst) if each.id in ("one_does_all", "each_does_all", "stored_again")]
        return found or [Found("over_elements", {"work": worst})]

    def remarks(self) -> list[str]:
        """A sentence for each launch that does needless work in a right answer."""
        found = [say(each) for work in self.work for each in needless_work(work)]
        return list(dict.fromkeys(found))


def needless_work(work: Work) -> list[Found]:
    """What a launch does in vain: at most one thing."""
    found = explain(Evidence(work=work))
    return [found] if found else []


def _count(line: Traffic, count: str) -> int:
    return line.requests if count == "requests" else line.units


def _ideal(line: Traffic, count: str) -> int:
    """The least number of sectors or requests for the bytes that the line requests."""
    if count == "sectors":
        return line.ideal
    return -(-line.lanes * line.bytes_each // HELD["requests"])
