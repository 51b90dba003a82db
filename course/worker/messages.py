"""Messages between the referee and its processes: a frame with a header in JSON, then its bytes.

Student code may have written a message, so each field is checked here, and what is wrong raises one of MALFORMED. Each
request has a random number that its reply repeats. So a reply that the student's code sends ahead, or a second reply,
is refused. The builder uses this too, so nothing here imports PyTorch.
"""

import dataclasses
import functools
import json
import os
import re
import socket
import struct
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from course.toolchains.cache import cache_root

FRAME = struct.Struct("<QQ")  # bytes of the JSON header, bytes of the payload
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
    return without_folders(str(data))[:bound].encode(errors="backslashreplace").decode()


def without_folders(text: str) -> str:
    """`text` from student code, with paths that do not say where this machine has Python, the course and the cache."""
    return _folders().sub("", text)


@functools.cache
def _folders() -> re.Pattern:
    course = Path(__file__).parents[2]
    places: set[str | Path] = {*sys.path, sys.prefix, sys.base_prefix, course, cache_root(), Path.home(), Path.cwd()}
    paths = {form for place in places for form in (os.path.abspath(place), os.path.realpath(place))} - {os.sep}
    longest_first = sorted(map(re.escape, paths), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(longest_first)})(?:/|(?![\w.-]))")


def decoded(
    kind: Any,
    data: Any,
    readers: Mapping[Any, Callable[[Any], Any]] = types.MappingProxyType({}),
    bound: int | None = None,
) -> Any:
    """The object of the annotated type `kind` that `data` describes, as `json.loads` returned it.

    A `kind` is a dataclass, a tuple, `str`, `bool`, `int` (a count), `object` (a number, a bool or None), one of these
    or None, or a key of `readers`. With a `bound`, texts are cut to this length and made printable.
    """
    read = functools.partial(decoded, readers=readers, bound=bound)
    parts = get_args(kind)
    if kind in readers:
        return readers[kind](data)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: read(hints[name], value) for name, value in data.items()})
    if types.NoneType in parts:
        return None if data is None else read(parts[0], data)
    if get_origin(kind) is tuple:
        kinds = parts[:1] * len(as_list(data)) if parts[1:] == (...,) else parts
        return tuple(read(*pair) for pair in zip(kinds, as_list(data), strict=True))
    if kind is str:
        return as_string(data) if bound is None else printable(as_string(data), bound)
    if kind is bool and not isinstance(data, bool):
        raise TypeError("neither true nor false")
    return as_count(data) if kind is int else as_plain(data)


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


class RequestStream:
    """The worker's end: it reads requests one at a time, and each reply repeats the number of the last one."""

    def __init__(self, descriptor: int):
        self._socket = socket.socket(fileno=descriptor)
        self._reader = self._socket.makefile("rb")
        self._number = ""

    def __enter__(self) -> "RequestStream":
        return self

    def __exit__(self, *exc: object) -> None:
        self._reader.close()
        self._socket.close()

    def receive(self) -> dict | None:
        """The referee's next request, with its bytes as `payload`; None if the referee has closed the channel."""
        frame = self._reader.read(FRAME.size)
        if not frame:
            return None
        header, size = FRAME.unpack(frame)
        request = json.loads(self._reader.read(header))
        self._number = request.pop("number")
        return {**request, "payload": self._reader.read(size)} if size else request

    def send(self, reply: dict, payload: Any = b"") -> None:
        """Send `reply` with `payload`, which is anything that has a buffer of bytes."""
        header = json.dumps({**reply, "number": self._number}).encode()
        self._socket.sendall(FRAME.pack(len(header), len(payload)) + header)
        self._socket.sendall(payload)
