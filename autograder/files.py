"""Writes files that are never incomplete, and says in one sentence why a file cannot be written."""

import csv
import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from course.errors import CourseError

CONTINUE = "make room on the disk or give yourself the rights, then run the same command to continue"
ROOM = 1 << 20  # bytes; a feedback page has about half as many


@contextmanager
def written(what: object) -> Iterator[None]:
    """Raise CourseError if the block fails to write `what`."""
    try:
        yield
    except OSError as error:
        raise CourseError(f"{what} cannot be written ({error.strerror}): {CONTINUE}.") from None


def write_whole(path: Path, text: str | bytes) -> None:
    """Write `text` to a file in one step, so that no reader and no power cut finds a part of it.

    Raises CourseError if the file cannot be written.
    """
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        try:
            part.write_bytes(text.encode() if isinstance(text, str) else text)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def in_table(text: str | None) -> str:
    """`text` for a table that an instructor opens: a spreadsheet would compute a name such as `=1+1`."""
    return f"'{text}" if text and re.match(r"[=+@\t\r]|-(?![\d.]*$)", text) else text or ""


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """The rows as the text of a CSV file."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    return file.getvalue()


def require_room(folder: Path) -> None:
    """Raise CourseError if there is no room for another page in `folder`."""
    with written(f"A mark, a page or the log in {folder}"), tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(ROOM))
