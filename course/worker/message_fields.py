"""Checks for the fields of a message that student code may have written; they raise one of MALFORMED.

The builder uses them too, so nothing here imports PyTorch.
"""

from __future__ import annotations

from typing import Any

from course.toolchains.base import Source

MESSAGE_BOUND = 4000  # characters
HEADER_BOUND = 1 << 20  # bytes
SOURCE_BOUND = 1 << 18  # characters as JSON; the time for reading a source grows with it
TOO_LONG = (
    f"The source is longer than {SOURCE_BOUND >> 10} KiB: write only a kernel and its wrapper, without data or copies."
)
# What the checks or Python itself raise if a message lacks a field or has a wrong one.
MALFORMED = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)


def as_list(data: Any) -> list:
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data


def as_string(data: Any, bound: int | None = None) -> str:
    """`data`, a string of at most `bound` characters."""
    if not isinstance(data, str) or (bound is not None and len(data) > bound):
        raise TypeError("not a text")
    return data


def as_count(data: Any) -> int:
    if type(data) is not int or not 0 <= data < 1 << 48:
        raise ValueError("not a count")
    return data


def as_plain(data: Any) -> Any:
    """`data`, a number, a bool or None."""
    if not (data is None or isinstance(data, bool | float) or (type(data) is int and abs(data) < 1 << 64)):
        raise TypeError("not a plain value")
    return data


def printable(data: Any, bound: int = MESSAGE_BOUND) -> str:
    """`data` as text that can be printed and stored, which half of a surrogate pair cannot."""
    return str(data)[:bound].encode(errors="backslashreplace").decode()


def source_from_json(data: Any) -> Source:
    """The source that a message describes, each field checked."""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(as_string(each) for each in as_list(data[name]))

    functions = data["functions"]
    return Source(
        cuda=as_string(data["cuda"]),
        cpp=None if data["cpp"] is None else as_string(data["cpp"]),
        functions=None if functions is None else tuple((as_string(name), as_string(doc)) for name, doc in functions),
        cflags=texts("cflags"),
        cuda_cflags=texts("cuda_cflags"),
        ldflags=texts("ldflags"),
        include_paths=texts("include_paths"),
    )
