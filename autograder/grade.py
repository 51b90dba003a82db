"""Grades the submissions of an assignment: judges each distinct answer once, then lets nbgrader write the marks."""

from __future__ import annotations

import fcntl
import functools
import glob
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import NbGraderException
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from autograder.attention import Look, judgements_of, needing_attention
from autograder.changes import Changes, rehearsal
from autograder.converters import CONTINUE, FULL, Chosen, Feedback, Marking, Stopped, not_written
from autograder.judging.cluster import Cluster
from autograder.judging.jobs import Job, at_once, judge_jobs, judge_late_alone
from autograder.plugins import require_plugins
from autograder.plugins.feedback import stamp
from autograder.plugins.find_answers import encodable
from autograder.plugins.judge_answers import graded, jobs_in, put_marks, store_of
from autograder.plugins.take_answers import read_submission, with_answers
from autograder.progress import Progress
from autograder.questions import solutions
from autograder.submission_files import Receipt
from course.errors import CourseError


@dataclass(frozen=True)
class Submission:
    """A notebook that a student handed in. `taken` is the instructor's notebook with the student's answers in it."""

    course: Course
    student: str
    notebook: str
    taken: NotebookNode

    @functools.cached_property
    def jobs(self) -> Mapping[str, Job]:
        """The job of each answer. Raises CourseError if neither this machine nor a cluster can judge the answers."""
        return jobs_in(self.taken, self.course.sandbox, self.course.toolchain)


