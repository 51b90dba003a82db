"""What students hand in that would stop a class's grading, one fault a file, and the sentence that must name it.

Every fault is about the notebook `00-first-kernel`. Its first line says what is wrong. With a line `answer:` it is
the text of that answer, below its magic; with a line `costs:` it defines `damage(notebook)`, which edits the file that
is handed in, and costs that answer, or with `costs: everything` all of them. `says:` is a regular expression that the
feedback must match.

They are hostile: run them in the sandbox only.
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


@dataclass(frozen=True)
class Fault:
    """One file: `costs` names the answer that it costs, `text` is that answer's, "" where `damage` does more."""

    name: str
    title: str
    costs: str
    says: str
    text: str
    damage: Callable[[Path], None]


def faults() -> list[Fault]:
    """Every fault, in the order of the file names. Raises ValueError for a file whose head is not of the form."""
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
    """Put `text` in the place of the answer `name`, below its magic."""
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)
    magic, _, _ = cell.source.partition("\n")
    cell.source = f"{magic}\n{text}" if magic.startswith("%%") else text
    nbformat.write(notebook, path)
