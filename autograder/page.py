"""Pages of tables for the instructor: HTML without scripts, and one CSV file per table."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from autograder.files import csv_text, in_table, write_whole
from course.html import render

TEMPLATES = Path(__file__).parent / "templates"


class Cell(NamedTuple):
    """A text that leads to the page `link`, beside a bar of relative length `share`, from 0 to 1, if it has them.

    For a mark, `level` is "all", "some" or "none" of the points.
    """

    text: str
    link: str = ""
    share: float | None = None
    level: str = ""


class Row(NamedTuple):
    """A row: its cells, what heads it and the rows like it, and texts of code that can be unfolded."""

    cells: tuple[str | float | Cell | Sequence[Cell] | None, ...]
    group: str = ""
    code: Sequence[str] = ()


class Table(NamedTuple):
    """A table, whose `name` decides the texts around it. `group` says what the groups of its rows are."""

    name: str
    heads: Sequence[str]
    rows: Sequence[Row]
    group: str = ""

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """The rows that follow each other with the same group, under that group."""
        return [(head, list(rows)) for head, rows in groupby(self.rows, key=lambda row: row.group)]

    def csv(self) -> str:
        """The table as a CSV file, with the group of a row as the first column."""
        lines = [(self.group, *self.heads), *((row.group, *map(in_table, map(shown, row.cells))) for row in self.rows)]
        return csv_text(line if self.group else line[1:] for line in lines)


def shown(cell: str | float | Cell | Sequence[Cell] | None) -> str:
    """The text of a cell. Numbers have at most six digits."""
    if isinstance(cell, float | int):
        return f"{cell:g}"
    if isinstance(cell, str | Cell):
        return cell if isinstance(cell, str) else cell.text
    return "; ".join(each.text for each in cell or ())


def write_page(path: Path, title: str, tables: Sequence[Table], *, projection: bool = False, told: str = "") -> None:
    """Write `tables` to the page `path`, and to CSV files in the folder beside it; a projection has no such files.

    Raises CourseError if a file cannot be written. No file is then incomplete.
    """
    folder = path.with_suffix("")
    data = {"title": title, "tables": tables, "projection": projection, "files": folder.name, "told": told}
    text = render("report.html", TEMPLATES, **data, shown=shown)
    for table in () if projection else tables:
        write_whole(folder / f"{table.name}.csv", table.csv())
    write_whole(path, text)
