"""Points lost for late work: a grace period, late days that each student has in the course, and a last date."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, Student, SubmittedAssignment
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.orm import selectinload
from traitlets import Float, Int

from autograder.tables import excused

DAY = timedelta(days=1)


class Charge(NamedTuple):
    """What a late submission costs. `late` counts from the due date, with the extension and the grace period.

    `days` of it are covered by late days, and `rest` is not. After the last date, the work is `closed`: it loses all
    points, and takes no late days.
    """

    late: timedelta
    days: int
    rest: timedelta
    closed: bool


class LatePolicy(AssignLatePenalties):
    """nbgrader's `AssignLatePenalties`, which asks its plug-in only about the time that nothing here covers."""

    grace_minutes = Float(0, min=0, help="minutes after the due date in which work is not late").tag(config=True)
    late_days = Int(0, min=0, help="days that each student may be late, in the whole course").tag(config=True)
    last_days = Float(math.inf, min=0, help="days late from which work gets no points").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` unchanged, after the points that it loses were recorded."""
        ids = resources["nbgrader"]
        self.init_plugin()
        with Gradebook(ids["db_url"]) as gradebook:
            charge = self.charges(gradebook, student=ids["student"]).get((ids["student"], ids["assignment"]))
            notebook = gradebook.find_submission_notebook(ids["notebook"], ids["assignment"], ids["student"])
            notebook.late_submission_penalty = self.points_lost(ids["student"], notebook.score, charge)
            gradebook.db.commit()
        return nb, resources

    def charges(
        self, gradebook: Gradebook, *, student: str = "", times: Mapping[tuple[str, str], datetime | None] | None = None
    ) -> dict[tuple[str, str], Charge]:
        """What late submissions of all students, or of `student`, cost, by student and assignment.

        A student's late days go to the assignments in the order of their due dates. Excused work takes none. `times`
        replace the times of submissions in the gradebook, which has those of the work that was marked.
        """
        query = gradebook.db.query(SubmittedAssignment)
        if student:
            query = query.join(Student).filter(Student.id == student)
        query = query.options(selectinload(SubmittedAssignment.student), selectinload(SubmittedAssignment.assignment))
        known = {(each.student.id, each.name): each for each in query}
        due = {key: when for key, each in known.items() if (when := due_of(each))}
        left: dict[str, int] = {}
        found = {}
        for key in sorted(due.keys() - excused(gradebook), key=lambda key: (due[key], key)):
            time = (times or {}).get(key, known[key].timestamp)
            if late := lateness(time, due[key] + timedelta(minutes=self.grace_minutes)):
                closed = late / DAY > self.last_days
                days = 0 if closed else min(math.ceil(late / DAY), left.get(key[0], self.late_days))
                left[key[0]] = left.get(key[0], self.late_days) - days
                found[key] = Charge(late, days, max(late - days * DAY, timedelta()), closed)
        return found

    def points_lost(self, student: str, score: float, charge: Charge | None) -> float | None:
        """The points of `score` that are lost; None if the work is not late."""
        if not charge or not charge.rest:
            return None
        if charge.closed:
            return score
        points = self.plugin_inst.late_submission_penalty(student, score, charge.rest.total_seconds())
        return points and min(max(points, 0), score)


def due_of(submission: SubmittedAssignment) -> datetime | None:
    """When a submission is due, with the student's extension. nbgrader's own property needs a due date."""
    due, extension = submission.assignment.duedate, submission.extension or timedelta()
    return due and due + extension + _set_back(due, due + extension)


def lateness(time: datetime | None, due: datetime) -> timedelta:
    """How long after `due` the `time` of a submission is. A submission without a time is never late."""
    return max(time - due - _set_back(due, time), timedelta()) if time else timedelta()


def _set_back(begin: datetime, end: datetime) -> timedelta:
    """How far this machine's clock was set back between two times. When summer ends, a day has 25 hours."""
    before, after = (each.replace(tzinfo=UTC).astimezone().utcoffset() or timedelta() for each in (begin, end))
    return max(before - after, timedelta())
