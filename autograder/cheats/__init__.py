"""Answers and notebooks that try for marks without the work, one a file, and the verdict that each must get.

A file is the text of an answer, below its magic, or, where its name begins with `notebook-`, Python that defines
`edit(notebook)`, which changes the instructor's own notebook before it is handed in; where it begins with `time-`, the
values are right, and a better time is what it wants. Its first line says what it tries; the comment lines after that
hold `question:` (the graded cell that it attacks), `hazards:` (the kinds that the verdict must have; none where the
line is missing), `says:` (a regular expression that the verdict's message must match) and `stopped by:` (the defences
without which it would win: see `tests/test_cheats.py`). `{outside}` stands for a file elsewhere on this machine.

They are hostile: run them in the sandbox only.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom import ROOT
from autograder.jobs import Question
from course.worker import Answer

FOLDER = Path(__file__).parent
FORM = {"question", "says", "stopped by"}


@dataclass(frozen=True)
class Cheat:
    """One file: `name` is the file's, `title` its first line, `text` what is handed in for the answer.

    `notebook` and `function` are where the question stands, and what it calls.
    """

    name: str
    title: str
    text: str
    question: Question
    notebook: str
    function: str
    hazards: frozenset[str]
    says: str
    stopped_by: tuple[str, ...]

    @property
    def edits_notebook(self) -> bool:
        """Whether the file changes a notebook, and is no answer."""
        return self.name.startswith("notebook-")

    @property
    def for_time(self) -> bool:
        """Whether it has right values, and wants a better time."""
        return self.name.startswith("time-")

    def answer(self, outside: Path) -> Answer:
        """The answer that the file is, with `outside` for the file elsewhere."""
        return Answer.of_cell(self.text.replace("{outside}", str(outside)), self.function)


def cheats() -> list[Cheat]:
    """Every cheat, in the order of the file names. Raises ValueError for a file whose head is not of the form."""
    asked = _questions()
    paths = [path for path in sorted(FOLDER.iterdir()) if path.suffix in (".cu", ".py") and path.stem != "__init__"]
    return [_read(path, asked) for path in paths]


def _read(path: Path, asked: dict[str, dict[str, str]]) -> Cheat:
    source = path.read_text(encoding="utf-8")
    comment = {".cu": "// ", ".py": "# "}[path.suffix]
    lines = itertools.takewhile(lambda line: line.startswith(comment), source.splitlines())
    title, *fields = (line.removeprefix(comment) for line in lines)
    head = dict(field.split(": ", 1) for field in fields)
    if head.keys() - {"hazards"} != FORM or head["question"] not in asked:
        raise ValueError(f"{path} must have the lines question, says and stopped by; it has {list(head)}.")
    name = head["question"]
    place = asked[name]
    return Cheat(
        path.stem,
        title,
        place["magic"] + source,
        Question(name, place["task"], place["cases"]),
        place["notebook"],
        place["function"],
        frozenset(_names(head.get("hazards", ""))),
        head["says"],
        _names(head["stopped by"]),
    )


def _questions() -> dict[str, dict[str, str]]:
    """Of each graded cell of the instructor's notebooks its `course` metadata, the notebook, the answer's magic."""
    found = {}
    for path in (ROOT / "solutions").glob("*/*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tagged = {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in cells if "nbgrader" in cell["metadata"]}
        for name, cell in tagged.items():
            if asked := cell["metadata"].get("course"):
                first = "".join(tagged[asked["answer"]]["source"]).partition("\n")[0]
                magic = f"{first}\n" if first.startswith("%%") else ""
                found[name] = {**asked, "notebook": path.stem, "magic": magic}
    return found


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
