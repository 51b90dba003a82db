"""The advice on what the emulator's runtime reports: how to fix a race or a barrier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from course.toolchains.cuda_text import CudaText, cited, line_of, opening, rstripped
from course.toolchains.emulator.reports import Reason, Report

_HEAD = re.compile(r"\b(if|else|for|while)\s*$")
READS, _, ATOMIC, ASYNCHRONOUS = range(4)  # by the numbers of `tracer::operation`


def race_advice(report: Report, reports: Sequence[Report], source: str) -> tuple[str, tuple[int, int] | None]:
    """How to fix the race of a report, and its `Hazard.barrier`; `reports` is everything that the call reported."""
    facts = report.facts
    operations = () if facts["same_site"] else (facts["op"], facts["op_before"])
    low, high = report.lines
    reads, shared = READS in operations, report.subject.is_shared
    several = any(
        each.facts["same_site"]
        for each in reports
        if each.reason is Reason.RACE and each.kernel == report.kernel and each.lines == [low, high] == [low, low]
    )
    text = dict(enumerate(CudaText.of(source).without_comments.split("\n"), 1))
    # By PTX's memory consistency model, two unordered accesses race unless both are strong, atomic or volatile, even
    # if the values are the same.
    if reads and not shared and (_is_flag(text, low, high) or _is_flag(text, high, low)):
        return (
            "; reading a flag while other threads set it is a race even if all threads set the same value, since the "
            "compiler may reuse an old value of the flag: use atomicAdd(flag, 0) and atomicExch(flag, 1), or a "
            "volatile pointer"
        ), None
    if ASYNCHRONOUS in operations:
        return (
            "; the data of an asynchronous copy may arrive at any time until the kernel has waited for the copy: a "
            "__syncthreads() is needed between the last use of that memory and the copy, and between the wait and the "
            "next use"
        ), None
    if report.places[0].block != report.places[1].block:
        fix = "give each element to one thread, or use atomicAdd"
        if reads and not several:
            fix = "write to a different tensor, or do one of the two accesses in a separate launch"
        elif not several and ATOMIC in operations:
            fix = "do one of the two in a separate launch"
        return f", in another block; blocks run in no fixed order: {fix}", None
    between = [text[line] for line in range(low + 1, high)]
    if not facts["no_barrier"] and any("__syncthreads" in line for line in between):
        return f"; a __syncthreads() is missing after line {high}, before line {low} runs again", (high, low)
    if several:
        again = f", or a __syncthreads() is missing before line {low} runs again" if shared else ""
        return f"; give each element to one thread, or use atomicAdd{again}", None
    if low == high and not shared:
        return "; some threads read the old value and some the new: write to a different tensor", None
    place = f"between line {low} and line {high}"
    if low == high:
        place = f"before line {low} runs again, or between its read and its write"
    warp = " (a __syncwarp() is enough if a single warp runs this)" if facts["one_warp"] else ""
    return f"; a __syncthreads() is missing {place}{warp}", (low, high) if low != high else None


def _is_flag(text: dict[int, str], write: int, read: int) -> bool:
    """Whether a line stores a constant that a condition in another line reads."""
    constant, condition = r"(?:\*\s*\w+|\])\s*=\s*(?:true|false|\d+)\s*;", r"\b(?:if|while|for)\s*\("
    return bool(re.search(constant, text.get(write, "")) and re.search(condition, text.get(read, "")))


def barrier_advice(source: str, line: int) -> str:
    """Why some threads of a block do not reach the barrier in a line, as far as the source shows it, and the fix."""
    text = CudaText.of(source).without_directives
    kernel = next((f for f in CudaText.of(source).functions if _lines_of(text, f.body_start, f.body, line)), None)
    if kernel is None:
        return "every thread must reach it"
    barrier = text.find("__syncthreads", len("\n".join(text.split("\n")[: line - 1])))
    heads = dict(_heads_around(text, kernel.body_start, barrier))
    returns = bool(re.search(r"\breturn\b", text[kernel.body_start : barrier]))
    # A condition is more likely than a loop.
    around = sorted(heads.items(), key=lambda each: each[0] not in ("if", "else"))
    skipped = [f"the {word} in line {cited(text, line_of(text, at))}" for word, at in around]
    if returns and not {"if", "else"} & heads.keys():
        return (
            "the others have returned: every thread must reach it, so guard only the work, and do not return before the"
            " barrier"
        )
    if skipped and not returns:
        way = "have left" if heads.keys() <= {"for", "while"} else "skip"
        return f"the others {way} {skipped[0]}: every thread must reach it"
    return "the others have returned, or skip a condition around it: every thread must reach it"


def _lines_of(text: str, start: int, body: str, line: int) -> bool:
    """Whether a line is in the body of a function that begins at `start`."""
    return line_of(text, start) <= line <= line_of(text, start + len(body))


def _heads_around(text: str, begin: int, offset: int) -> Iterator[tuple[str, int]]:
    """The `if`, `else`, `for` or `while` around an offset, the innermost first, with their places."""
    depth = 0
    for place in range(offset, begin - 1, -1):
        character = text[place]
        depth += (character == "}") - (character == "{")
        own = character == "{" and depth < 0
        if own:
            depth = 0
        if own or place == offset:
            start = rstripped(text, place)
            if text[start - 1 : start] == ")":
                start = opening(text, start - 1)
            if head := _HEAD.search(text, max(begin, start - 100), start):
                yield head[1], head.start()
