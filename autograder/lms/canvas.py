"""Canvas's files: the export of its gradebook, and the archive that "Download Submissions" makes.

After `gradebook_exporter.rb`, `gradebook_importer.rb`, `content_zipper.rb` and `abstract_assignment.rb` of its source.
"""

import re
from collections.abc import Sequence

from autograder.lms.people import Grades, Person, Row, Upload, require_points
from course.errors import CourseError

POINTS = "Points Possible"  # the name in the row of points
NAME = re.compile(r"(.*?)(_LATE)?_(\d+)_(\d+)_(.+)", re.DOTALL)


class Canvas:
    """A student's folders have Canvas's own id of the user as their name."""

    name = "Canvas"
    columns = ("Student", "ID", "Section")  # that a roster has at least
    one_at_a_time = False  # whether a roster is of one assignment

    def person(self, row: Row) -> Person | None:
        """None for the rows of points and of posting policies."""
        name, id = row["Student"].strip(), row["ID"].strip()
        return Person(id, id, name, row) if (name or id) and name != POINTS else None

    def upload(self, path: str) -> Upload | None:
        """Canvas makes no folders, and counts all files that it gets."""
        if not (found := NAME.fullmatch(path.rpartition("/")[2])):
            return None
        name, late, number, order, file = found.groups()
        return Upload(number, name, file, found[0].removesuffix(file), int(order), bool(late))

    def filled(self, rows: Sequence[Row], people: Sequence[Person], grades: Grades) -> list[Row]:
        """The columns about people, and one for each assignment, with the title that it has in Canvas.

        From other columns, Canvas would take marks that may have changed meanwhile. A cell without a mark stays as it
        is, and excused students stay excused.
        """
        header = list(rows[0])
        about = header[: header.index("Section") + 1]
        names = [re.sub(r" \(\d+\)$", "", title).casefold() for title in header]
        titles = dict(zip(names, header, strict=True))
        points = next((row for row in rows if row["Student"].strip() == POINTS), {})
        first = dict.fromkeys(about, "") | {"Student": f"    {POINTS}"}
        filled = [first, *({column: each.row[column] for column in about} for each in people)]
        for name, (most, marks) in grades.items():
            title = titles.get(name.casefold(), name)
            if names.count(name.casefold()) > 1:
                raise CourseError(f"Canvas has several assignments {name}: give the others another name there.")
            if points.get(title):
                require_points(self.name, name, points[title], most)
            first[title] = f"{most:g}"
            for each, row in zip(people, filled[1:], strict=True):
                row[title] = each.row.get(title, "")
                if each.student in marks and row[title] != "EX":
                    mark = marks[each.student]
                    row[title] = "EX" if mark is None else f"{round(mark, 2):g}"
        return filled
