"""The table of grades that `nbgrader export` writes."""

import csv

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from autograder.files import in_table
from autograder.tables import excused

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


class CsvExport(ExportPlugin):
    """The table has the columns of nbgrader's own CSV file. Names with commas, quotes or line breaks are quoted.

    A student's id is as it was, since other programs find the student by it.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write one line per assignment and student to the file `to`.

        If nothing was handed in, the score is 0. An excused student has no score and no maximum.
        """
        excuses = excused(gradebook)
        with open(self.to or "grades.csv", "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for assignment in gradebook.assignments:
                for student in gradebook.students:
                    if self.assignment and assignment.name not in map(str, self.assignment):
                        continue
                    if self.student and student.id not in map(str, self.student):
                        continue
                    try:
                        submission = gradebook.find_submission(assignment.name, student.id)
                        penalty, time = submission.late_submission_penalty, submission.timestamp
                        scores = submission.score, penalty, max(0.0, submission.score - penalty)
                    except MissingEntry:
                        time, scores = None, (0.0, 0.0, 0.0)
                    person = student.id, *map(in_table, (student.last_name, student.first_name, student.email))
                    marks = (*(round(score, 6) for score in scores), assignment.max_score)  # 4.8, not 4.800000000000001
                    if (student.id, assignment.name) in excuses:
                        marks = ("",) * len(marks)
                    table.writerow((assignment.name, assignment.duedate, time, *person, *marks))
