"""The head of a data file: a comment line that says what the file shows, then comment lines `key: value`.

The source follows the head. A key may occur more than once if the folder's own reader says so.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

COMMENT = {".cu": "// ", ".py": "# "}


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
    """One file, `.cu` or `.py`. Raises ValueError if its head does not have this form."""
    source = path.read_text(encoding="utf-8")
    comment = COMMENT[path.suffix]
    head = list(itertools.takewhile(lambda line: line.startswith(comment), source.splitlines()))
    if not head or not all(":" in line for line in head[1:]):
        raise ValueError(f"{path}: its head must be a comment line that says what it shows, then lines `key: value`.")
    title, *lines = (line.removeprefix(comment) for line in head)
    return Headed(path, title, tuple(_field(line) for line in lines), source)


def read_all(folder: Path) -> list[Headed]:
    """Every `.cu` and `.py` file of a folder, in the order of the file names, without the package's `__init__.py`."""
    paths = sorted(folder.iterdir())
    return [read(path) for path in paths if path.suffix in COMMENT and path.name != "__init__.py"]


def names(text: str) -> tuple[str, ...]:
    """The names in a value that lists them with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _field(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()