class Course:
    """The nbgrader course in the current folder, with the settings of `nbgrader_config.py` there.

    If `sandbox` is False, answers are built and run like the user's own programs. If there is a `cluster`, it judges
    instead of this machine. With `dry_run`, neither marks nor pages are written. Raises CourseError if there is no
    course in the folder.
    """

    def __init__(self, sandbox: bool = True, cluster: Cluster | None = None, dry_run: bool = False):
        if not Path("nbgrader_config.py").exists():
            raise CourseError(
                f"There is no nbgrader_config.py in {Path.cwd()}: run this command in the course's folder."
            )
        self.sandbox, self.cluster, self.dry_run = sandbox, cluster, dry_run
        self.toolchain = cluster.toolchain if cluster else ("", "")
        self.app = NbGrader(raise_config_file_errors=True)
        try:
            self.app.initialize([])
            self.late_work = AssignLatePenalties(parent=self.app)
            self.late_work.init_plugin()
        except Exception as error:
            raise CourseError(f"nbgrader_config.py cannot be read: {type(error).__name__}: {error}") from error
        require_plugins(self.app.config)
        self.app.update_config(Config({"JudgeAnswers": {"sandbox": sandbox, "toolchain": self.toolchain}}))
        self.directory = self.app.coursedir
        self.store = store_of(self.directory)

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

    def unusable(self, error: Exception) -> str:
        """Why the gradebook cannot be used, and what to do, in a sentence."""
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        known = {"is locked": "wait until the other program has finished", "is full": CONTINUE, "disk I/O": CONTINUE}
        advice = next((advice for words, advice in known.items() if words in reason), "restore it from a copy")
        return f"The gradebook {self.directory.db_url} cannot be used ({reason}): {advice}."

    def assignments(self) -> list[str]:
        """The names of all assignments that have a solution."""
        return sorted({path.parent.name for path in self.path("source", "any").parent.glob("*/*.ipynb")})

    def notebooks(self, assignment: str) -> list[str]:
        """The names of an assignment's notebooks. Raises CourseError if the solutions or the gradebook lack it."""
        source = self.path("source", assignment)
        names = sorted(path.stem for path in source.glob("*.ipynb"))
        if not names:
            known = ", ".join(self.assignments()) or "none"
            raise CourseError(f"There is no notebook in {source}. The assignments are: {known}.")
        with self.gradebook() as gradebook:
            try:
                for name in names:
                    gradebook.find_notebook(name, assignment)
            except MissingEntry:
                raise CourseError(
                    f"{assignment} is not in the gradebook. Run `nbgrader generate_assignment {assignment}` first."
                ) from None
        return names

    def submissions(self, assignment: str, student: str = "") -> list[Submission]:
        """The submissions of all students for `assignment`, or only those of `student`.

        Raises CourseError if nothing was handed in, or if a solution cannot be read.
        """
        names, students = self.notebooks(assignment), self.students(assignment)
        if student:
            students = [each for each in students if each == student]
        if not students:
            raise CourseError(
                f"Nothing was handed in: there is no {self.path('submitted', assignment, student or '*')}."
            )
        found = []
        students = [each for each in students if can_be_recorded(each)]
        for name in names:
            path = self.path("source", assignment) / f"{name}.ipynb"
            for each in students:
                handed_in = read_submission(self.path("submitted", assignment, each) / f"{name}.ipynb")
                try:
                    solution = nbformat.read(path, as_version=4)
                except (OSError, ValueError) as error:
                    raise CourseError(f"The solutions {path} cannot be read: {error}") from error
                found.append(Submission(self, each, name, with_answers(solution, handed_in, path.parent)))
        return found

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

    def convert(self, kind: type[Chosen], assignment: str, submissions: Sequence[Submission]) -> None:
        """Let one of nbgrader's converters write the notebooks or pages of `submissions`; the converter logs errors."""
        converter = kind(coursedir=self.directory, parent=self.app)
        converter.force, converter.chosen = True, {}
        for each in submissions:
            folder = self.path(kind.step, assignment, each.student)
            converter.chosen.setdefault(str(folder), []).append(str(folder / f"{each.notebook}.ipynb"))
        with Progress(kind.verb, len(converter.chosen)) as converter.progress, suppress(NbGraderException):
            converter.start()

    def unmarked(self, assignment: str, submissions: Sequence[Submission]) -> list[Submission]:
        """The submissions whose marks in the gradebook or in the autograded notebook differ from their judgements.

        nbgrader writes the gradebook and then the notebook. Each of the two may be lost, or restored from an older
        copy. The time and the secret of a submission are compared too, since they change when a student hands in the
        same answers again.
        """
        with self.gradebook() as gradebook:
            found = gradebook.assignment_submissions(assignment)
            times = {submission.student.id: submission.timestamp for submission in found}
            marks = {
                (submission.student.id, notebook.name, grade.name): repr(grade.auto_score)
                for submission in found
                for notebook in submission.notebooks
                for grade in notebook.grades
            }

        def is_marked(submission: Submission) -> bool:
            receipt = self.receipt("submitted", assignment, submission.student)
            if receipt.files != self.receipt("autograded", assignment, submission.student).files:
                return False
            if receipt.time and receipt.time != times.get(submission.student):
                return False
            judgements = {a: found for a, job in submission.jobs.items() if (found := self.store.find(job))}
            if len(judgements) < len(submission.jobs):
                return False
            put_marks(submission.taken, judgements)
            for cell in graded(submission.taken):
                place = submission.student, submission.notebook, cell.metadata.nbgrader.grade_id
                if marks.get(place) != cell.outputs[0].data["text/plain"]:
                    return False
            path = self.path("autograded", assignment, submission.student) / f"{submission.notebook}.ipynb"
            try:
                marked = nbformat.read(path, as_version=4)
            except (OSError, ValueError):  # missing, or incomplete after a power cut
                return False
            return _answers_and_marks(marked) == _answers_and_marks(submission.taken)

        return [each for each in submissions if not is_marked(each)]

    def update_penalties(self, assignment: str, submissions: Sequence[Submission]) -> None:
        """Subtract points for late work, by the current dates, extensions and penalty method.

        nbgrader itself subtracts these points only when it marks a submission.
        """
        students = {each.student for each in submissions}
        with self.gradebook() as gradebook:
            for submission in gradebook.assignment_submissions(assignment):
                if submission.student.id not in students:
                    continue
                # If a new submission has no time, nbgrader keeps the time of the old submission.
                submission.timestamp = self.receipt("submitted", assignment, submission.student.id).time
                seconds = submission.total_seconds_late
                for notebook in submission.notebooks:
                    penalty = None
                    if seconds > 0:
                        arguments = submission.student.id, notebook.score, seconds
                        penalty = self.late_work.plugin_inst.late_submission_penalty(*arguments)
                    if penalty is not None:
                        penalty = min(max(penalty, 0), notebook.score)
                    notebook.late_submission_penalty = penalty
            gradebook.db.commit()

    def without_feedback(self, assignment: str, submissions: Sequence[Submission]) -> list[Submission]:
        """The submissions whose feedback page is missing, or does not agree with the gradebook or the receipt."""
        with self.gradebook() as gradebook:
            stamps = {
                (submission.student.id, notebook.name): stamp(
                    {grade.name: grade.score for grade in notebook.grades},
                    {comment.name: comment.comment for comment in notebook.comments},
                    notebook.late_submission_penalty or 0,
                )
                for submission in gradebook.assignment_submissions(assignment)
                for notebook in submission.notebooks
            }

        def has_page(submission: Submission) -> bool:
            marked = self.path("autograded", assignment, submission.student) / f"{submission.notebook}.ipynb"
            page = self.path("feedback", assignment, submission.student) / f"{submission.notebook}.html"
            expected = stamps.get((submission.student, submission.notebook), "no marks")
            steps = ("autograded", "feedback")
            autograded, feedback = (self.receipt(step, assignment, submission.student).files for step in steps)
            if autograded != feedback:
                return False
            with suppress(OSError):
                text = page.read_bytes()
                younger = page.stat().st_mtime_ns > marked.stat().st_mtime_ns
                return younger and expected.encode() in text and b"</html>" in text[-20:]
            return False

        return [each for each in submissions if not has_page(each)]


