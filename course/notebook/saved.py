"""What the course keeps in notebooks: data for programs in outputs, and the names and texts of cells.

A reader does not see the data. They mark lines of a `%%cuda` cell in the editor, and record points for `course status`.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from course.errors import CourseError, Hazard
from course.worker.cells import Cell

MIME = "application/vnd.cuda-kernels-course+json"
VERSION = 1  # of the data; programs ignore versions that they do not know
_CHECK = re.compile(r'\bcheck\(\s*"[^"]*",\s*([\w.]+)')
MAX_MB = 64  # the largest notebook that is read: room for a thousand of the largest figures


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook in a file, with a list of cells that are dicts. Raises CourseError if the file is not a notebook."""
    try:
        if path.stat().st_size > MAX_MB << 20:
            raise CourseError(f"{path} cannot be read because it has more than {MAX_MB} MB.")
        notebook = json.loads(path.read_bytes())
        if all(isinstance(cell, dict) for cell in notebook["cells"]):
            return notebook
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    raise CourseError(f"{path} cannot be read because it is not a notebook.")


def put_back(error: CourseError, path: Path) -> str:
    """What a learner does with a notebook that `read_notebook` cannot read."""
    return f"{error} `course reset {path}` puts the released notebook in its place and keeps this file."


def default_folder() -> Path:
    """The folder with the learner's notebooks: `lab`, or the current folder if it has no `lab`."""
    return Path("lab") if Path("lab").is_dir() else Path()


def value_at(content: object, *keys: str) -> Any:
    """The value in nested mappings under these keys, outermost first; None if there is no value."""
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    return content


def grade_id(cell: object) -> str | None:
    """The cell's grade_id; None if its metadata, which may be of any form, has none."""
    name = value_at(cell, "metadata", "nbgrader", "grade_id")
    return name if isinstance(name, str) else None


def cell_text(cell: object) -> str:
    """The source of a cell as one text. A file may have the source as a text or as a list of lines."""
    source = value_at(cell, "source")
    return "".join(map(str, source)) if isinstance(source, list) else str(source or "")


def answer_names(cells: Iterable[object]) -> dict[str, str]:
    """What the checks of a notebook call each answer, such as "adder.add", by the answer's grade_id."""
    names: dict[str, str] = {}
    for cell in cells:
        answer, call = value_at(cell, "metadata", "course", "answer"), _CHECK.search(cell_text(cell))
        if isinstance(answer, str) and call:
            names.setdefault(answer, call[1])
    return names


def fingerprint(text: str) -> str:
    """A hash of an answer's text, without its magic and without empty lines at the start and at the end."""
    with suppress(CourseError):  # the text of a cell that cannot be judged, or that is without its magic already
        text = Cell.of(text).source
    return hashlib.sha256(text.strip().encode(errors="surrogatepass")).hexdigest()[:16]


LineMark = Mapping[str, object]


def bundle(**content: Any) -> dict[str, Any]:
    """A part of a MIME bundle with `content`, which must be valid in JSON, under the course's own type."""
    return {MIME: {"version": VERSION, **content}}


def line_mark(line: int, text: str, kind: Literal["fault", "cost"] = "fault") -> LineMark:
    """A mark on a line, with a sentence as its tooltip. The line of the magic is line 1."""
    return {"line": line, "text": text, "kind": kind}


def marked_lines(
    cell: str, source: str, marks: Iterable[LineMark], hazards: Iterable[Hazard] = ()
) -> dict[str, object]:
    """The part of an output's MIME bundle that marks lines of the `%%cuda` cell that binds the name `cell`.

    Each line where a hazard was found has a mark, too. The line numbers refer to `source`, with an empty line in place
    of the magic's line. The bundle contains its checksum, by which the editor finds out whether the cell still has this
    text. If there are no marks, the editor removes earlier ones.
    """
    found = [
        line_mark(line, hazard.detail)
        for hazard in hazards
        for line in dict.fromkeys(place["line"] for place in hazard.where)
    ]
    return {"cell": cell, "source": zlib.crc32(source.rstrip("\n").encode()), "line_marks": [*found, *marks]}
