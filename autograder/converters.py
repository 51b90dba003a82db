"""nbgrader's converters for chosen submissions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback, NbGraderException

from autograder.progress import Progress

if TYPE_CHECKING:
    from autograder.grade import Submission
    from autograder.gradebook import Course


class Chosen(BaseConverter):
    """One of nbgrader's converters, for the given notebooks only. A missing notebook is converted too."""

    verb: str
    step: str
    chosen: dict[str, list[str]]
    step_done: Callable[[], object]

    def init_notebooks(self) -> None:
        self.notebooks: list[str] = []
        self.assignments = self.chosen

    def set_permissions(self, assignment_id: str, student_id: str) -> None:
        super().set_permissions(assignment_id, student_id)
        self.step_done()  # the last step for a submission, and only for one that was converted


class Marking(Chosen, Autograde):
    """nbgrader's `autograde`."""

    verb, step = "marked", "submitted"


class Feedback(Chosen, GenerateFeedback):
    """nbgrader's `generate_feedback`."""

    verb, step = "feedback written for", "autograded"


def convert(course: Course, kind: type[Chosen], assignment: str, submissions: Sequence[Submission]) -> None:
    """Let one of nbgrader's converters write the notebooks or pages of `submissions`; the converter logs errors."""
    converter = kind(coursedir=course.directory, parent=course.app)
    converter.force, converter.chosen = True, {}
    for each in submissions:
        folder = course.path(kind.step, assignment, each.student)
        converter.chosen.setdefault(str(folder), []).append(str(folder / f"{each.notebook}.ipynb"))
    with Progress(kind.verb, len(converter.chosen)) as progress, suppress(NbGraderException):
        converter.step_done = progress.step
        converter.start()
