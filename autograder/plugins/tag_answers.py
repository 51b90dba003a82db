"""Tags answer cells at release, so that a student's error in an answer does not end Run All."""

from __future__ import annotations

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

TAG = "raises-exception"  # Jupyter's own tag: it shows the error and continues


class TagAnswers(NbGraderPreprocessor):
    """Gives each answer cell with code the tag `raises-exception`, which changes no checksum."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """The cell, with the tag if it is an answer."""
        if cell.cell_type == "code" and utils.is_solution(cell) and TAG not in cell.metadata.get("tags", []):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), TAG]
        return cell, resources
