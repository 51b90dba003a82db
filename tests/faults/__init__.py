"""Faulty submissions that could stop a class's grading, one fault per file, and the sentence that must name it.

Every fault is about the notebook `00-first-kernel`. A file's first line says what is wrong. A file with `answer:` is
the text of that answer, below its magic. A file with `costs:` makes that answer fail, or all answers with
`costs: everything`, or none with `costs: nothing`. It defines `damage(path)`, which damages the submitted file, or
`edit(notebook, answers)`, which changes what the file contains: `answers` has the answers' cells by their grade_id.
`says:` is a regular expression that the feedback must match.

These files are hostile: run them in the sandbox only.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests import heads

FOLDER = Path(__file__).parent
ASSIGNMENT = "00-first-kernel"
EVERYTHING = "everything"
NOTHING = "nothing"


@dataclass(frozen=True)
class Fault:
    """One file: `costs` is the answer that fails, EVERYTHING or NOTHING. `text` is its text, or ""."""

    name: str
    title: str
    costs: str
    says: str
    text: str
    damage: Callable[[Path], None]


def faults() -> list[Fault]:
    """Every fault, in the order of the file names. Raises ValueError for a file whose head has another form."""
    return [_fault(file) for file in heads.read_all(FOLDER)]


def _fault(file: heads.Headed) -> Fault:
    text = file.source
    match file.fields:
        case {"answer": costs, "says": says}:
            return Fault(file.name, file.title, costs, says, text, partial(_edited, partial(_put, costs, text)))
        case {"costs": costs, "says": says}:
            defined = runpy.run_path(str(file.path))
            damage = defined.get("damage") or partial(_edited, defined["edit"])
            return Fault(file.name, file.title, costs, says, "", damage)
    raise file.error("answer or costs, and says")


def _edited(edit: Callable[[Any, dict[str, Any]], None], path: Path) -> None:
    """Change the notebook in a file with `edit`."""
    notebook = json.loads(path.read_text())
    edit(notebook, {each["metadata"].get("nbgrader", {}).get("grade_id"): each for each in notebook["cells"]})
    path.write_text(json.dumps(notebook))


def _put(name: str, text: str, notebook: Any, answers: dict[str, Any]) -> None:
    """Replace the text of the answer `name`, below its magic, with `text`."""
    magic, _, _ = "".join(answers[name]["source"]).partition("\n")
    answers[name]["source"] = f"{magic}\n{text}" if magic.startswith("%%") else text
