"""Takes the answers from a submission, and nothing else."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearOutput, NbGraderPreprocessor

from autograder.cells import answers_in
from autograder.misplaced import read_handed_in
from autograder.plugins.find_answers import Submitted
from autograder.submission_files import NotTaken
from course.notebook.saved import grade_id, value_at
from course.tasks import task_name, task_names, task_text

CELLS_BOUND = 10_000  # cells with a name; a notebook of the course has at most 22 of them
UNNAMED_BOUND = 1000  # cells without a name, among which a lost answer is looked for
ACTIVE = re.compile(r"<(?=[a-z/!?])|\](?=[(:])|\\(?=href)", re.IGNORECASE)  # begins HTML or a link in Markdown


class TakeAnswers(NbGraderPreprocessor):
    """Puts the text of each submitted answer into the instructor's notebook, which then replaces the submission.

    Everything else in a submission (metadata, outputs, HTML, other cells) is dropped. It can therefore neither earn
    marks nor stop the grading of other students.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """The instructor's notebook, with the answers of `nb` and without outputs."""
        ids = resources["nbgrader"]
        course = CourseDirectory(config=self.config)
        folder = course.format_path(course.source_directory, ".", ids["assignment"])
        solution = nbformat.read(f"{folder}/{ids['notebook']}.ipynb", as_version=4)
        return ClearOutput(parent=self).preprocess(with_answers(solution, nb, Path(folder)), resources)


class SubmissionExporter(NotebookExporter):
    """nbgrader's reader of notebooks, except that it reads submissions with `read_submission`."""

    def from_filename(self, filename: str, resources: dict | None = None, **options: object) -> tuple[Any, dict]:
        """The notebook in the file, preprocessed, as text."""
        if any(isinstance(step, TakeAnswers) for step in self._preprocessors):
            return self.from_notebook_node(read_submission(Path(filename)), resources, **options)
        return super().from_filename(filename, resources, **options)


def read_submission(path: Path) -> NotebookNode:
    """The cells of a submitted notebook. Only their text and their `grade_id` is kept.

    Its metadata have `course.found`, the name under which it was found, if this is not the name in `path`. For a
    notebook that cannot be read, the result has no cells. Its metadata then have `course.problem`, one sentence for the
    learner.
    """
    try:
        content, found = read_handed_in(path)
        cells = _cells(content)
        named = sum(bool(cell["metadata"]) for cell in cells)
        if named > CELLS_BOUND:  # a million cells would take nbformat half a minute and 2 GiB
            return _unreadable(
                f"{path.name} has {named:,} cells with names of the course: keep one cell for each name."
            )
        return _notebook(cells, found=found)
    except NotTaken as error:
        return _unreadable(str(error))
    except UnicodeDecodeError:
        return _unreadable(
            f"{path.name} cannot be read, since it is not UTF-8 text: hand in the file that Jupyter saved."
        )
    except (ValueError, RecursionError):
        return _unreadable(
            f"{path.name} cannot be read, since it is not a notebook: hand in the file that Jupyter saved."
        )
    except OSError as error:
        return _unreadable(f"{path.name} cannot be read ({error.strerror}).")


def with_answers(solution: NotebookNode, handed_in: NotebookNode, folder: Path) -> NotebookNode:
    """The instructor's notebook `solution`, from `folder`, with the answers of `handed_in` instead of the solutions.

    If an answer cannot be taken, its cell is left empty, and the cell's metadata get `course.problem`, one sentence for
    the learner. If it is taken on an assumption, they get `course.assumed`, a sentence that says so. A graded cell that
    marks the time gets `course.solution`, the solution's text, for comparison. For an instructor's own task, the graded
    cell gets `course.task_source`, the text of the task's file in `folder`, and `course.task` becomes the name under
    which `check` finds the task.
    """
    submitted = Submitted(solution, handed_in.cells)
    problem, renamed = (handed_in.metadata.course.get(key) for key in ("problem", "found"))
    if renamed and not any(grade_id(cell) in submitted.ids for cell in handed_in.cells):
        problem = f"The notebook of the submission, {renamed}, has no answer cell of this assignment."
    solutions = {name: cell.source for name, cell in answers_in(solution).items()}
    for cell in filter(utils.is_grade, solution.cells):
        question = cell.metadata.get("course", {})
        if question.get("cases") == "timed":
            question["solution"] = solutions.get(question.get("answer"), "")
        if "task" in question:
            question["task"] = task_name(question["task"])
            own = folder / f"{question['task']}.py"
            if own.stem not in task_names() and own.is_file():
                question["task_source"] = task_text(own)
    for cell in filter(utils.is_solution, solution.cells):
        try:
            if problem:
                raise NotTaken(problem)
            found, assumed = submitted.answer(cell)
        except NotTaken as error:
            cell.source, cell.metadata["course"] = "", {"problem": str(error)}
            continue
        # Nbgrader's pages would run what a prose answer has in HTML. A space after `<` leaves nothing but text.
        cell.source = found.source if cell.cell_type == "code" else ACTIVE.sub(r"\g<0> ", found.source)
        if renamed:
            assumed = f"The notebook was found as {renamed} in the submission. {assumed}".strip()
        if assumed:
            cell.metadata["course"] = {"assumed": assumed}
    return solution


def _cells(content: bytes) -> list[dict]:
    """The cells with a name in a notebook, and those without a name, unless there are too many.

    Raises ValueError or RecursionError if the content is not a notebook.
    """
    data = json.loads(content)
    if not (isinstance(data, dict) and isinstance(data.get("cells"), list)):
        raise ValueError("no list of cells")
    cells = []
    for cell in data["cells"]:
        name, kind = grade_id(cell), value_at(cell, "cell_type")
        source = value_at(cell, "source")
        text = "".join(map(str, source)) if isinstance(source, list) else source
        if isinstance(kind, str) and isinstance(text, str):
            metadata = {"nbgrader": {"grade_id": name}} if name else {}
            cells.append({"cell_type": kind, "metadata": metadata, "source": text})
    named = [cell for cell in cells if cell["metadata"]]
    return cells if len(cells) - len(named) <= UNNAMED_BOUND else named


def _unreadable(problem: str) -> NotebookNode:
    return _notebook([], problem=problem)


def _notebook(cells: list[dict], **course: str) -> NotebookNode:
    return nbformat.from_dict({"cells": cells, "metadata": {"course": course}, "nbformat": 4, "nbformat_minor": 4})
