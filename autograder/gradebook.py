"""The nbgrader course in the current folder: its settings, its folders and its gradebook."""

import difflib
import functools
import glob
import itertools
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from nbgrader import api
from nbgrader.api import Assignment, Gradebook, InvalidEntry, SubmittedAssignment, SubmittedNotebook
from nbgrader.apps.baseapp import NbGrader
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, scoped_session, selectinload, sessionmaker

from autograder.files import CONTINUE
from autograder.plugins import require_plugins
from autograder.plugins.find_answers import encodable
from autograder.plugins.late_policy import LatePolicy
from autograder.submission_files import Receipt
from autograder.tables import excused
from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.judging.cluster import Cluster
    from autograder.judging.jobs import Store

# What is read of all submissions at once. Otherwise each of their objects makes several queries of its own.
EVERYTHING = (
    selectinload(SubmittedAssignment.student),
    selectinload(SubmittedAssignment.notebooks).options(
        selectinload(SubmittedNotebook.grades).selectinload(api.Grade.cell),
        selectinload(SubmittedNotebook.comments).selectinload(api.Comment.cell),
    ),
)
MOST_GUESSES = 3  # names that a "did you mean" lists


@dataclass(frozen=True)
class Grade:
    """What the gradebook has about a graded cell. `automatic` and `by_hand` are None if there is no such mark.

    `waits` is True if an instructor must give a mark.
    """

    name: str
    score: float
    points: float
    automatic: float | None
    by_hand: float | None
    waits: bool

    @property
    def unmarked(self) -> bool:
        """Whether an instructor must give the first mark."""
        return self.waits and self.by_hand is None


@dataclass(frozen=True)
class Recorded:
    """What the gradebook has about the work of a student for an assignment.

    `penalty` is the points lost for late work. `comments` are by the names of their cells. `marked` is False if
    `autograder extend` entered the submission, and no mark was given yet. The marks of an `excused` student do not
    count.
    """

    student: str
    time: datetime | None
    extension: timedelta
    penalty: float
    grades: tuple[Grade, ...]
    comments: Mapping[str, str | None]
    marked: bool
    excused: bool

    @property
    def counts(self) -> bool:
        """Whether there are marks, and they count."""
        return self.marked and not self.excused

    @property
    def mark(self) -> float:
        """The mark for the assignment, as nbgrader exports it."""
        return max(0.0, sum(grade.score for grade in self.grades) - self.penalty)


