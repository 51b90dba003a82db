"""The cells of an instructor's notebook that have an answer, and those that are marked."""

import functools

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from pygments.lexers import PythonLexer
from pygments.token import Comment

from course.errors import CourseError
from course.text.cuda import CudaText
from course.worker.cells import Cell


def answers_in(nb: NotebookNode) -> dict[str, NotebookNode]:
    """The cells with an answer, by their names."""
    return {cell.metadata.nbgrader.grade_id: cell for cell in filter(utils.is_solution, nb.cells)}


def graded(nb: NotebookNode) -> list[NotebookNode]:
    """The cells that are marked by judging. An instructor marks the other graded cells by hand."""
    return [cell for cell in nb.cells if utils.is_grade(cell) and not utils.is_solution(cell)]


def mark_in(cell: NotebookNode) -> str:
    """The mark in the output of a graded cell, as nbgrader's scorer reads it."""
    return cell.outputs[0].data["text/plain"]


def about(cell: NotebookNode, key: str) -> str:
    """What the course's metadata of a cell say under `key`, or ""."""
    return cell.metadata.get("course", {}).get(key, "")


def is_code(answer: NotebookNode) -> bool:
    """Whether an answer is a kernel or a function, and neither a prediction nor a bet."""
    return answer.source.startswith("%%") or "def " in answer.source


def cell_of(source: str) -> Cell:
    """The parts of an answer's cell. One that the notebook would refuse is taken as Python."""
    try:
        return Cell.of(source)
    except CourseError:
        return Cell("", "", source)


@functools.lru_cache(maxsize=4096)
def without_comments(source: str) -> str:
    """The lines of an answer's cell that have more than a comment; "" if there are none."""
    cell = cell_of(source)
    if cell.magic == "cuda":
        text = CudaText.of(cell.source).without_comments
    else:
        tokens = PythonLexer(stripnl=False).get_tokens(cell.source)
        text = "".join(text for kind, text in tokens if kind not in Comment)
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())
