"""The marks that a run of `autograder grade` changes. They are listed before the first one is written."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from autograder.cells import graded, mark_in
from autograder.files import csv_text, in_table, write_whole
from autograder.gradebook import Course
from autograder.misplaced import shown

if TYPE_CHECKING:
    from autograder.grade import Submission

SHOWN = 10  # most changed marks that the terminal shows
LATE = "late work"  # in place of a question, for the points lost


class Change(NamedTuple):
    """A mark, before and after. The points lost for late work are a negative mark."""

    student: str
    question: str
    old: float
    new: float


def changes(course: Course, assignment: str, submissions: "Sequence[Submission]") -> list[Change]:
    """The marks that change when `submissions`, with their marks, are recorded. Marks that are new are no changes."""
    taken = {each.student: each.taken for each in submissions}
    times = {(student, assignment): course.receipt("submitted", assignment, student).time for student in taken}
    with course.gradebook() as gradebook:
        charges = course.late_work.charges(gradebook, times=times)
    found: list[Change] = []
    for there in course.recorded(assignment):
        if not there.marked or there.student not in taken:
            continue
        marks = {cell.metadata.nbgrader.grade_id: float(mark_in(cell)) for cell in graded(taken[there.student])}
        total = 0.0
        for grade in there.grades:
            new = grade.score
            if grade.by_hand is None and grade.automatic is not None:
                new += marks.get(grade.name, grade.automatic) - grade.automatic
            total += new
            found.append(Change(there.student, grade.name, grade.score, new))
        lost = course.late_work.points_lost(there.student, total, charges.get((there.student, assignment))) or 0.0
        found.append(Change(there.student, LATE, 0 - there.penalty, 0 - lost))
    return sorted(each for each in found if each.old != each.new)


def listed(course: Course, assignment: str, changed: Sequence[Change], dry_run: bool) -> str:
    """The changed marks in a few lines, after all of them were written to a table."""
    if not changed:
        return "No mark would change." if dry_run else "No earlier mark has changed."
    time = "dry-run" if dry_run else datetime.now().strftime("%Y-%m-%d-%H-%M-%S")
    table = course.folder / "changes" / f"{assignment}-{time}.csv"
    write_whole(table, csv_text(map(in_table, map(str, each)) for each in (Change._fields, *changed)))
    lines = [f"  {shown(each.student)} {each.question}: {each.old:g} to {each.new:g}" for each in changed[:SHOWN]]
    if len(changed) > SHOWN:
        lines.append(f"  and {len(changed) - SHOWN} more")
    count = "1 mark" if len(changed) == 1 else f"{len(changed)} marks"
    return "\n".join([f"{count} {'would change' if dry_run else 'changed'} (see {table}):", *lines])
