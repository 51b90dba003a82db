"""What stands where: `autograder status`, and the notes about students' work that it lists."""

import os
import pwd
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from autograder.dates import enter, require_known
from autograder.gradebook import Course, Recorded
from autograder.tables import Note, excused, notes

HEAD = ("assignment", "due", "handed in", "marked", "to grade", "by hand", "late", "excused")


def status(course: Course) -> Iterator[str]:
    """The lines of a table with a row for each assignment that was given out, and then of the open notes.

    To grade are submissions that have no mark, or came after the one that was marked. By hand are those with a mark
    that an instructor must give.
    """
    with course.gradebook() as gradebook:
        due = {each.name: each.duedate for each in gradebook.assignments}
        students = {name: course.students(name) for name in due}
        times = {(who, name): course.receipt("submitted", name, who).time for name in due for who in students[name]}
        charges, excuses = course.late_work.charges(gradebook, times=times), excused(gradebook)
        remaining = [_line(each) for each in notes(gradebook) if each.open]
    rows = [HEAD]
    for name, when in due.items():
        recorded = course.recorded(name)
        marked = {each.student for each in recorded if each.marked}
        waiting = {each.student for each in recorded if any(grade.waits for grade in each.grades)} & {*students[name]}
        counts = (len(students[name]), len(marked), len(to_grade(course, name, recorded)), len(waiting))
        others = (sum(key[1] == name for key in charges), sum(key[1] == name for key in excuses))
        until = when.replace(tzinfo=UTC).astimezone().isoformat(" ") if when else ""
        rows.append((name, until, *map(str, (*counts, *others))))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    yield f"Open notes: {len(remaining)}"
    yield from remaining


def to_grade(course: Course, assignment: str, recorded: Sequence[Recorded]) -> list[str]:
    """The students whose submissions have no mark, or came after the one that was marked."""
    marked = {each.student: each.time for each in recorded if each.marked}
    times = {who: course.receipt("submitted", assignment, who).time for who in course.students(assignment)}
    return [who for who, time in times.items() if who not in marked or time not in (None, marked[who])]


def note(course: Course, student: str, assignment: str, text: str, done: bool = False) -> Sequence[str]:
    """Write down `text` about a student's work, if there is a text, and return all notes about it, the oldest first.

    A new note is open. With `done`, no note about this work is open any more. Raises CourseError, with nothing written,
    for an unknown assignment or student.
    """
    course.require(assignment)
    with course.gradebook() as gradebook:
        (enter if text or done else require_known)(course, gradebook, student, assignment)
        if text:
            time = datetime.now(UTC).replace(tzinfo=None)
            new = Note(student=student, assignment=assignment, time=time, author=_user(), text=text, open=True)
            gradebook.db.add(new)
            gradebook.db.flush()
        about = [each for each in notes(gradebook) if (each.student, each.assignment) == (student, assignment)]
        if done:
            for each in about:
                each.open = False
        gradebook.db.commit()
        return [_line(each) for each in about]


def _user() -> str:
    """The name of who runs the command, or the number of an account without a name, as in a container."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _line(note: Note) -> str:
    time = note.time.replace(tzinfo=UTC).astimezone()
    state = "open" if note.open else "done"
    return f"{note.student} {note.assignment} {time:%Y-%m-%d %H:%M} {note.author} ({state}): {note.text}"
