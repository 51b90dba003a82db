"""What the kernels of a call request from global memory: how much, in which line most, and how to request less."""

from __future__ import annotations

from collections.abc import Sequence

from course.toolchains.emulator.traffic import SECTOR, Traffic

# Bytes of one sector, and of one request in which each lane of a warp gets 16: the units of `Case.budget`.
HELD = {"sectors": SECTOR, "requests": 512}
AGAIN = 1.5  # times the ideal; a line that asks for less asks well, and can only ask less often


def in_global(traffic: Sequence[Traffic], count: str) -> int:
    """The `sectors` or `requests` of global memory, of all lines together."""
    return sum(_count(line, count) for line in traffic if line.space == "global")


def too_many(traffic: Sequence[Traffic], count: str, budget: int, text: str) -> str:
    """In a few sentences, that the kernels request more `sectors` or `requests` than `budget`; "" if they do not.

    `text` is what the lines are numbered in: see `most_asked`.
    """
    asked = in_global(traffic, count)
    if asked <= budget:
        return ""
    what = "sectors of 32 bytes" if count == "sectors" else count
    seen = f"The kernels ask global memory for {asked:,} {what}, where {budget:,} are enough."
    return f"{seen} {most_asked(traffic, count, text)} {_advice(_busiest(traffic, count), count)}"


def most_asked(traffic: Sequence[Traffic], count: str, text: str) -> str:
    """Which line asks global memory for most, and how that compares with the ideal.

    `text` says what the lines are numbered in, "" for a cell: in a script it is the CUDA source, not the file.
    """
    line = _busiest(traffic, count)
    asked, ideal = _count(line, count), _ideal(line, count)
    times = f"{asked / ideal:.4g} times the {ideal:,} that" if asked > ideal else "as few as"
    where = f"Line {line.line} of {text}" if text else f"Line {line.line}"
    return f"{where} asks for most, {asked:,} ({line.op}s of {_bytes(line)} per thread): {times} could hold them."


def _busiest(traffic: Sequence[Traffic], count: str) -> Traffic:
    """What asks global memory for most `sectors` or `requests`; there must be something."""
    return max((line for line in traffic if line.space == "global"), key=lambda line: _count(line, count))


def _advice(line: Traffic, count: str) -> str:
    if _count(line, count) < AGAIN * _ideal(line, count):
        return (
            "The same data is asked for many times: let a thread keep it, or a block share it in shared memory, in "
            "larger tiles where it does so already."
        )
    if count == "requests":
        return "Let each thread ask for 16 bytes at once, as a float4."
    return "Let neighbouring threads of a warp ask for neighbouring elements."


def _count(line: Traffic, count: str) -> int:
    return line.units if count == "sectors" else line.requests


def _ideal(line: Traffic, count: str) -> int:
    """The least sectors or requests that could hold what the line asks for."""
    if count == "sectors":
        return line.ideal
    return -(-line.lanes * line.bytes_each // HELD["requests"])


def _bytes(line: Traffic) -> str:
    return f"{line.bytes_each} byte{'s' * (line.bytes_each != 1)}"
