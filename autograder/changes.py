"""The marks that a run of `autograder grade` changes: the list at its end, and the rehearsal of `--dry-run`."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.files import write_whole, written
from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.gradebook import Course

SHOWN = 10  # most changed marks that the terminal shows
LATE = "late work"  # in place of a question, for the points lost
COLUMNS = ("student", "notebook", "question", "old", "new")

Marks = Mapping[tuple[str, str, str], float]  # by student, notebook and question


def marks(course: Course, assignment: str) -> Marks:
    """The marks of all students in the gradebook, with the points lost for late work as negative numbers."""
    found: dict[tuple[str, str, str], float] = {}
    for each in course.recorded(assignment):
        given = {g.name: g.score for g in each.grades if g.automatic is not None or g.by_hand is not None}
        if given:
            given[LATE] = -each.penalty
        found |= {(each.student, each.notebook, name): score for name, score in given.items()}
    return found


@contextmanager
def rehearsal(course: Course) -> Iterator[None]:
    """While the block runs, the course has a copy of its gradebook, and an empty folder for marked notebooks."""
    directory = course.directory
    before = directory.db_url, directory.autograded_directory
    if not before[0].startswith("sqlite:///"):
        raise CourseError("--dry-run works on a copy of the gradebook, so the gradebook must be a file of SQLite.")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(before[0].removeprefix("sqlite:///"), folder)
        directory.db_url = f"sqlite:///{folder}/{Path(before[0]).name}"
        directory.autograded_directory = f"{folder}/autograded"
        try:
            yield
        finally:
            directory.db_url, directory.autograded_directory = before


class Changes:
    """The marks that change from the start of a run to its end.

    The marks at the start are kept in a file until the end. So a run that continues an interrupted run lists the
    changes of both.
    """

    def __init__(self, course: Course, assignment: str):
        self.course, self.assignment, self.dry_run = course, assignment, course.dry_run
        self.folder = course.folder / "changes"
        self._kept = self.folder / f".{assignment}.json"
        self._before = marks(course, assignment)
        if self.dry_run:
            return
        try:
            self._before = {(s, n, q): score for s, n, q, score in json.loads(self._kept.read_text())}
        except (OSError, ValueError):  # there was no interruption
            with written(self.folder):
                write_whole(self._kept, json.dumps([[*key, score] for key, score in self._before.items()]))

    def told(self) -> str:
        """The changed marks in a sentence, after they were written to a table. Marks that are new are no changes."""
        after = marks(self.course, self.assignment)
        changed = [
            (*key, old, after[key]) for key, old in sorted(self._before.items()) if key in after and old != after[key]
        ]
        if not changed:
            self._forget()
            return "No mark would change." if self.dry_run else "No earlier mark has changed."
        time = "dry-run" if self.dry_run else datetime.now().strftime("%Y-%m-%d-%H-%M-%S")
        table = self.folder / f"{self.assignment}-{time}.csv"
        with written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with table.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([COLUMNS, *changed])
        self._forget()
        shown = [f"  {student} {name}: {old:g} to {new:g}" for student, _, name, old, new in changed[:SHOWN]]
        if len(changed) > SHOWN:
            shown.append(f"  and {len(changed) - SHOWN} more")
        count = f"{len(changed)} mark{'s' * (len(changed) > 1)}"
        return "\n".join([f"{count} {'would change' if self.dry_run else 'changed'} (see {table}):", *shown])

    def _forget(self) -> None:
        with suppress(OSError):
            if not self.dry_run:
                self._kept.unlink()
