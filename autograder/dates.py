"""Due dates, extensions and late work: what `autograder due` and `extend` write, and what the report says of them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, SubmittedAssignment, app_log

from autograder.grade import Course, can_be_recorded
from course.errors import CourseError

MOST_DAYS = 366  # of an extension
Row = tuple[str, str, str, str]  # a row of the report: student, lateness, extension, points lost
UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1}  # in seconds


def read_time(text: str) -> datetime:
    """The time that an ISO text gives: `2026-12-01 18:00`, `2026-12-01T18:00+01:00`.

    The zone can also be a name at the end, `2026-12-01 18:00 Europe/Berlin`; without one it is this machine's. Raises
    CourseError where the text is anything else, a date without a time included: that could be its first or last minute.
    """
    words = text.split()
    try:
        zone = ZoneInfo(words.pop()) if len(words) == 3 else None
        time = datetime.fromisoformat(" ".join(words))
        if (zone and time.tzinfo) or ":" not in text or not 2000 <= time.year < 3000:
            raise ValueError
        return (time.replace(tzinfo=zone) if zone else time).astimezone(UTC)
    except (ValueError, KeyError, OSError):  # KeyError: no such zone; OSError: a folder of zones
        raise CourseError(
            f"{text!r} is not a date and a time. Write 2026-12-01 18:00 (in this machine's time zone), "
            "2026-12-01 18:00+01:00 or 2026-12-01 18:00 Europe/Berlin, or none for no due date."
        ) from None


def set_due_date(course: Course, assignment: str, when: str) -> None:
    """Record when `assignment` is due, as `read_time` reads it; `none` removes the due date.

    Raises CourseError, with nothing written, for an unknown assignment or a text that is no time.
    """
    due = None if when.lower() == "none" else read_time(when)
    course.notebooks(assignment)
    with _writable_gradebook(course) as gradebook:
        gradebook.update_or_create_assignment(assignment, duedate=due)


def due_date(course: Course, assignment: str) -> datetime | None:
    """When `assignment` is due, in this machine's time zone. Raises CourseError for an unknown assignment."""
    course.notebooks(assignment)
    with course.gradebook() as gradebook:
        due = gradebook.find_assignment(assignment).duedate
    return due and due.replace(tzinfo=UTC).astimezone()


def extend(course: Course, student: str, assignment: str, days: float) -> datetime | None:
    """Give `student` that many days after the due date, in place of an earlier extension, and return the new due date.

    nbgrader keeps an extension with a submission. For a student who has none, one without marks is entered; marking
    fills it in, and 0 days remove it. Raises CourseError, with nothing written, for an unknown assignment or student.
    """
    if not 0 <= days <= MOST_DAYS:  # nor is NaN
        raise CourseError(f"--days must be the days of extension in all, from 0 (no extension) to {MOST_DAYS}.")
    due = due_date(course, assignment)
    with _writable_gradebook(course) as gradebook:
        listed = {each.id for each in gradebook.students}
        known = listed | set(filter(can_be_recorded, course.students(assignment)))
        if student not in known:
            near = difflib.get_close_matches(student, known, n=3)
            hint = f": did you mean {' or '.join(near)}?" if near else "; `nbgrader db student add STUDENT` adds one."
            raise CourseError(
                f"There is no student {student!r} on the list of students or among those who handed in "
                f"{assignment}{hint}"
            )
        if student not in listed:
            gradebook.add_student(student)
        extension = timedelta(days=days) or None
        with gradebook.db.no_autoflush:  # SQLAlchemy would warn of how nbgrader makes a submission
            submission = gradebook.update_or_create_submission(assignment, student, extension=extension)
        if not extension and not is_marked(course, submission):
            gradebook.remove_submission(assignment, student)
    return due and due + timedelta(days=days)


@contextmanager
def _writable_gradebook(course: Course) -> Iterator[Gradebook]:
    """The gradebook, without nbgrader's log of what cannot be written: the CourseError says it without a traceback."""
    with course.gradebook() as gradebook:
        app_log.disabled = True
        try:
            yield gradebook
        finally:
            app_log.disabled = False


def is_marked(course: Course, submission: SubmittedAssignment) -> bool:
    """Whether a submission in the gradebook was marked, or is an extension alone, as `extend` enters it."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    scores = {score for grade in grades for score in (grade.auto_score, grade.manual_score)}
    # For an answer that waits to be marked by hand, the gradebook holds the same as for a missing one.
    return bool(scores - {None}) or course.path("autograded", submission.name, submission.student.id).exists()


def late_and_missing(course: Course, assignment: str) -> tuple[list[Row], list[Row]]:
    """The students who were late, and those on the list who handed in nothing.

    Lateness is that of the graded times, after the current due date and extension.
    """
    others = {*course.students(assignment), *course.directory.student_id_exclude.split(",")}
    late: list[Row] = []
    with course.gradebook() as gradebook:
        found = {each.student.id: each for each in gradebook.assignment_submissions(assignment)}
        extensions = {name: in_words(each.extension) for name, each in found.items() if each.extension}
        for name, each in sorted(found.items()):
            if each.total_seconds_late > 0 and is_marked(course, each):
                span = in_words(timedelta(seconds=each.total_seconds_late))
                late.append((name, span, extensions.get(name, ""), f"{each.late_submission_penalty:g}"))
        missing = sorted({each.id for each in gradebook.students} - others)
    return late, [(name, "", extensions.get(name, ""), "") for name in missing]


def in_words(span: timedelta) -> str:
    """A span of time, not negative, in whole seconds, rounded up: `1 d 2 h 5 min 1 s`."""
    rest, words = math.ceil(span.total_seconds()), []
    for unit, seconds in UNITS.items():
        count, rest = divmod(rest, seconds)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words)
