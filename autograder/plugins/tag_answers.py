"""Tags answer cells at release. With the tag, an error in an answer does not stop Jupyter's Run All."""

from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

TAG = "raises-exception"  # a tag of Jupyter, which then shows the error and runs the next cell


class TagAnswers(NbGraderPreprocessor):
    """Gives each answer cell with code the tag `raises-exception`. The tag does not change nbgrader's checksums."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int) -> tuple[NotebookNode, dict]:
        """The cell, with the tag if it is an answer."""
        if cell.cell_type == "code" and utils.is_solution(cell) and TAG not in cell.metadata.get("tags", []):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), TAG]
        return cell, resources
