"""Wrong answers that students write, one a file, and the sentence that must name the mistake.

A file is a `%%cuda` cell (`.cu`) or a `%%candidate` cell (`.py`). Its first line says what is wrong; the comment lines
after that hold `task:`, `refused by:` (the toolchains that must refuse it), `hazards:` (the kinds that the emulator
reports; none where the line is missing) and `says:` (a regular expression that the verdict's message must match).
`refused by: tracer` marks one whose values are right by luck: the emulator's tracer refuses it, and says `says:`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from course.build import bindable_functions
from course.worker import Answer

FOLDER = Path(__file__).parent
KEYS = {"task", "refused by", "hazards", "says"}


@dataclass(frozen=True)
class Mistake:
    """One file of the gallery; `name` is the file's, `title` its first line."""

    name: str
    title: str
    answer: Answer
    task: str
    refused_by: tuple[str, ...]
    hazards: frozenset[str]
    says: str


def gallery() -> list[Mistake]:
    """Every mistake, in the order of the file names. Raises ValueError for a file whose head is not of the form."""
    return [_read(path) for path in sorted(FOLDER.iterdir()) if path.name[0].isdigit()]


def _read(path: Path) -> Mistake:
    source = path.read_text(encoding="utf-8")
    comment = {".cu": "// ", ".py": "# "}[path.suffix]
    lines = itertools.takewhile(lambda line: line.startswith(comment), source.splitlines())
    title, *fields = (line.removeprefix(comment) for line in lines)
    head = dict(field.split(": ", 1) for field in fields)
    if not {"task", "refused by", "says"} <= head.keys() <= KEYS:
        raise ValueError(f"{path} must have the lines task, refused by, says and perhaps hazards; it has {list(head)}.")
    if path.suffix == ".cu":
        (function,) = bindable_functions(source)
        answer = Answer("cuda", source, function)
    else:
        answer = Answer("candidate", source, "ModelNew")
    hazards = frozenset(_names(head.get("hazards", "")))
    return Mistake(path.stem, title, answer, head["task"], _names(head["refused by"]), hazards, head["says"])


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())
