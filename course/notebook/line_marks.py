"""Data for programs in the outputs of a notebook, such as the lines of a `%%cuda` cell that the editor marks.

It marks lines with hazards, and the line that requests most from memory. A reader does not see these data.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from course.errors import Hazard

MIME = "application/vnd.cuda-kernels-course+json"
VERSION = 1  # of the data; programs ignore versions that they do not know

LineMark = Mapping[str, object]


def bundle(**content: Any) -> dict[str, Any]:
    """A part of a MIME bundle with `content`, which must be valid in JSON, under the course's own type."""
    return {MIME: {"version": VERSION, **content}}


def line_mark(line: int, text: str, kind: Literal["fault", "cost"] = "fault") -> LineMark:
    """A mark on a line, with a sentence as its tooltip. The line of the magic is line 1."""
    return {"line": line, "text": text, "kind": kind}


def hazard_marks(hazards: Iterable[Hazard]) -> list[LineMark]:
    """A mark on each line where a hazard was found."""
    return [
        line_mark(line, hazard.detail)
        for hazard in hazards
        for line in dict.fromkeys(place["line"] for place in hazard.where)
    ]


def marked_lines(cell: str, source: str, marks: Iterable[LineMark]) -> dict[str, object]:
    """The part of an output's MIME bundle that marks lines of the `%%cuda` cell that binds the name `cell`.

    The line numbers refer to `source`, with an empty line in place of the magic's line. The bundle contains its
    checksum, by which the editor finds out whether the cell still has this text. If there are no marks, the editor
    removes earlier ones.
    """
    return {"cell": cell, "source": zlib.crc32(source.rstrip("\n").encode()), "line_marks": list(marks)}
