"""The memory requests of a call: how many, which line makes most, and how to make fewer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from course.toolchains.cuda_text import cited
from course.toolchains.emulator.traffic import SECTOR, Traffic

# Bytes of one sector, and of one request in which each lane of a warp gets 16: the units of `Case.budget`.
HELD = {"sectors": SECTOR, "requests": 512}
AGAIN = 1.5  # times the ideal; a line below it uses sectors well, and can only request data less often


@dataclass(frozen=True)
class Lines:
    """The text in which the lines of kernels are numbered, and its name, "" for the answer itself."""

    text: str = ""
    name: str = ""

    def cite(self, line: int) -> str:
        """The number of a line and its text."""
        return cited(re.sub(r"//[^\n]*", "", self.text), line) + f" of {self.name}" * bool(self.name)


def in_global(traffic: Sequence[Traffic], count: str) -> int:
    """The `sectors` or `requests` of global memory, of all lines together."""
    return sum(_count(line, count) for line in traffic if line.space == "global")


def too_many(traffic: Sequence[Traffic], count: str, budget: int, lines: Lines) -> str:
    """In a few sentences, that the kernels request more `sectors` or `requests` than `budget`; "" if they do not.

    `lines` says where a line is.
    """
    asked = in_global(traffic, count)
    if asked <= budget:
        return ""
    from_memory = f"request {asked:,} sectors of 32 bytes from global memory"
    what = from_memory if count == "sectors" else f"make {asked:,} {count} to global memory"
    seen = f"The kernels {what}, but {budget:,} are enough."
    return f"{seen} {most_asked(traffic, count, lines)} {_advice(busiest(traffic, count), count)}"


def too_many_wavefronts(traffic: Sequence[Traffic], budget: int, lines: Lines) -> str:
    """In a few sentences, that the requests to shared memory take more wavefronts than `budget`; "" if they do not."""
    taken = sum(line.units for line in traffic if line.space == "shared")
    if taken <= budget:
        return ""
    worst = busiest(traffic, "wavefronts")
    return (
        f"The requests to shared memory take {taken:,} wavefronts, but {budget:,} are enough. "
        f"Line {lines.cite(worst.line)} takes the most, {worst.units:,} for {worst.requests:,} {worst.op}s of a warp: "
        "lanes that request different words of the same bank are served one after the other. Padding (an unused word "
        "at the end of each row of the array) moves the rows to different banks."
    )


def moved_again(touched: int, budget: int) -> str:
    """In two sentences, that memory moves more sectors than `budget`, counted once per launch; "" if it does not."""
    if touched <= budget:
        return ""
    return (
        f"The kernels read and write {touched:,} different sectors of 32 bytes, counted for each launch, but "
        f"{budget:,} are enough: what one kernel stores and the next kernel loads is moved twice. Do all the work in "
        "one kernel."
    )


def most_asked(traffic: Sequence[Traffic], count: str, lines: Lines) -> str:
    """The line that requests most from global memory, compared with the ideal."""
    line = busiest(traffic, count)
    asked, ideal = _count(line, count), _ideal(line, count)
    times = f"{asked / ideal:.4g} times the {ideal:,} that" if asked > ideal else "as few as"
    kind = f"{line.op}s of {_bytes(line)} per thread"
    return f"Line {lines.cite(line.line)} requests the most, {asked:,} ({kind}): {times} could hold these bytes."


def busiest(traffic: Sequence[Traffic], count: str) -> Traffic:
    """The access with most `sectors` or `requests` (global memory) or `wavefronts` (shared). There must be one."""
    space = "shared" if count == "wavefronts" else "global"
    return max((line for line in traffic if line.space == space), key=lambda line: _count(line, count))


def is_wasteful(line: Traffic, count: str) -> bool:
    """Whether an access takes clearly more `sectors` or `requests` than could hold what its lanes request."""
    return _count(line, count) >= AGAIN * _ideal(line, count)


def _advice(line: Traffic, count: str) -> str:
    if not is_wasteful(line, count):
        return (
            "The same data is requested many times: let a thread keep the data in registers, or let a block share the "
            "data in shared memory. If the block already does this, use larger tiles."
        )
    if count == "requests":
        return "Let each thread access 16 bytes at once, as a float4."
    return "Let neighbouring threads of a warp access neighbouring elements."


def _count(line: Traffic, count: str) -> int:
    return line.requests if count == "requests" else line.units


def _ideal(line: Traffic, count: str) -> int:
    """The least sectors or requests that could hold what the line requests."""
    if count == "sectors":
        return line.ideal
    return -(-line.lanes * line.bytes_each // HELD["requests"])


def _bytes(line: Traffic) -> str:
    return f"{line.bytes_each} byte{'s' * (line.bytes_each != 1)}"
