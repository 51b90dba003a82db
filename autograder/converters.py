"""nbgrader's converters for chosen submissions. They stop at the first write that fails because there is no room."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from nbgrader.api import InvalidEntry
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback
from sqlalchemy.exc import OperationalError

from autograder.progress import Progress
from course.errors import CourseError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
CONTINUE = "make room on the disk, then run the same command to continue"


class Stopped(BaseException):
    """No submission can be converted, for the reason that is the argument. nbgrader continues after an `Exception`."""


class Chosen(BaseConverter):
    """One of nbgrader's converters, for the given notebooks only. A missing notebook is converted too."""

    verb: str
    step: str
    chosen: dict[str, list[str]]
    progress: Progress

    def init_notebooks(self) -> None:
        self.notebooks: list[str] = []
        self.assignments = self.chosen

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        with _stopping():
            super().init_assignment(assignment_id, student_id)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        with _stopping():
            super().convert_single_notebook(notebook_filename)

    def set_permissions(self, assignment_id: str, student_id: str) -> None:
        super().set_permissions(assignment_id, student_id)
        self.progress.step()  # the last step for a submission, and only for one that was converted


class Marking(Chosen, Autograde):
    """nbgrader's `autograde`."""

    verb, step = "marked", "submitted"


class Feedback(Chosen, GenerateFeedback):
    """nbgrader's `generate_feedback`."""

    verb, step = "feedback written for", "autograded"


@contextmanager
def _stopping() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InvalidEntry) as error:  # nbgrader raises the second because of the first
        reason = error if isinstance(error, OperationalError) else error.__context__
        if not isinstance(reason, OperationalError):
            raise
        raise Stopped(reason) from error
    except OSError as error:
        if error.errno not in FULL:  # the others concern this submission alone
            raise
        raise Stopped(error) from error


@contextmanager
def written(what: object) -> Iterator[None]:
    """Raise CourseError if the block fails to write `what`."""
    try:
        yield
    except OSError as error:
        raise CourseError(not_written(what, error)) from None


def not_written(what: object, error: OSError) -> str:
    """Why `what` cannot be written, in a sentence, and what to do if there is no room."""
    return f"{what} cannot be written ({error.strerror})" + (f": {CONTINUE}." if error.errno in FULL else ".")
