"""The instructor's own answers. Before a release, each solution must earn all points, and its skeleton none."""

import copy
import html
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.cells import about, answers_in, graded
from autograder.judging.jobs import Job, Judgement, Question, Store
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.plugins.judge_answers import jobs_in
from autograder.plugins.take_answers import read_submission, with_answers
from course.build import usable_toolchain
from course.device import EMULATED
from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.gradebook import Course


def solutions(course: "Course", assignment: str) -> dict[Question, Job]:
    """The jobs of the instructor's own answers to an assignment, by their questions."""
    path = course.solution(assignment)
    taken = with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent)
    return {job.question: job for job in jobs_in(taken, course.sandbox, course.toolchain).values()}


def judge_questions(folder: Path) -> None:
    """Raise CourseError if a question of `folder/solutions` has a fault, as `question_faults` finds it."""
    if faults := question_faults(folder, sorted(path.stem for path in folder.glob("solutions/*/*.ipynb"))):
        head = "Nothing was released, since a right answer must earn all points, and an empty one none:"
        raise CourseError("\n".join([head, *faults]))


def question_faults(folder: Path, assignments: Collection[str]) -> list[str]:
    """Judge each question of these assignments of `folder/solutions` that is new or has changed.

    A fault is a solution that does not earn all points of a question, or a skeleton, which students start with, that
    earns any. The judgements are kept in `grading/releases/`, so unchanged questions are not judged again. The cells
    are the instructor's own, and run without a sandbox.
    """
    store = Store(folder / "grading" / "releases")
    paths = [folder / "solutions" / name / f"{name}.ipynb" for name in assignments]
    asked = [_Asked(path.stem, kind, nb) for path in paths for kind, nb in _handed_in(path).items()]
    jobs = dict.fromkeys(job for each in asked for job in each.jobs.values())
    missing = len(store.missing(jobs))
    print(f"Solutions and skeletons to judge: {missing} of {len(jobs)}")
    found = store.judged(jobs)
    faults = dict(fault for each in asked for fault in each.faults(found))
    for job in filter(None, faults.values()):
        store.drop(job)  # the machine may have been at fault, so it is judged again the next time
    return list(faults)


def _handed_in(path: Path) -> dict[str, NotebookNode]:
    """The notebook of the solutions as grading would take it, and the same with the skeletons as answers."""
    solutions = nbformat.read(path, as_version=4)
    solutions.metadata["course"] = {}
    skeletons, _ = ClearSolutions().preprocess(copy.deepcopy(solutions), {})
    found = {"solution": solutions, "skeleton": skeletons}
    return {kind: with_answers(copy.deepcopy(solutions), each, path.parent) for kind, each in found.items()}


class _Asked:
    """The questions of a notebook, with its solutions or its skeletons as answers."""

    def __init__(self, name: str, kind: str, notebook: NotebookNode):
        self.name, self.kind, self.notebook = name, kind, notebook
        if usable_toolchain().name in EMULATED:  # a time cannot be marked here
            timed = [cell for cell in graded(notebook) if about(cell, "cases") == "timed"]
            notebook.cells = [cell for cell in notebook.cells if cell not in timed]
        self.jobs = jobs_in(notebook, sandbox=False)

    def faults(self, found: Mapping[Job, Judgement]) -> Iterator[tuple[str, Job | None]]:
        """What is wrong with the questions, each a sentence and the job that shows it."""
        answers = answers_in(self.notebook)
        for cell in graded(self.notebook):
            question, answer = cell.metadata.nbgrader.grade_id, cell.metadata.course.answer
            if not (job := self.jobs.get(question)):
                yield f"{self.name}: {about(answers[answer], 'problem')}", None
                continue
            judgement = found[job]
            said = judgement.verdict.get("message") or html.unescape(re.sub(r"<[^>]+>", "", judgement.reason))
            if self.kind == "solution" and not judgement.correct:
                yield f"{self.name}: the solution of {answer} does not earn the points of {question}. {said}", job
            if self.kind == "skeleton" and judgement.correct:
                text = f"the skeleton of {answer}, without its solution, earns the points of {question}."
                yield f"{self.name}: {text}", job
