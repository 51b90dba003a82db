"""Reads the tables of numbers that the runtime makes for the last call."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any


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
