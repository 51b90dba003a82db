"""The cells of an instructor's notebook that have an answer, and those that are marked."""

from __future__ import annotations

from nbformat.notebooknode import NotebookNode
from nbgrader import utils


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
