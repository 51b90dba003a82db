"""The instructor's own answers. Before a release, each solution must earn all points, and its skeleton none."""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.cells import about, answers_in, graded
from autograder.judging.jobs import Job, Judgement, Question, Store, grading_toolchain
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.plugins.judge_answers import jobs_in
from autograder.plugins.take_answers import read_submission, with_answers
from autograder.progress import Progress
from course.device import EMULATED
from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.gradebook import Course


def solutions(course: Course, assignment: str) -> dict[tuple[Question, ...], Job]:
    """The jobs of the instructor's own answers to an assignment, by their questions."""
    found: dict[tuple[Question, ...], Job] = {}
    for path in course.path("source", assignment).glob("*.ipynb"):
        taken = with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent)
        found |= {job.questions: job for job in jobs_in(taken, course.sandbox, course.toolchain).values()}
    return found


def judge_questions(folder: Path) -> None:
    """Judge each question of `folder/solutions` that is new or has changed.

    The judgements are kept in `grading/releases/`, so unchanged questions are not judged again. The cells are the
    instructor's own, and run without a sandbox. Raises CourseError if a solution does not earn all points of a
    question, or if its skeleton, which students start with, earns any.
    """
    store = Store(folder / "grading" / "releases")
    notebooks = [each for path in sorted(folder.glob("solutions/*/*.ipynb")) for each in _handed_in(path)]
    asked = [(nb, jobs_in(nb, sandbox=False)) for nb in notebooks]
    jobs = dict.fromkeys(job for _, of_notebook in asked for job in of_notebook.values())
    missing = len(store.missing(jobs))
    print(f"Solutions and skeletons to judge: {missing} of {len(jobs)}")
    with Progress("judged", missing) as progress:
        found = store.judged(jobs, step=progress.step)
    if faults := dict(fault for nb, of_notebook in asked for fault in _faults(nb, of_notebook, found)):
        for job in filter(None, faults.values()):
            store.drop(job)  # the machine may have been at fault, so it is judged again the next time
        head = "Nothing was released, since a right answer must earn all points, and an empty one none:"
        raise CourseError("\n".join([head, *faults]))


def _handed_in(path: Path) -> list[NotebookNode]:
    """The notebook of the solutions as grading would take it, and the same with the skeletons as answers."""
    solutions = nbformat.read(path, as_version=4)
    solutions.metadata["course"] = {}
    skeletons, _ = ClearSolutions().preprocess(copy.deepcopy(solutions), {})
    taken = [with_answers(copy.deepcopy(solutions), each, path.parent) for each in (solutions, skeletons)]
    for notebook, kind in zip(taken, ("solution", "skeleton"), strict=True):
        notebook.metadata["course"] = {"name": path.stem, "kind": kind}
        if grading_toolchain() in EMULATED:  # a time cannot be marked here
            timed = [cell for cell in graded(notebook) if about(cell, "cases") == "timed"]
            notebook.cells = [cell for cell in notebook.cells if cell not in timed]
    return taken


def _faults(
    notebook: NotebookNode, jobs: Mapping[str, Job], found: Mapping[Job, Mapping[str, Judgement]]
) -> Iterator[tuple[str, Job | None]]:
    """What is wrong with the questions of a notebook, each a sentence and the job that shows it."""
    name, kind = notebook.metadata.course["name"], notebook.metadata.course["kind"]
    answers = answers_in(notebook)
    for cell in graded(notebook):
        question, answer = cell.metadata.nbgrader.grade_id, cell.metadata.course.answer
        if answer not in jobs:
            yield f"{name}: {answers[answer].metadata.course['problem']}", None
            continue
        judgement = found[jobs[answer]][question]
        said = judgement.verdict.get("message") or html.unescape(re.sub(r"<[^>]+>", "", judgement.reason))
        if kind == "solution" and not judgement.correct:
            yield f"{name}: the solution of {answer} does not earn the points of {question}. {said}", jobs[answer]
        if kind == "skeleton" and judgement.correct:
            yield (
                f"{name}: the skeleton of {answer}, without its solution, earns the points of {question}.",
                jobs[answer],
            )
