"""The head of a data file: a comment line that says what the file shows, then comment lines `key: value`.

The source follows the head. A key may occur more than once if the folder's own reader says so.

A file with `change of:` names another file of its folder, or `solution NAME`, an answer of `solutions/`. Its text is
hunks, each after a line `@@`: the lines with `-` and ` ` are a part that what it names has exactly once, and the lines
with `+` and ` ` replace it. A line `-...` stands for all lines up to those that follow it in the part.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

COMMENT = {".cu": "// ", ".py": "# "}
CHANGE = "change of"
DOTS = "..."


@dataclass(frozen=True)
class Headed:
    """One file: `title` is its first line, `lines` the keys and values below it, `source` the whole text.

    The source includes the head, so that a line number in a message is the line number in the file.
    """

    path: Path
    title: str
    lines: tuple[tuple[str, str], ...]
    source: str

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem

    @property
    def fields(self) -> dict[str, str]:
        """The value of each key; the last value if a key occurs more than once."""
        return dict(self.lines)

    def error(self, lines: str) -> ValueError:
        """The error for a head that lacks lines or has other lines; `lines` names those that it must have."""
        return ValueError(f"{self.path} must have the lines {lines}; it has {[key for key, _ in self.lines]}.")


def read(path: Path) -> Headed:
    """One file, `.cu` or `.py`, as it is. Raises ValueError if its head does not have this form."""
    source = path.read_text(encoding="utf-8")
    comment = COMMENT[path.suffix]
    head = list(itertools.takewhile(lambda line: line.startswith(comment), source.splitlines()))
    if not head or not all(":" in line for line in head[1:]):
        raise ValueError(f"{path}: its head must be a comment line that says what it shows, then lines `key: value`.")
    title, *lines = (line.removeprefix(comment) for line in head)
    return Headed(path, title, tuple(_field(line) for line in lines), source)


def read_all(folder: Path, shared: Sequence[str] = ()) -> list[Headed]:
    """Every `.cu` and `.py` file of a folder, in the order of the file names, without the package's `__init__.py`.

    A change is read as the text that it makes. Its values of the keys in `shared` are those of the file that it names,
    unless it has its own. Raises ValueError for a head or a change of another form.
    """
    paths = sorted(folder.iterdir())
    files = [read(path) for path in paths if path.suffix in COMMENT and path.name != "__init__.py"]
    by_name = {file.name: file for file in files}
    return [_made(file, by_name, shared) for file in files]


def _made(file: Headed, files: dict[str, Headed], shared: Sequence[str]) -> Headed:
    """A file as it is or, if it is a change, its head above the changed text of what it names."""
    if CHANGE not in file.fields:
        return file
    name, fields = file.fields[CHANGE], {}
    if name in files:
        base = _made(files[name], files, shared)
        text = base.source.split("\n", 1 + len(base.lines))[-1]
        fields = {key: base.fields[key] for key in shared if key in base.fields}
    elif (text := solutions().get(name, "")) == "":
        raise ValueError(f"{file.path}: `{CHANGE}:` must name a file of this folder, or a solution.")
    _, *hunks = file.source.removesuffix("\n").split("\n@@\n")
    try:
        lines = changed(text.split("\n"), hunks)
    except ValueError as error:
        raise ValueError(f"{file.path}: {name} {error}") from None
    fields |= file.fields
    del fields[CHANGE]
    head = [file.title, *(f"{key}: {value}" for key, value in fields.items())]
    source = "\n".join([*(COMMENT[file.path.suffix] + line for line in head), *lines])
    return dataclasses.replace(file, lines=tuple(fields.items()), source=source)


@cache
def solutions() -> dict[str, str]:
    """What is below the magic of each answer of `solutions/`, without the marks around what a student writes."""
    found = {}
    for path in (Path(__file__).parents[1] / "solutions").glob("*/*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            tags = cell["metadata"].get("nbgrader", {})
            if tags.get("solution"):
                text = "".join(cell["source"])
                lines = re.sub(r"^(%%.*|.*\b(BEGIN|END) SOLUTION)\n", "", text, flags=re.MULTILINE)
                found[f"solution {tags['grade_id']}"] = f"{lines}\n"
    return found


def changed(lines: list[str], hunks: list[str]) -> list[str]:
    """`lines` with the hunks of a change. Raises ValueError if they do not have each hunk's part exactly once."""
    result, done = [], 0
    for hunk in hunks:
        part = hunk.split("\n")
        old, new = ([line[1:] for line in part if line[:1] != other] for other in "+-")
        ends = {place: end for place in range(len(lines)) if (end := _end(lines, place, old))}
        place = next(iter(ends), -1)
        if len(ends) != 1 or place < done:
            raise ValueError(f"must have this part exactly once, in this order: {old}")
        result += lines[done:place] + new
        done = ends[place]
    return result + lines[done:]


def _end(lines: list[str], place: int, part: list[str]) -> int:
    """Where the part of a hunk that begins at `place` ends; 0 if it does not begin there."""
    first = part.index(DOTS) if DOTS in part else len(part)
    end = place + first
    if lines[place:end] != part[:first]:
        return 0
    if first == len(part):
        return end
    return next((found for later in range(end, len(lines)) if (found := _end(lines, later, part[first + 1 :]))), 0)


def names(text: str) -> tuple[str, ...]:
    """The names in a value that lists them with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _field(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()
