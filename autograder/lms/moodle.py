"""Moodle's files: the grading worksheet of an assignment, and the archive that "Download all submissions" makes.

After `gradingtable.php`, `downloader.php`, `importgradeslib.php` and `importziplib.php` in its `mod/assign/`.
"""

import re
from collections.abc import Sequence

from dateutil.parser import parse

from autograder.lms.people import Grades, Person, Row, Upload, require_points

# What names a student's folders: the first of these columns. A participant has another number in each assignment.
IDS = ("Email address", "Username", "ID number", "Full name")
PART = re.compile(r"([^_]*)_(\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)


class Moodle:
    """Moodle writes times without a zone: they are of this machine's zone."""

    name = "Moodle"
    columns = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)")
    one_at_a_time = True

    def person(self, row: Row) -> Person:
        """Each row is a participant. Raises ValueError for a time in another language."""
        name = re.sub(r"<[^>]*>", "", row["Full name"]).strip()  # a picture marks suspended students
        id = next(cell.strip() for cell in map((row | {"Full name": name}).get, IDS) if cell is not None)
        student = id.lower() if "@" in id else id
        time = row.get("Last modified (submission)", "").strip("- ")
        if time and not re.search(r"[A-Z][a-z]{2}.* 20\d\d\b", time):  # 1/12 may be a day of January or of December
            raise ValueError(f"the time {time}")
        when = parse(time).astimezone() if time else None
        return Person(student, row["Identifier"].rpartition(" ")[2], name or student, row, when)

    def upload(self, path: str) -> Upload | None:
        """A folder's name says whose it is, or the name of a file without folders."""
        parts = path.split("/")
        for place, part in enumerate(parts, 1):
            if found := PART.fullmatch(part):
                name, number, file = found.groups()
                file = "/".join(filter(None, [file, *parts[place:]]))
                return Upload(number, name, file, f"{name}_{number}_assignsubmission_file_/")
        return None

    def filled(self, rows: Sequence[Row], people: Sequence[Person], grades: Grades) -> list[Row]:
        """The worksheet with one assignment's marks in the column Grade, which is empty for excused students."""
        ((name, (points, marks)),) = grades.items()
        for each in people:
            require_points(self.name, name, each.row["Maximum Grade"], points)
        texts = {student: "" if mark is None else f"{round(mark, 2):g}" for student, mark in marks.items()}
        return [each.row | {"Grade": texts.get(each.student, each.row["Grade"])} for each in people]
