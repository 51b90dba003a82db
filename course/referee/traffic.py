"""The memory requests of a call: how many there are, which line makes the most, and how a kernel can make fewer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from course.toolchains.cuda_text import cited
from course.toolchains.emulator.traffic import SECTOR, Traffic

# The bytes in each unit of `Case.budget`: in one sector, and in one request in which each lane gets 16 bytes.
HELD = {"sectors": SECTOR, "requests": 512}
AGAIN = 1.5  # times the ideal; a line below this uses its sectors well, and can only request data less often


@dataclass(frozen=True)
class Lines:
    """The text that the line numbers of kernels refer to, and the text's name ("" for the answer itself)."""

    text: str = ""
    name: str = ""

    def cite(self, line: int) -> str:
        """The number of a line and its text."""
        return cited(re.sub(r"//[^\n]*", "", self.text), line) + f" of {self.name}" * bool(self.name)


def in_global(traffic: Sequence[Traffic], count: str) -> int:
    """The `sectors` or `requests` of global memory, summed over all lines."""
    return sum(_count(line, count) for line in traffic if line.space == "global")


def too_many(traffic: Sequence[Traffic], count: str, budget: int, lines: Lines) -> str:
    """A few sentences if the kernels request more `sectors` or `requests` than `budget`, else "".

    `lines` is the text that line numbers refer to.
    """
    asked = in_global(traffic, count)
    if asked <= budget:
        return ""
    from_memory = f"request {asked:,} sectors of 32 bytes from global memory"
    what = from_memory if count == "sectors" else f"make {asked:,} {count} to global memory"
    seen = f"The kernels {what}, but {budget:,} are enough."
    return f"{seen} {most_asked(traffic, count, lines)} {_advice(busiest(traffic, count), count)}"


def too_many_wavefronts(traffic: Sequence[Traffic], budget: int, lines: Lines) -> str:
    """A few sentences if the requests to shared memory take more wavefronts than `budget`, else ""."""
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
    """Two sentences if the launches touch more different sectors than `budget`, added up over launches; else ""."""
    if touched <= budget:
        return ""
    return (
        f"The kernels read and write {touched:,} different sectors of 32 bytes, counted for each launch, but "
        f"{budget:,} are enough: what one kernel stores and the next kernel loads is moved twice. Do all the work in "
        "one kernel."
    )


def most_asked(traffic: Sequence[Traffic], count: str, lines: Lines) -> str:
    """A sentence about the line that requests the most from global memory, compared with the ideal."""
    line = busiest(traffic, count)
    asked, ideal = _count(line, count), _ideal(line, count)
    times = f"{asked / ideal:.4g} times the {ideal:,} that" if asked > ideal else "as few as"
    kind = f"{line.op}s of {_bytes(line)} per thread"
    return f"Line {lines.cite(line.line)} requests the most, {asked:,} ({kind}): {times} could hold these bytes."


def busiest(traffic: Sequence[Traffic], count: str) -> Traffic:
    """The line with the most `sectors` or `requests` of global memory, or `wavefronts` of shared memory.

    There must be at least one such line.
    """
    space = "shared" if count == "wavefronts" else "global"
    return max((line for line in traffic if line.space == space), key=lambda line: _count(line, count))


def is_wasteful(line: Traffic, count: str) -> bool:
    """Whether a line takes clearly more `sectors` or `requests` than are needed for the bytes that it requests."""
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
    """The least number of sectors or requests for the bytes that the line requests."""
    if count == "sectors":
        return line.ideal
    return -(-line.lanes * line.bytes_each // HELD["requests"])


def _bytes(line: Traffic) -> str:
    return f"{line.bytes_each} byte{'s' * (line.bytes_each != 1)}"
