"""Answers and notebooks that try to get marks without the work, one per file, and the verdict that each must get.

A file is the text of an answer, below its magic. If its name begins with `notebook-`, it is Python that defines
`edit(notebook)`, which changes the instructor's own notebook before it is handed in. If its name begins with `time-`,
its values are right, and it wants a better time. Its first line says what it tries; the comment lines after that hold
`question:` (the graded cell that it attacks, or the task of a script), `hazards:` (the kinds that the verdict must
have; none where the line is missing), `says:` (a regular expression that the verdict's message must match) and
`stopped by:` (the defences without which it would succeed: see `tests/grading/test_cheats.py`). The rows of these
defences in `course/toolchains/guard/README.md` list the cheat, too. A file with `change of:` is a change of another
file (`tests/heads.py`). In its text, `{outside}` stands for a file elsewhere on this machine. An attack on other
students' answers is not a file here, but a row of `LEFT_BEHIND` in `tests/grading/test_sandbox.py`.

These files are hostile: run them in the sandbox only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom import ROOT
from autograder.judging.jobs import Question
from course.worker.protocol import Answer
from tests import heads

FOLDER = Path(__file__).parent
FORM = {"question", "says", "stopped by"}
# A question that no notebook asks: a script for a task without arguments besides one tensor.
SCRIPT = {
    "task": "relu",
    "cases": "visible",
    "notebook": "",
    "function": "ModelNew",
    "magic": "%%candidate packaged\n",
}


@dataclass(frozen=True)
class Cheat:
    """One file: `name` is the file's, `title` its first line, `text` what is handed in for the answer.

    `notebook` is the notebook of the question, and `function` is what the question calls.
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
        """Whether the file changes a notebook and is not an answer."""
        return self.name.startswith("notebook-")

    @property
    def for_time(self) -> bool:
        """Whether it has right values and wants a better time."""
        return self.name.startswith("time-")

    def answer(self, outside: Path) -> Answer:
        """The file as an answer, with `outside` as the file elsewhere."""
        return Answer.of_cell(self.text.replace("{outside}", str(outside)), self.function)


def cheats() -> list[Cheat]:
    """Every cheat, in the order of the file names. Raises ValueError for a file whose head has another form."""
    asked = _questions()
    return [_cheat(file, asked) for file in heads.read_all(FOLDER, ("question", "stopped by"))]


def _cheat(file: heads.Headed, asked: dict[str, dict[str, str]]) -> Cheat:
    head = file.fields
    name = head.get("question", "")
    if head.keys() - {"hazards"} != FORM or name not in asked.keys() | {SCRIPT["task"]}:
        raise file.error("question, says and stopped by")
    place = asked.get(name, SCRIPT)
    return Cheat(
        file.name,
        file.title,
        place["magic"] + file.source,
        Question(name, place["task"], place["cases"]),
        place["notebook"],
        place["function"],
        frozenset(heads.names(head.get("hazards", ""))),
        head["says"],
        heads.names(head["stopped by"]),
    )


def _questions() -> dict[str, dict[str, str]]:
    """The `course` metadata, the notebook and the answer's magic of each graded cell of the instructor's notebooks."""
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
