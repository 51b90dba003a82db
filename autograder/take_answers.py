"""Takes the answers out of what was handed in, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearOutput, NbGraderPreprocessor


class TakeAnswers(NbGraderPreprocessor):
    """Puts the text of each handed-in answer into the instructor's notebook, which takes the place of the submission.

    Whatever else a submission holds (metadata, outputs, HTML, other cells) is gone afterwards, so it can neither earn
    marks nor stop the grading of others. An answer that cannot be taken leaves its cell empty, with one sentence for
    the learner in the cell's metadata, `course.problem`.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """The instructor's notebook, with the answers of `nb` and without outputs."""
        ids = resources["nbgrader"]
        course = CourseDirectory(config=self.config)
        folder = course.format_path(course.source_directory, ".", ids["assignment"])
        graded = nbformat.read(f"{folder}/{ids['notebook']}.ipynb", as_version=4)
        for cell in filter(utils.is_solution, graded.cells):
            found = [other for other in nb.cells if _grade_id(other) == cell.metadata.nbgrader.grade_id]
            problem = _problem(cell, found)
            cell.source = "" if problem else found[0].source
            if problem:
                cell.metadata["course"] = {"problem": problem}
        return ClearOutput(parent=self).preprocess(graded, resources)


def _grade_id(cell: Mapping[str, Any]) -> str | None:
    """The cell's grade_id, whatever the learner has made of its metadata."""
    metadata = cell.get("metadata")
    tags = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    return tags.get("grade_id") if isinstance(tags, Mapping) else None


def _problem(cell: NotebookNode, found: list[NotebookNode]) -> str | None:
    """One sentence that says why `found`, the cells handed in under the id of the answer `cell`, are no answer."""
    name = cell.metadata.nbgrader.grade_id
    if not found:
        return f"The answer cell {name} is missing from what was handed in; put it back from the released notebook."
    if len(found) > 1:
        return f"The answer cell {name} was handed in {len(found)} times; keep one (a copied cell keeps its name)."
    if found[0].cell_type != cell.cell_type:
        return f"The answer cell {name} was turned into a {found[0].cell_type} cell; make it a {cell.cell_type} cell."
    if _magic(found[0].source) != _magic(cell.source):
        return f"The answer cell {name} must begin with {_magic(cell.source) or 'Python, not with a magic'}."
    return None


def _magic(source: str) -> str:
    """`%%cuda` or `%%candidate` where the cell begins with it, else ""."""
    return next((word for word in source.split()[:1] if word.startswith("%%")), "")