def grade(
    course: Course,
    assignment: str,
    *,
    student: str = "",
    question: str = "",
    again: bool = False,
    workers: int = 0,
) -> bool:
    """Judge answers that are not judged yet, then write the marks and pages that do not agree with the judgements.

    Parameters
    ----------
    course, assignment
        The course, and the name of one of its assignments.
    student
        Grade only this student; "" grades everyone who handed in the assignment.
    question
        With `again`: the `grade_id` of an answer or of a graded cell. Only its judgements are deleted.
    again
        Delete the stored judgements first, and judge again.
    workers
        How many answers are judged at the same time; 0 means one per core.

    Returns
    -------
    bool
        False if a submission needs attention (`autograder/attention.py`).

    Raises
    ------
    CourseError
        For an unknown assignment, student or question, and if this machine cannot judge. Nothing is changed then.

    Notes
    -----
    If the function is stopped, the next call continues the work.
    """
    submissions = course.submissions(assignment, student)
    jobs = [job for submission in submissions for job in submission.jobs.values()]
    forgotten = _asked(submissions, question) if again else []
    with one_at_a_time(course), _logging(course) as log:
        for job in forgotten:
            course.store.drop(job)
        to_judge = [job for job in dict.fromkeys(jobs) if course.store.find(job) is None]
        distinct = f"{len(set(jobs))} distinct answers in {len(submissions)} submissions"
        print(f"{assignment}: {distinct}. Answers to judge: {len(to_judge)}")
        with Progress("judged", len(to_judge)) as progress:
            judge_all = course.cluster.judge if course.cluster else partial(judge_jobs, workers=at_once(workers))
            for job, judgements in judge_late_alone(judge_all, to_judge, partial(solutions, course, assignment)):
                course.store.keep(job, judgements)
                progress.step()
        stale = course.unmarked(assignment, submissions)
        with rehearsal(course) if course.dry_run else nullcontext():
            changes = Changes(course, assignment)
            course.convert(Marking, assignment, stale)
            unmarked = course.unmarked(assignment, stale)
            course.update_penalties(assignment, submissions)
            told = changes.told()
            failed = [each for each in unmarked if all(map(course.store.find, each.jobs.values()))]  # not by the judge
            judgements = judgements_of(course, submissions)
            looks = needing_attention(course, assignment, submissions, judgements, student=student, unmarked=failed)
        if not course.dry_run:
            course.convert(Feedback, assignment, course.without_feedback(assignment, submissions))
    done = (
        "This was a dry run: judgements were stored, but no mark and no page was written."
        if course.dry_run
        else f"The marks are in the gradebook. The feedback pages are in {course.directory.feedback_directory}."
    )
    print(told, done, *looks, _count(looks, log), sep="\n")
    return not looks


