"""Grades the submissions of an assignment: judges each distinct answer once, then lets nbgrader write the marks."""

import fcntl
import functools
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback, NbGraderException
from nbgrader.preprocessors import CheckCellMetadata, ClearOutput, OverwriteCells
from traitlets.utils.importstring import import_item

from autograder.attention import Look, judgements_of, needing_attention
from autograder.cells import about, answers_in, graded, mark_in
from autograder.changes import changes, listed
from autograder.dates import update_penalties
from autograder.files import require_room, written
from autograder.gradebook import Course, can_be_recorded
from autograder.judging.jobs import Job, judge_jobs
from autograder.judging.processes import MANY, Processes
from autograder.plugins.feedback import stamp
from autograder.plugins.judge_answers import JudgeAnswers, asked_in, jobs_in, put_marks
from autograder.plugins.late_policy import LatePolicy
from autograder.plugins.take_answers import TakeAnswers, read_submission, with_answers
from autograder.progress import Progress
from autograder.questions import solutions
from course.errors import CourseError

BATCH = 10  # submissions whose marks are written to the gradebook together, or whose pages by one call of a process


@dataclass(frozen=True)
class Submission:
    """A notebook that a student handed in. `taken` is the instructor's notebook with the student's answers in it."""

    course: Course
    student: str
    taken: NotebookNode

    @functools.cached_property
    def jobs(self) -> Mapping[str, Job]:
        """The job of each graded cell. Raises CourseError if neither this machine nor a cluster can judge."""
        return jobs_in(self.taken, self.course.sandbox, self.course.toolchain)


def submissions(course: Course, assignment: str, student: str = "") -> list[Submission]:
    """The submissions of all students for `assignment`, or only those of `student`.

    Raises CourseError if nothing was handed in, or if a solution cannot be read.
    """
    course.require(assignment)
    path, students = course.solution(assignment), course.students(assignment)
    if student:
        students = [each for each in students if each == student]
    if not students:
        raise CourseError(f"Nothing was handed in: there is no {course.path('submitted', assignment, student or '*')}.")
    try:
        solution, _ = ClearOutput().preprocess(nbformat.read(path, as_version=4), {})
    except (OSError, ValueError) as error:
        raise CourseError(f"The solutions {path} cannot be read: {error}") from error
    _require_released(course, assignment, path, solution)
    found = []
    ids = {"notebook": assignment, "assignment": assignment, "db_url": course.directory.db_url}
    OverwriteCells(parent=course.app).preprocess(solution, {"nbgrader": ids})  # once, and not for each student
    for each in filter(can_be_recorded, students):
        handed_in = read_submission(course.notebook("submitted", assignment, each))
        found.append(Submission(course, each, with_answers(deepcopy(solution), handed_in, path.parent)))
    return found


def _require_released(course: Course, assignment: str, path: Path, solution: NotebookNode) -> None:
    """Raise CourseError if the questions of a solution, or their points, are not those of the gradebook."""
    there = {name: 0.0 for name in answers_in(solution)}
    there |= {
        cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
        for cell in filter(utils.is_grade, solution.cells)
    }
    with course.gradebook() as gradebook:
        notebook = gradebook.find_notebook(assignment, assignment)
        recorded = {each.name: 0.0 for each in notebook.solution_cells}
        recorded |= {each.name: each.max_score for each in notebook.grade_cells}
    if different := sorted(name for name in there | recorded if there.get(name) != recorded.get(name)):
        raise CourseError(
            f"The gradebook has other questions or points than {path} ({', '.join(different)}): run `make release`, or "
            "restore the file. nbgrader adds and removes no question of an assignment that was handed in."
        )


