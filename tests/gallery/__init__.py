"""Wrong answers that students write, one per file, and the sentence that must name the mistake.

A file is a `%%cuda` cell (`.cu`) or a `%%candidate` cell (`.py`). Its first line says what is wrong; the comment lines
after that hold `task:`, `refused by:` (the toolchains that must refuse it), `hazards:` (the kinds that the emulator
reports; none where the line is missing) and `says:` (a regular expression that the verdict's message must match).
`first attempt:` names an exercise of a review of first attempts and whether the verdict's words lead to the fix
(`yes`, `too little`, `misleading` or `passes`), for `docs/first-attempts.md`. `refused by: tracer` marks an answer
whose values are right by luck: the emulator's tracer refuses it with `says:`. `refused by: remark` marks an answer that
passes, since the question does not ask for what is wrong with it: `says:` is the remark of the verdict.

A file with `change of:` names another whole file of the folder. Its text is hunks, each after a line `@@`: the lines
with `-` and ` ` are a part that the named file has exactly once, and the lines with `+` and ` ` replace it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from course.build import bindable_functions
from course.worker.protocol import Answer
from tests import heads

FOLDER = Path(__file__).parent
CHANGE = "change of"
KEYS = {"task", "refused by", "hazards", "says", "first attempt"}


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
    first_attempt: str = ""


def gallery() -> list[Mistake]:
    """Every mistake, in the order of the file names. Raises ValueError for a file whose head has another form."""
    files = {file.name: file for file in heads.read_all(FOLDER)}
    return [_mistake(_whole(file, files)) for file in files.values()]


def _whole(file: heads.Headed, files: dict[str, heads.Headed]) -> heads.Headed:
    """The file itself, or for a change its head above the changed text of the file that it names."""
    if CHANGE not in file.fields:
        return file
    base = files.get(file.fields[CHANGE])
    if base is None or CHANGE in base.fields:
        raise ValueError(f"{file.path}: `{CHANGE}:` must name a whole file of this folder.")
    head, *hunks = file.source.removesuffix("\n").split("\n@@\n")
    lines, changed, done = base.source.split("\n")[1 + len(base.lines) :], [], 0
    for hunk in hunks:
        part = hunk.split("\n")
        old, new = ([line[1:] for line in part if line[:1] != other] for other in "+-")
        places = [place for place in range(len(lines)) if lines[place : place + len(old)] == old]
        if len(places) != 1 or places[0] < done:
            raise ValueError(f"{file.path}: {base.name} must have this part exactly once, in this order: {old}")
        changed += lines[done : places[0]] + new
        done = places[0] + len(old)
    comment = heads.COMMENT[file.path.suffix]
    kept = [line for line in head.split("\n") if not line.startswith(f"{comment}{CHANGE}:")]
    fields = tuple(line for line in file.lines if line[0] != CHANGE)
    return dataclasses.replace(file, lines=fields, source="\n".join(kept + changed + lines[done:]))


def _mistake(file: heads.Headed) -> Mistake:
    head = file.fields
    if not {"task", "refused by", "says"} <= head.keys() <= KEYS:
        raise file.error("task, refused by, says and perhaps hazards")
    if file.path.suffix == ".cu":
        (function,) = bindable_functions(file.source)
        answer = Answer("cuda", file.source, function)
    else:
        answer = Answer("candidate", file.source, "ModelNew")
    hazards = frozenset(heads.names(head.get("hazards", "")))
    refused_by = heads.names(head["refused by"])
    return Mistake(
        file.name, file.title, answer, head["task"], refused_by, hazards, head["says"], head.get("first attempt", "")
    )
