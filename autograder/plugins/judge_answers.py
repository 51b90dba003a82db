"""Judges the answers in a notebook. nbgrader runs this step instead of its own step `Execute`."""

from collections.abc import Mapping
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from autograder.cells import about, answers_in, graded
from autograder.judging.jobs import Asked, Job, Judgement, Question, Store
from course.build import usable_toolchain
from course.device import EMULATED
from course.errors import CourseError
from course.html import paragraph
from course.notebook.check import Mark
from course.tasks import HIDDEN, task_names
from course.worker.protocol import Answer


class JudgeAnswers(NbGraderPreprocessor):
    """Gives every graded cell one output: the mark of the answer that the cell names, with the reason for the mark.

    It works on the notebook that `TakeAnswers` made, and executes no cell. Judgements come from the store; missing
    judgements are made now, and stored. A failure in one question does not affect the other questions.
    If the machine or the task cannot judge, or a graded cell names no answer, no mark would be right, and the notebook
    stays ungraded.
    """

    sandbox = Bool(True, help="Whether answers are built and run in a sandbox.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` with marks. Raises CourseError if the machine, a task or a graded cell does not allow judging."""
        course = CourseDirectory(config=self.config)
        store = Store(Path(course.root, course.autograded_directory).parent / "judgements")
        jobs = jobs_in(nb, self.sandbox)
        found = store.judged(jobs.values())
        put_marks(nb, {question: found[job] for question, job in jobs.items()})
        return nb, resources


def jobs_in(nb: NotebookNode, sandbox: bool, toolchain: tuple[str, str] = ("", "")) -> dict[str, Job]:
    """The jobs in a notebook with the answers of a submission, by the name of each graded cell.

    `toolchain` is the name and the version of the toolchain to judge with (default: this machine's). Raises CourseError
    for a graded cell that names no answer, a graded cell whose task or hidden cases are missing, and a graded cell that
    marks the time, if there is no GPU.
    """
    builder, version = toolchain[0] or usable_toolchain().name, toolchain[1]
    asked = asked_in(nb)
    for _, question in asked.values():
        if not question.task_source and question.task not in task_names():
            raise CourseError(
                f"The task of {question.name} is missing: the course has no task {question.task}, and there is no "
                f"{question.task}.py beside the solutions."
            )
        if question.cases == "hidden" and not (HIDDEN / f"{question.task}.py").is_file():
            raise CourseError(
                f"The hidden cases of {question.name} are missing ({HIDDEN / question.task}.py). The installed package "
                "has no hidden cases: grade with the autograder of a clone of the course."
            )
        if question.cases == "timed" and builder in EMULATED:
            raise CourseError(
                f"Graded cell {question.name} marks the time, which needs a GPU, and no GPU is in use here: grade on a "
                "machine with a GPU."
            )
    return {name: Job(answer, question, builder, sandbox, version) for name, (answer, question) in asked.items()}


def asked_in(nb: NotebookNode) -> dict[str, Asked]:
    """The answers in a notebook with the answers of a submission, each with its question, by the name of a graded cell.

    Answers that could not be taken are left out. Raises CourseError for a graded cell that names no answer.
    """
    answers, asked = answers_in(nb), {}
    for cell in graded(nb):
        name = cell.metadata.nbgrader.grade_id
        if not (answer := answers.get(about(cell, "answer"))):
            raise CourseError(f"Graded cell {name} names no answer in its `course` metadata.")
        if not about(answer, "problem"):
            course = cell.metadata.course
            texts = about(cell, "solution"), about(cell, "task_source")
            question = Question(name, course.task, course.cases, *texts)
            asked[name] = Answer.of_cell(answer.source, course.function), question
    return asked


def put_marks(nb: NotebookNode, judgements: Mapping[str, Judgement]) -> None:
    """Give the graded cells of `nb` their marks, from the judgements by the names of these cells."""
    answers = answers_in(nb)
    for cell in graded(nb):
        answer = answers[cell.metadata.course.answer]
        if problem := about(answer, "problem"):
            judgement = Judgement(False, paragraph(problem))
        else:
            judgement = judgements[cell.metadata.nbgrader.grade_id]
        assumed = about(answer, "assumed")
        reason = (paragraph(assumed) if assumed else "") + judgement.reason
        mark = Mark(float(cell.metadata.nbgrader.points), judgement.correct, "", reason, judgement.share)
        # nbgrader's scorer reads the number in text/plain
        cell.outputs = [new_output("execute_result", {"text/plain": repr(mark), "text/html": mark._repr_html_()})]
