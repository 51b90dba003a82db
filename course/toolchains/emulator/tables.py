"""Reads the tables of numbers that the runtime makes for the last call."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from course.explain.reports import Place, Reason, Report, Subject, SubjectKind


def numbers(function: Callable, width: int = 1, *rest: Any) -> array.array[int]:
    """The numbers of a table whose `function` returns how many rows of `width` it has."""
    start = ctypes.POINTER(ctypes.c_int64)()
    count = function(ctypes.byref(start), *rest)
    return array.array("q", ctypes.string_at(start, 8 * count * width))


def rows(function: Callable, width: int, *rest: Any) -> list[tuple[int, ...]]:
    """The rows of a table."""
    return list(zip(*[iter(numbers(function, width, *rest))] * width, strict=True))


def text(address: int) -> str:
    """The text at an address from a table."""
    return ctypes.string_at(address).decode(errors="replace")


def reported(runtime: ctypes.CDLL) -> list[Report]:
    """What the runtime reports about the last call, in order."""
    table = iter(numbers(runtime.emulator_reports))
    return [_report(list(Reason)[number], table) for number in table]


def _report(reason: Reason, table: Iterator[int]) -> Report:
    kernel, kind, name = islice(table, 3)
    sizes, facts, places = (tuple(islice(table, next(table))) for _ in range(3))
    each = zip(*[iter(places)] * 8, strict=True)
    found = tuple(Place(code, line, tuple(index[:3]), tuple(index[3:])) for code, line, *index in each if code or line)
    subject = Subject(SubjectKind(kind), text(name), sizes)
    return Report(reason, text(kernel), subject, dict(zip(reason.facts, facts, strict=True)), found)
