"""Pages of tables for the instructor: HTML without scripts, and one CSV file per table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from autograder.files import write_whole, written
from course.html import render

TEMPLATES = Path(__file__).parent / "templates"


class Link(NamedTuple):
    """A text that leads to another page; with the address "", it is only a text."""

    text: str
    address: str


class Bar(NamedTuple):
    """A text beside a bar of relative length `share`, from 0 to 1."""

    text: str
    share: float


class Mark(NamedTuple):
    """A mark as text, with `level` "all", "some" or "none" of the points, or "" for no mark."""

    text: str
    level: str


Cell = str | float | None | Bar | Mark | Link | tuple[Link, ...]


@dataclass(frozen=True)
class Row:
    """A row: what heads it and the rows like it ("" for nothing), its cells, and texts of code that can be unfolded."""

    group: str
    cells: tuple[Cell, ...]
    code: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table with the heading `title` and a caption. `group` names what the groups of its rows are; "" for no groups.

    Without rows, the page says `empty` in its place.
    """

    name: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: Sequence[Row]
    empty: str = ""
    group: str = ""
    intro: str = ""

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows that follow each other with the same group, under that group."""
        return [(head, list(rows)) for head, rows in groupby(self.rows, key=lambda row: row.group)]

    def csv(self) -> str:
        """The table as a CSV file, with the group of a row as the first column."""
        file = io.StringIO(newline="")
        first = bool(self.group)
        csv.writer(file).writerow([self.group, *self.heads][not first :])
        csv.writer(file).writerows([row.group, *map(_plain, row.cells)][not first :] for row in self.rows)
        return file.getvalue()


def shown(value: str | float | None) -> str:
    """A number with at most six digits, or a text; "" for None."""
    return value if isinstance(value, str) else "" if value is None else f"{value:g}"


def _plain(cell: Cell) -> str:
    if isinstance(cell, str | float | None):
        return shown(cell)
    return cell.text if isinstance(cell, Bar | Mark | Link) else "; ".join(link.text for link in cell)


def write_page(path: Path, title: str, intro: str, tables: Sequence[Table], *, projection: bool = False) -> None:
    """Write `tables` to the page `path`, and to CSV files in the folder beside it; a projection has no such files.

    Raises CourseError if a file cannot be written. No file is then incomplete.
    """
    folder = path.with_suffix("")
    text = render(
        "report.html",
        TEMPLATES,
        title=title,
        intro=intro,
        tables=tables,
        files="" if projection else folder.name,
        shown=shown,
    )
    with written(f"The report {path}"):
        for table in () if projection else tables:
            write_whole(folder / f"{table.name}.csv", table.csv())
        write_whole(path, text)
