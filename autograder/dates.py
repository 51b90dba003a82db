"""Dates, excused students and points lost for late work: `autograder due`, `extend`, `excuse` and `grade`."""

import math
from collections.abc import Set
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from nbgrader.api import Gradebook, SubmittedAssignment

from autograder.gradebook import EVERYTHING, Course, can_be_recorded, did_you_mean
from autograder.plugins.late_policy import due_of
from autograder.tables import Excused, make_tables
from course.errors import CourseError

MOST_DAYS = 366  # the longest extension
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
    course.require(assignment)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(assignment, duedate=due)


def due_date(course: Course, assignment: str) -> datetime | None:
    """When `assignment` is due, in this machine's time zone. Raises CourseError for an unknown assignment."""
    course.require(assignment)
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
    course.require(assignment)
    with course.gradebook() as gradebook:
        enter(course, gradebook, student, assignment)
        extension = timedelta(days=days) or None
        with gradebook.db.no_autoflush:  # SQLAlchemy would warn about how nbgrader makes a submission
            submission = gradebook.update_or_create_submission(assignment, student, extension=extension)
            until = due_of(submission)
        if not extension and not course.is_marked(submission):
            gradebook.remove_submission(assignment, student)
    return until and until.replace(tzinfo=UTC).astimezone()


def excuse(course: Course, student: str, assignment: str, undo: bool = False) -> None:
    """Let the work of `student` for `assignment` not count, or, with `undo`, count again.

    Raises CourseError, with nothing written, for an unknown assignment or student.
    """
    course.require(assignment)
    with course.gradebook() as gradebook:
        enter(course, gradebook, student, assignment)
        there = gradebook.db.get(Excused, (student, assignment))
        if undo and there:
            gradebook.db.delete(there)
        elif not undo:
            gradebook.db.merge(Excused(student=student, assignment=assignment))
        gradebook.db.commit()


def enter(course: Course, gradebook: Gradebook, student: str, assignment: str) -> None:
    """Enter `student` in the list of students, before something is written about them. Raises as `require_known`."""
    if student not in require_known(course, gradebook, student, assignment):
        gradebook.add_student(student)
    make_tables(gradebook)


def require_known(course: Course, gradebook: Gradebook, student: str, assignment: str) -> set[str]:
    """The list of students. Raises CourseError if `student` is not on it and did not hand in `assignment`."""
    listed = {each.id for each in gradebook.students}
    known = listed | set(filter(can_be_recorded, course.students(assignment)))
    if student not in known:
        near = did_you_mean(student, known)
        hint = f": {near}" if near else ". To add a student, run `nbgrader db student add STUDENT`."
        raise CourseError(
            f"There is no student {student!r} on the list of students or among the students who handed in "
            f"{assignment}{hint}"
        )
    return listed


def update_penalties(course: Course, assignment: str, students: Set[str]) -> None:
    """Subtract points for late work of `students`, by the current dates, extensions and the settings for late work.

    Late days are shared by all assignments, so the marks of other assignments are updated, too. nbgrader itself
    subtracts these points only when it marks a submission.
    """
    with course.gradebook() as gradebook:
        for each in gradebook.assignment_submissions(assignment):
            if each.student.id in students:
                # If a new submission has no time, nbgrader keeps the time of the old submission.
                each.timestamp = course.receipt("submitted", assignment, each.student.id).time
        make_tables(gradebook)
        gradebook.db.flush()
        charges = course.late_work.charges(gradebook)
        for each in gradebook.db.query(SubmittedAssignment).options(*EVERYTHING):
            for notebook in each.notebooks if each.student.id in students else ():
                charge = charges.get((each.student.id, each.name))
                notebook.late_submission_penalty = course.late_work.points_lost(each.student.id, notebook.score, charge)
        gradebook.db.commit()


def in_words(span: timedelta) -> str:
    """A non-negative span of time, rounded up to whole seconds, such as `1 d 2 h 5 min 1 s`."""
    rest, words = math.ceil(span.total_seconds()), []
    for unit, seconds in UNITS.items():
        count, rest = divmod(rest, seconds)
        words += [f"{count} {unit}"] if count else []
    return " ".join(words)
