"""What Canvas's and Moodle's files say about people."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from course.errors import CourseError

Row = dict[str, str]
# Of each assignment: the points, and the students' marks, None for those who are excused.
Grades = Mapping[str, tuple[float, Mapping[str, float | None]]]


@dataclass(frozen=True)
class Person:
    """A row of a roster: the name of a student's folders, the LMS's number for the student, and when work came in."""

    student: str
    number: str
    name: str
    row: Row = field(compare=False)
    time: datetime | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"


@dataclass(frozen=True)
class Upload:
    """What the name of a file in an archive says. `order` is larger for a later file, if the LMS counts them.

    In an archive that goes back, the name of a feedback page begins with `page`.
    """

    number: str
    name: str
    file: str
    page: str
    order: int = 0
    late: bool = False


def require_points(lms: str, assignment: str, there: str, points: float) -> None:
    """Raise CourseError if an LMS counts other points than the gradebook. Its text may have a decimal comma."""
    if there.strip().replace(",", ".") not in (f"{points:g}", f"{points:.1f}", f"{points:.2f}"):
        raise CourseError(
            f"{assignment} has {there} points in {lms} and {points:g} in the gradebook: change {lms}'s points, and "
            "download its file again."
        )