def unmarked(course: Course, assignment: str, submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions whose marks in the gradebook or in the autograded notebook differ from their judgements.

    nbgrader writes the gradebook and then the notebook. Each of the two may be lost, or restored from an older copy.
    The time and the secret of a submission are compared too, since they change when a student hands in the same
    answers again.
    """
    recorded = {each.student: each for each in course.recorded(assignment)}

    def is_marked(submission: Submission) -> bool:
        receipt = course.receipt("submitted", assignment, submission.student)
        if receipt.files != course.receipt("autograded", assignment, submission.student).files:
            return False
        there = recorded.get(submission.student)
        if there is None or (receipt.time or there.time) != there.time:
            return False
        marks = {grade.name: repr(grade.automatic) for grade in there.grades}
        for cell in graded(submission.taken):
            if marks.get(cell.metadata.nbgrader.grade_id) != mark_in(cell):
                return False
        try:
            marked = nbformat.read(course.notebook("autograded", assignment, submission.student), as_version=4)
        except (OSError, ValueError):  # missing, or incomplete after a power cut
            return False
        return _answers_and_marks(marked) == _answers_and_marks(submission.taken)

    return [each for each in submissions if not is_marked(each)]


def without_feedback(course: Course, assignment: str, submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions whose feedback page is missing, or does not agree with the gradebook or the receipt."""
    stamps = {
        each.student: stamp(
            {grade.name: None if grade.unmarked else grade.score for grade in each.grades}, each.comments, each.penalty
        )
        for each in course.recorded(assignment)
    }

    def has_page(submission: Submission) -> bool:
        marked = course.notebook("autograded", assignment, submission.student)
        page = course.notebook("feedback", assignment, submission.student).with_suffix(".html")
        expected = stamps.get(submission.student, "no marks")
        autograded, feedback = (
            course.receipt(step, assignment, submission.student).files for step in ("autograded", "feedback")
        )
        with suppress(OSError):
            text = page.read_bytes()
            younger = page.stat().st_mtime_ns > marked.stat().st_mtime_ns
            whole = expected.encode() in text and b"</html>" in text[-20:]
            return younger and whole and autograded == feedback
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
    dry_run: bool = False,
) -> bool:
    """Judge answers that are not judged yet, then write the marks and pages that do not agree with the judgements.

    If `student` is given, only this student is graded. With `again`, stored judgements are deleted first: those of
    `question`, the `grade_id` of an answer or of a graded cell, or all. `workers` answers are judged at the same time;
    0 means one per core. In a `dry_run`, neither marks nor pages are written. If the function is stopped, the next call
    continues the work.

    Returns False if a submission needs attention (`autograder/attention.py`). Raises CourseError, with nothing changed,
    for an unknown assignment, student or question, and if this machine cannot judge.
    """
    handed_in = submissions(course, assignment, student)
    jobs = dict.fromkeys(job for submission in handed_in for job in submission.jobs.values())
    forgotten = _asked(handed_in, question) if again else []
    with _one_at_a_time(course), _logging(course) as log:
        for job in forgotten:
            course.store.drop(job)
        distinct, missing = (len({job.answer for job in some}) for some in (jobs, course.store.missing(jobs)))
        print(f"{assignment}: {distinct} distinct answers in {len(handed_in)} submissions. Answers to judge: {missing}")
        judge_all = course.cluster.judge if course.cluster else partial(judge_jobs, workers=workers)
        found = course.store.judged(jobs, judge_all, partial(solutions, course, assignment))
        for each in handed_in:
            put_marks(each.taken, {question: found[job] for question, job in each.jobs.items()})
        told = listed(course, assignment, changes(course, assignment, handed_in), dry_run)
        failed = [] if dry_run else _write(course, assignment, handed_in, workers)
        judgements = judgements_of(course, handed_in)
        looks = needing_attention(course, assignment, handed_in, judgements, student=student, failed=failed)
    done = (
        "This was a dry run: judgements were stored, but no mark and no page was written."
        if dry_run
        else f"The marks are in the gradebook. The feedback pages are in {course.directory.feedback_directory}."
    )
    print(told, done, *looks, _count(looks, log), sep="\n")
    return not looks


class Chosen(BaseConverter):
    """One of nbgrader's converters, for the given notebooks only. A missing notebook is converted too."""

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
    """nbgrader's `autograde` of notebooks that are already `taken` and judged, each in one pass instead of two."""

    step = "submitted"
    done = (TakeAnswers, OverwriteCells, JudgeAnswers, LatePolicy, CheckCellMetadata)  # the release checks metadata
    taken: dict[str, NotebookNode]  # by student

    @functools.cached_property
    def steps(self) -> list[Callable]:
        """The preprocessors of the settings that are left to do."""
        named = [*self.sanitize_preprocessors, *self.autograde_preprocessors]
        kinds = [import_item(each) if isinstance(each, str) else each for each in named]
        return [kind(parent=self) for kind in kinds if kind not in self.done]

    def convert_single_notebook(self, notebook_filename: str) -> None:
        resources = self.init_single_notebook_resources(notebook_filename)
        ids = resources["nbgrader"]
        notebook = self.taken[ids["student"]]
        for step in self.steps:
            notebook, resources = step(notebook, resources)
        self.write_single_notebook(nbformat.writes(notebook) + "\n", resources | {"output_extension": ".ipynb"})


class Feedback(Chosen, GenerateFeedback):
    """nbgrader's `generate_feedback`."""

    step = "autograded"


def convert(
    course: Course,
    converter: Chosen,
    assignment: str,
    students: Iterable[str],
    step: Callable[[], object] = lambda: None,
) -> None:
    """Let one of nbgrader's converters write the notebooks of `students`; the converter logs errors.

    `step` is called after each submission.
    """
    paths = [course.notebook(converter.step, assignment, student) for student in students]
    converter.force, converter.chosen = True, {str(path.parent): [str(path)] for path in paths}
    with course.in_batches(BATCH) as written_too, suppress(NbGraderException):
        converter.step_done = lambda: (written_too(), step())
        converter.start()


