"""The data for programs in a notebook's outputs, besides what a reader sees."""

from __future__ import annotations

from typing import Any

MIME = "application/vnd.cuda-kernels-course+json"
VERSION = 1  # of the data; programs read only the version that they know


def bundle(**content: Any) -> dict[str, Any]:
    """A part of a MIME bundle: `content`, which JSON can hold, under the course's own type."""
    return {MIME: {"version": VERSION, **content}}