class Course:
    """The nbgrader course in the current folder, with the settings of `nbgrader_config.py` there.

    If `sandbox` is False, answers are built and run like the user's own programs. If there is a `cluster`, it judges
    instead of this machine. Raises CourseError if there is no course in the folder.
    """

    sandbox = True
    cluster: "Cluster | None" = None

    def __init__(self) -> None:
        if not Path("nbgrader_config.py").exists():
            raise CourseError(
                f"There is no nbgrader_config.py in {Path.cwd()}: run this command in the course's folder."
            )
        self.app = NbGrader(raise_config_file_errors=True)
        try:
            self.app.initialize([])
            self.late_work = LatePolicy(parent=self.app)
            self.late_work.init_plugin()
        except Exception as error:
            raise CourseError(f"nbgrader_config.py cannot be read: {type(error).__name__}: {error}") from error
        require_plugins(self.app.config)
        self.directory = self.app.coursedir
        self.folder = Path(self.directory.root, self.directory.autograded_directory).parent  # `grading/`

    @property
    def toolchain(self) -> tuple[str, str]:
        """The name and the version of the cluster's toolchain, or two empty texts for this machine's."""
        return self.cluster.toolchain if self.cluster else ("", "")

    @functools.cached_property
    def store(self) -> "Store":
        """The judgements so far."""
        from autograder.judging.jobs import Store  # a slow import, which a due date does not need

        return Store(self.folder / "judgements")

    def path(self, step: str, assignment: str, student: str = ".") -> Path:
        """The folder of an assignment in one of nbgrader's steps: `source`, `submitted`, `autograded`, `feedback`."""
        return Path(self.directory.format_path(getattr(self.directory, f"{step}_directory"), student, assignment))

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """The gradebook. Raises CourseError if the gradebook does not exist or cannot be read."""
        url = self.directory.db_url
        if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
            raise CourseError(f"There is no gradebook {url}: `nbgrader generate_assignment ASSIGNMENT` creates it.")
        try:
            with Gradebook(url, self.directory.course_id) as gradebook:
                yield gradebook
        except (SQLAlchemyError, InvalidEntry) as error:
            raise CourseError(self.unusable(error)) from error

    @contextmanager
    def in_batches(self, size: int) -> Iterator[Callable[[], None]]:
        """Let all steps of nbgrader use one connection to the gradebook; yields what to call after each submission.

        nbgrader connects anew in each step, and writes each mark to the disk. Here, changes are written after `size`
        submissions, and at the end. nbgrader has no setting for this, so two methods are replaced meanwhile.
        """
        connect, close, counted = Gradebook.__init__, Gradebook.close, itertools.count(1)
        with self.gradebook() as shared:
            shared.db = scoped_session(sessionmaker(class_=_Batch, autoflush=False, bind=shared.engine))

            def step() -> None:
                if next(counted) % size == 0:
                    Session.commit(shared.db())

            Gradebook.__init__ = lambda gradebook, *_: gradebook.__dict__.update(shared.__dict__)
            Gradebook.close = lambda _: None
            try:
                yield step
                Session.commit(shared.db())
            finally:
                Gradebook.__init__, Gradebook.close = connect, close

    def unusable(self, error: Exception) -> str:
        """Why the gradebook cannot be used, and what to do, in a sentence."""
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        known = {
            "is locked": "wait until the other program has finished",
            **dict.fromkeys(("is full", "disk I/O", "readonly", "unable to open"), CONTINUE),
        }
        advice = next((advice for words, advice in known.items() if words in reason), "restore it from a copy")
        return f"The gradebook {self.directory.db_url} cannot be used ({reason}): {advice}."

    def recorded(self, assignment: str) -> list[Recorded]:
        """What the gradebook has about the work of each student, in the order of students."""
        with self.gradebook() as gradebook:
            query = gradebook.db.query(SubmittedAssignment).join(Assignment).filter(Assignment.name == assignment)
            excuses = excused(gradebook)
            found = [self._recorded(each, excuses) for each in query.options(*EVERYTHING)]
        return sorted(found, key=lambda each: each.student)

    def _recorded(self, submission: SubmittedAssignment, excuses: Collection[tuple[str, str]]) -> Recorded:
        return Recorded(
            submission.student.id,
            submission.timestamp,
            submission.extension or timedelta(),
            sum(notebook.late_submission_penalty or 0.0 for notebook in submission.notebooks),
            tuple(
                Grade(g.name, g.score, g.cell.max_score, g.auto_score, g.manual_score, g.needs_manual_grade)
                for notebook in submission.notebooks
                for g in notebook.grades
            ),
            {comment.name: comment.comment for notebook in submission.notebooks for comment in notebook.comments},
            self.is_marked(submission),
            (submission.student.id, submission.name) in excuses,
        )

    def is_marked(self, submission: SubmittedAssignment) -> bool:
        """Whether a submission in the gradebook was marked. A submission without marks was entered by `extend`."""
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        scores = {score for grade in grades for score in (grade.auto_score, grade.manual_score)}
        # In the gradebook, an answer that waits to be marked by hand looks like a missing answer.
        return bool(scores - {None}) or self.path("autograded", submission.name, submission.student.id).exists()

    def assignments(self) -> list[str]:
        """The names of all assignments that have a solution."""
        return sorted({path.parent.name for path in self.path("source", "any").parent.glob("*/*.ipynb")})

    def notebook(self, step: str, assignment: str, student: str = ".") -> Path:
        """The notebook of an assignment in one of nbgrader's steps."""
        return self.path(step, assignment, student) / f"{assignment}.ipynb"

    def solution(self, assignment: str) -> Path:
        """The instructor's notebook of an assignment. Raises CourseError if there is none."""
        path = self.notebook("source", assignment)
        if not path.is_file():
            raise CourseError(f"There is no {path}. The assignments are: {', '.join(self.assignments()) or 'none'}.")
        return path

    def require(self, assignment: str) -> None:
        """Raise CourseError if the solutions or the gradebook lack an assignment, or have several notebooks of it."""
        self.solution(assignment)
        with self.gradebook() as gradebook:
            names = [
                each.name for found in gradebook.assignments if found.name == assignment for each in found.notebooks
            ]
        if not names:
            raise CourseError(
                f"{assignment} is not in the gradebook. Run `nbgrader generate_assignment {assignment}` first."
            )
        if names != [assignment]:
            raise CourseError(
                f"{assignment} has the notebooks {', '.join(names)} in the gradebook, but an assignment is one "
                "notebook of the same name."
            )

    def students(self, assignment: str) -> list[str]:
        """The students who handed in `assignment`, in order. A student with an empty folder handed in nothing."""
        submitted = self.directory.submitted_directory
        form = self.directory.format_path(submitted, "(?P<student>.*)", re.escape(assignment), escape=True)
        folders = glob.glob(str(self.path("submitted", glob.escape(assignment), "*")))
        excluded = self.directory.student_id_exclude.split(",")
        filled = [folder for folder in folders if not _is_empty(folder)]
        found = (match["student"] for folder in filled if (match := re.match(form, folder, re.DOTALL)))
        return sorted(student for student in found if student not in excluded)

    def receipt(self, step: str, assignment: str, student: str) -> Receipt:
        """The receipt in the folder of one of nbgrader's steps: the time of the submission, and its secret."""
        return Receipt.read(self.path(step, assignment, student))


class _Batch(Session):
    """A session whose changes are written later."""

    def commit(self) -> None:
        self.flush()


def totals(recorded: Iterable[Recorded]) -> tuple[float, Mapping[str, float]]:
    """The points of an assignment, and the mark of each student."""
    found = list(recorded)
    return max(sum(grade.points for grade in each.grades) for each in found), {
        each.student: each.mark for each in found
    }


def can_be_recorded(student: str) -> bool:
    """Whether nbgrader can record marks for a student of this name. The name must be one line of text."""
    return encodable(student) and "\n" not in student


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The names among `known` that `name` may stand for, as in "did you mean s18 or s19?"; "" if there are none.

    These are the names that it contains as a word, or else those like it.
    """
    by_text = {each.casefold(): each for each in known}
    text = name.casefold()
    near = [each for each in by_text if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)]
    near = near or difflib.get_close_matches(text, by_text, n=MOST_GUESSES)
    return f"did you mean {' or '.join(by_text[each] for each in near[:MOST_GUESSES])}?" if near else ""


def _is_empty(folder: str) -> bool:
    """Whether `folder` has no submission in it. A file, or a folder that cannot be read, counts as a submission."""
    try:
        return not os.path.islink(folder) and all(name.startswith(".") for name in os.listdir(folder))
    except OSError:
        return False