def _write(course: Course, assignment: str, submissions: Sequence[Submission], workers: int) -> list[Submission]:
    """Write marks and pages that do not agree with `submissions` yet, and return the submissions that this failed for.

    nbgrader goes on after an error, and logs it. Raises CourseError if there is no room on the disk.
    """
    to_mark = {each.student: each.taken for each in unmarked(course, assignment, submissions)}
    with Progress("marked", len(to_mark)) as progress:
        marking = Marking(coursedir=course.directory, parent=course.app)
        marking.taken = to_mark
        convert(course, marking, assignment, to_mark, progress.step)
    if failed := unmarked(course, assignment, submissions):
        require_room(course.folder)
    update_penalties(course, assignment, {each.student for each in submissions})
    _write_pages(course, assignment, without_feedback(course, assignment, submissions), workers)
    if without := without_feedback(course, assignment, submissions):
        require_room(course.folder)
    return [*failed, *without]


def _write_pages(course: Course, assignment: str, submissions: Sequence[Submission], workers: int) -> None:
    """Write the feedback pages of `submissions`: many of them by processes, a batch at a time."""
    students = sorted(each.student for each in submissions)
    at_once = workers or len(os.sched_getaffinity(0))
    with Progress("feedback written for", len(students)) as progress:
        if at_once == 1 or len(students) < MANY * at_once:
            convert(
                course, Feedback(coursedir=course.directory, parent=course.app), assignment, students, progress.step
            )
            return
        with Processes(at_once) as pool:
            batches = [students[start : start + BATCH] for start in range(0, len(students), BATCH)]
            for done in as_completed(
                pool.submit(write_pages, course.directory.root, assignment, each) for each in batches
            ):
                for _ in range(done.result()):
                    progress.step()


def write_pages(folder: str, assignment: str, students: Sequence[str]) -> int:
    """In a process for pages: write those of `students`, and return how many were written."""
    os.chdir(folder)
    course, written = _course(), []
    with _logging(course):
        feedback = Feedback(coursedir=course.directory, parent=course.app)
        convert(course, feedback, assignment, students, lambda: written.append(1))
    return len(written)


@functools.cache
def _course() -> Course:
    """The course of this process, which pages are written for."""
    return Course()


def _count(looks: Sequence[Look], log: Path) -> str:
    """The last line of `autograder grade`: how many submissions need attention."""
    count = len({look.student for look in looks})
    if not count:
        return "No submission needs attention."
    who = "1 submission needs" if count == 1 else f"{count} submissions need"
    return f"{who} attention: see above. The log is {log}."


def _asked(submissions: Sequence[Submission], question: str) -> list[Job]:
    """The jobs of `question`, the name of an answer or of a graded cell, or all jobs if `question` is ""."""
    names = {
        cell.metadata.nbgrader.grade_id: about(cell, "answer") for each in submissions for cell in graded(each.taken)
    }
    jobs = [(name, job) for submission in submissions for name, job in submission.jobs.items()]
    named = [job for name, job in jobs if question in ("", name, names[name])]
    if question and not named:
        there = sorted({names[name] for name, _ in jobs})
        raise CourseError(
            f"No submitted answer belongs to a question {question!r}. The answers are {', '.join(there)}."
        )
    return named


def prune(course: Course) -> int:
    """Keep the newest judgements of each answer that is handed in, in any assignment, and delete all others.

    Returns how many files were deleted. Marks and pages do not change. Raises CourseError if another command writes
    the gradebook, if a solution cannot be read, or if nothing was handed in.
    """
    with _one_at_a_time(course):
        handed_in = [name for name in course.assignments() if course.students(name)]
        if not handed_in:
            raise CourseError("Nothing was handed in, so no judgement was deleted: is `grading/submitted` there?")
        found = [submission for name in handed_in for submission in submissions(course, name)]
        return course.store.prune({each for submission in found for each in asked_in(submission.taken).values()})


@contextmanager
def _one_at_a_time(course: Course) -> Iterator[None]:
    """Lock the course, so that no other command writes its gradebook. Raises CourseError if it is locked already."""
    with written(f"The folder for judgements, {course.store.folder},"):
        course.store.folder.mkdir(parents=True, exist_ok=True)
        lock = (course.store.folder / ".lock").open("a")
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
    """Write the log of nbgrader and of the judge to a file, and yield the path of that file."""
    path = course.folder / "autograder.log"
    with written(path):
        handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.handleError = lambda record: None  # type: ignore[method-assign]  # Python would print a stack trace
    names = ("autograder", "py.warnings", "tornado.application")  # nbgrader's gradebook uses the last one
    loggers = [course.app.log, *map(logging.getLogger, names)]
    before = [(each.handlers[:], each.propagate) for each in loggers]
    logging.captureWarnings(True)  # SQLAlchemy warns about how nbgrader uses it
    try:
        for each in loggers:
            each.handlers, each.propagate = [handler], False
        yield path
    finally:
        for each, (handlers, propagate) in zip(loggers, before, strict=True):
            each.handlers, each.propagate = handlers, propagate
        logging.captureWarnings(False)
        with suppress(OSError):  # of a full disk
            handler.close()


def _answers_and_marks(nb: NotebookNode) -> dict[str, object]:
    return {
        cell.metadata.nbgrader.grade_id: cell.source if utils.is_solution(cell) else cell.get("outputs")
        for cell in nb.cells
        if utils.is_solution(cell) or utils.is_grade(cell)
    }
