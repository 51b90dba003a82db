"""Due dates, extensions and late work: what `autograder due` and `extend` write, and what the report shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, SubmittedAssignment, app_log

from autograder.attention import did_you_mean
from autograder.grade import Course, can_be_recorded
from course.errors import CourseError

MOST_DAYS = 366  # the longest extension
Row = tuple[str, str, str, str]  # one row of the report: student, lateness, extension, points lost
UNITS = {"d": 86400, "h": 3600, "min": 60, "s": 1}  # in seconds


def read_time(text: str) -> datetime:
    """Read an ISO date and time, such as `2026-12-01 18:00` or `2026-12-01T18:00+01:00`.

    The zone can also be a name at the end, as in `2026-12-01 18:00 Europe/Berlin`; the default is this machine's zone.
    Raises CourseError for any other text. A date without a time is refused, since it could mean the first or the last
    minute of the day.
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
            "2026-12-01 18:00+01:00, 2026-12-01 18:00 Europe/Berlin, or none to remove the due date."
        ) from None


def set_due_date(course: Course, assignment: str, when: str) -> None:
    """Record when `assignment` is due, as `read_time` reads it; `none` removes the due date.

    Raises CourseError, with nothing written, for an unknown assignment or a text that is not a time.
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
    """Give `student` an extension of `days` days, which replaces an earlier extension, and return the new due date.

    nbgrader stores an extension with a submission. For a student without a submission, a submission without marks is
    entered in the gradebook. Grading adds the marks later, and an extension of 0 days removes the submission. Raises
    CourseError, with nothing written, for an unknown assignment or student.
    """
    if not 0 <= days <= MOST_DAYS:  # refuses NaN too
        raise CourseError(f"--days must be in the range 0 (no extension) to {MOST_DAYS}.")
    due = due_date(course, assignment)
    with _writable_gradebook(course) as gradebook:
        listed = {each.id for each in gradebook.students}
        known = listed | set(filter(can_be_recorded, course.students(assignment)))
        if student not in known:
            near = did_you_mean(student, known)
            hint = (
                f": did you mean {' or '.join(near)}?"
                if near
                else ". To add a student, run `nbgrader db student add STUDENT`."
            )
            raise CourseError(
                f"There is no student {student!r} on the list of students or among the students who handed in "
                f"{assignment}{hint}"
            )
        if student not in listed:
            gradebook.add_student(student)
        extension = timedelta(days=days) or None
        with gradebook.db.no_autoflush:  # SQLAlchemy would warn about how nbgrader makes a submission
            submission = gradebook.update_or_create_submission(assignment, student, extension=extension)
        if not extension and not is_marked(course, submission):
            gradebook.remove_submission(assignment, student)
    return due and due + timedelta(days=days)


@contextmanager
def _writable_gradebook(course: Course) -> Iterator[Gradebook]:
    """The gradebook. nbgrader does not log a failed write, since the CourseError reports the failure."""
    with course.gradebook() as gradebook:
        app_log.disabled = True
        try:
            yield gradebook
        finally:
            app_log.disabled = False


def is_marked(course: Course, submission: SubmittedAssignment) -> bool:
    """Whether a submission in the gradebook was marked. A submission without marks was entered by `extend`."""
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    scores = {score for grade in grades for score in (grade.auto_score, grade.manual_score)}
    # In the gradebook, an answer that waits to be marked by hand looks like a missing answer.
    return bool(scores - {None}) or course.path("autograded", submission.name, submission.student.id).exists()


def late_and_missing(course: Course, assignment: str) -> tuple[list[Row], list[Row]]:
    """The students who were late, and the students on the list of students who handed in nothing.

    Lateness counts from the current due date plus extension to the time of the submission that was graded.
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
    """A non-negative span of time, rounded up to whole seconds, such as `1 d 2 h 5 min 1 s`."""
    rest, words = math.ceil(span.total_seconds()), []
    for unit, seconds in UNITS.items():
        count, rest = divmod(rest, seconds)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words)