def _count(looks: Sequence[Look], log: Path) -> str:
    """The last line of `autograder grade`: how many submissions need attention."""
    count = len({look.student for look in looks})
    if not count:
        return "No submission needs attention."
    who = "1 submission needs" if count == 1 else f"{count} submissions need"
    return f"{who} attention: see above. The log is {log}."


def can_be_recorded(student: str) -> bool:
    """Whether nbgrader can record marks for a student of this name. The name must be one line of text."""
    return encodable(student) and "\n" not in student


def _is_empty(folder: str) -> bool:
    """Whether `folder` has no submission in it. A file, or a folder that cannot be read, counts as a submission."""
    try:
        return not os.path.islink(folder) and all(name.startswith(".") for name in os.listdir(folder))
    except OSError:
        return False


def _asked(submissions: Sequence[Submission], question: str) -> list[Job]:
    """The jobs of `question`, the name of an answer or of a graded cell, or all jobs if `question` is ""."""
    named = [
        (answer, job)
        for submission in submissions
        for answer, job in submission.jobs.items()
        if question in ("", answer, *(each.name for each in job.questions))
    ]
    if question and not named:
        there = sorted({answer for submission in submissions for answer in submission.jobs})
        raise CourseError(
            f"No submitted answer belongs to a question {question!r}. The answers are {', '.join(there)}."
        )
    return [job for _, job in named]


@contextmanager
def one_at_a_time(course: Course) -> Iterator[None]:
    """Lock the course, so that no other command writes its gradebook. Raises CourseError if it is locked already."""
    try:
        course.store.folder.mkdir(parents=True, exist_ok=True)
        lock = (course.store.folder / ".lock").open("a")
    except OSError as error:
        raise CourseError(
            f"The folder for judgements, {course.store.folder}, cannot be written ({error.strerror})."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CourseError(
                "Another `autograder grade` is running on this course: wait until it has finished."
            ) from None
        yield


@contextmanager
def _logging(course: Course) -> Iterator[Path]:
    """Write the log of nbgrader and of the judge to a file, and yield the path of that file.

    Raises CourseError at the first write of the log, a mark or a page that finds no room.
    """
    path = course.store.folder.parent / "autograder.log"
    handler = _Log(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    names = ("autograder", "py.warnings", "tornado.application")  # nbgrader's gradebook uses the last one
    loggers = [course.app.log, *map(logging.getLogger, names)]
    before = [(each.handlers[:], each.propagate) for each in loggers]
    logging.captureWarnings(True)  # SQLAlchemy warns about how nbgrader uses it
    try:
        for each in loggers:
            each.handlers, each.propagate = [handler], False
        yield path
    except Stopped as stop:
        (reason,) = stop.args
        full = isinstance(reason, OSError)
        text = not_written("A mark, a page or the log", reason) if full else course.unusable(reason)
        raise CourseError(text) from None
    finally:
        for each, (handlers, propagate) in zip(loggers, before, strict=True):
            each.handlers, each.propagate = handlers, propagate
        logging.captureWarnings(False)
        with suppress(OSError):  # of the write that failed
            handler.close()


class _Log(logging.FileHandler):
    """A log that stops the command if it cannot be written. Python would print a stack trace for each message."""

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, OSError) and error.errno in FULL:
            raise Stopped(error)
        super().handleError(record)


def _answers_and_marks(nb: NotebookNode) -> dict[str, object]:
    return {
        cell.metadata.nbgrader.grade_id: cell.get("outputs") if utils.is_grade(cell) else cell.source
        for cell in nb.cells
        if utils.is_solution(cell) or utils.is_grade(cell)
    }
