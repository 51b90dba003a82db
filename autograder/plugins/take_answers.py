"""Takes the answers from a submission, and nothing else."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearOutput, NbGraderPreprocessor

from autograder.submission_files import NotTaken, read_regular
from course.notebook.bets import bet_in, is_guess
from course.notebook.mime import MIME, VERSION
from course.notebook.saved import grade_id
from course.tasks import task_name, task_names, task_text

NOTEBOOK_BOUND = 64 << 20  # bytes, including outputs
CELLS_BOUND = 10_000  # cells with a name; a notebook of the course has at most 22 of them
NAMES_SHOWN = 3  # most names of other notebooks that a sentence lists
ANSWER_BOUND = 100_000  # characters: the longest solution has 4,000


class TakeAnswers(NbGraderPreprocessor):
    """Puts the text of each submitted answer into the instructor's notebook, which then replaces the submission.

    Everything else in a submission (metadata, outputs, HTML, other cells) is dropped. It can therefore neither earn
    marks nor stop the grading of other students. A bet earns no marks, but the guess in its output is kept for the
    report.
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
    """The cells of a submitted notebook that have a `grade_id`. Only their text is kept.

    For a notebook that cannot be read, the result has no cells. Its metadata then have `course.problem`, one sentence
    for the learner.
    """
    try:
        cells = _cells(path)
        if len(cells) > CELLS_BOUND:  # a million cells would take nbformat half a minute and 2 GiB
            return _unreadable(
                f"{path.name} has {len(cells):,} cells with names of the course: keep one cell for each name."
            )
        return _notebook(cells)
    except NotTaken as error:
        return _unreadable(str(error))
    except FileNotFoundError:
        others = sorted(other.name for other in path.parent.glob("*.ipynb"))[:NAMES_SHOWN]
        instead = f" The submission has {', '.join(others)} instead: rename it to {path.name}." if others else ""
        return _unreadable(f"There is no {path.name} in the submission.{instead}")
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
    the learner. A graded cell that marks the time gets `course.solution`, the solution's text, for comparison. For an
    instructor's own task, the graded cell gets `course.task_source`, the text of the task's file in `folder`, and
    `course.task` becomes the name under which `check` finds the task.
    """
    problem = handed_in.metadata.course.get("problem")
    solutions = {cell.metadata.nbgrader.grade_id: cell.source for cell in filter(utils.is_solution, solution.cells)}
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
        found = [other for other in handed_in.cells if grade_id(other) == cell.metadata.nbgrader.grade_id]
        wrong, is_bet = problem or _problem(cell, found), bet_in(cell.source) is not None
        cell.source = "" if wrong else found[0].source
        if wrong:
            cell.metadata["course"] = {"problem": wrong}
        elif is_bet:
            cell.metadata["course"] = {"bet": found[0].metadata.get("course", {}).get("bet")}
    return solution


def _cells(path: Path) -> list[dict]:
    """The answer cells in the file.

    Raises what `read_regular` raises, and ValueError or RecursionError if the file is not a notebook.
    """
    data = json.loads(read_regular(path, NOTEBOOK_BOUND))
    if not (isinstance(data, dict) and isinstance(data.get("cells"), list)):
        raise ValueError("no list of cells")
    cells = []
    for cell in data["cells"]:
        name, kind = grade_id(cell), cell.get("cell_type") if isinstance(cell, dict) else None
        source = cell.get("source") if name else None
        text = "".join(map(str, source)) if isinstance(source, list) else source
        if name and isinstance(kind, str) and isinstance(text, str):
            metadata: dict[str, Any] = {"nbgrader": {"grade_id": name}}
            if bet := _kept_bet(cell):
                metadata["course"] = {"bet": bet}
            cells.append({"cell_type": kind, "metadata": metadata, "source": text})
    return cells


def _kept_bet(cell: dict) -> dict[str, Any] | None:
    """The guess in the output of a bet, and whether the guess was late. None if there is no guess."""
    with contextlib.suppress(AttributeError, KeyError, TypeError):
        for output in cell["outputs"]:
            kept = output.get("data", {}).get(MIME, {})
            bet = kept.get("bet", {})
            if kept.get("version") == VERSION and is_guess(bet.get("guess")):
                return {"guess": float(bet["guess"]), "late": bet.get("late") is True}
    return None


def _unreadable(problem: str) -> NotebookNode:
    return _notebook([], problem=problem)


def _notebook(cells: list[dict], **course: str) -> NotebookNode:
    return nbformat.from_dict({"cells": cells, "metadata": {"course": course}, "nbformat": 4, "nbformat_minor": 4})


def _problem(cell: NotebookNode, found: list[NotebookNode]) -> str | None:
    """Why `found`, the submitted cells with the id of `cell`, cannot be taken as its answer. None if they can."""
    name = cell.metadata.nbgrader.grade_id
    if not found:
        return f"The answer cell {name} is missing from the submission: copy the cell from the released notebook."
    if len(found) > 1:
        return f"The answer cell {name} was handed in {len(found)} times: delete the copies, which have the same name."
    if found[0].cell_type != cell.cell_type:
        return f"The answer cell {name} was turned into a {found[0].cell_type} cell: make it a {cell.cell_type} cell."
    source = found[0].source
    if len(source) > ANSWER_BOUND:
        return f"The answer cell {name} has {len(source):,} characters, but at most {ANSWER_BOUND:,} are allowed."
    if "\0" in source or not encodable(source):
        return f"The answer cell {name} has characters that cannot be stored as text: type these characters again."
    if _magic(source) != _magic(cell.source):
        return f"The answer cell {name} must begin with {_magic(cell.source) or 'Python code, not with a magic'}."
    return None


def encodable(text: str) -> bool:
    """Whether `text` can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _magic(source: str) -> str:
    """`%%cuda` or `%%candidate` if the cell begins with this magic, else ""."""
    return next((word for word in source.split()[:1] if word.startswith("%%")), "")
