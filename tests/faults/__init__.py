"""Faulty submissions that could stop a class's grading, one fault per file, and the sentence that must name it.

Every fault is about the notebook `00-first-kernel`. A file's first line says what is wrong. A file with `answer:` is
the text of that answer, below its magic. A file with `costs:` defines `damage(notebook)`, which edits the submitted
file and makes that answer fail, or all answers with `costs: everything`, or none with `costs: nothing`. `says:` is a
regular expression that the feedback must match.

These files are hostile: run them in the sandbox only.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat

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
            return Fault(file.name, file.title, costs, says, text, lambda notebook: _put(notebook, costs, text))
        case {"costs": costs, "says": says}:
            return Fault(file.name, file.title, costs, says, "", runpy.run_path(str(file.path))["damage"])
    raise file.error("answer or costs, and says")


def _put(path: Path, name: str, text: str) -> None:
    """Replace the text of the answer `name`, below its magic, with `text`."""
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)
    magic, _, _ = cell.source.partition("\n")
    cell.source = f"{magic}\n{text}" if magic.startswith("%%") else text
    nbformat.write(notebook, path)
