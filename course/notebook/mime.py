"""Data for programs in the outputs of a notebook, which a reader does not see."""

from __future__ import annotations

from typing import Any

MIME = "application/vnd.cuda-kernels-course+json"
VERSION = 1  # the version of the data; programs ignore versions that they do not know


def bundle(**content: Any) -> dict[str, Any]:
    """A part of a MIME bundle with `content`, which must be valid in JSON, under the course's own type."""
    return {MIME: {"version": VERSION, **content}}
