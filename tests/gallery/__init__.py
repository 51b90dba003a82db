"""Wrong answers that students write, one per file, and the sentence that must name the mistake.

A file is a `%%cuda` cell (`.cu`), whose last function is judged, or a `%%candidate` cell (`.py`). Its first line says
what is wrong; the comment lines after that hold `task:`, `refused by:` (the toolchains that must refuse it; both where
the line is missing), `hazards:` (the kinds that the emulator reports; none where the line is missing) and `says:` (a
regular expression that the verdict's message must match). `refused by: tracer` marks an answer whose values are right
by luck: the emulator's tracer refuses it with `says:`. `refused by: remark` marks an answer that passes, since the
question does not ask for what is wrong with it: `says:` is the remark of the verdict.

A file may be a change of a solution or of another file (`tests/heads.py`). Of a file, it needs no `task:` and
`refused by:` if they are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.build import bindable_functions
from course.worker.protocol import Answer
from tests import heads

FOLDER = Path(__file__).parent
KEYS = {"task", "refused by", "hazards", "says"}


_functions = cache(bindable_functions)  # several test files read the gallery


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
    """Every mistake, in the order of the file names. Raises ValueError for a file whose head has another form."""
    return [_mistake(file) for file in heads.read_all(FOLDER, ("task", "refused by"))]


def _mistake(file: heads.Headed) -> Mistake:
    head = file.fields
    if not {"task", "says"} <= head.keys() <= KEYS:
        raise file.error("task, says and perhaps refused by and hazards")
    if file.path.suffix == ".cu":
        function = _functions(file.source)[-1]
        answer = Answer("cuda", file.source, function)
    else:
        answer = Answer("candidate", file.source, "ModelNew")
    hazards = frozenset(heads.names(head.get("hazards", "")))
    refused_by = heads.names(head.get("refused by", "emulator, nvcc"))
    return Mistake(file.name, file.title, answer, head["task"], refused_by, hazards, head["says"])
