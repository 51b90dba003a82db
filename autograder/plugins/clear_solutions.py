"""Removes the solutions from a notebook at release. The rest of each cell, in Python or CUDA, must still build."""

import ast
import re

from nbformat.notebooknode import NotebookNode
from nbgrader import preprocessors, utils

from course.errors import CourseError
from course.notebook.bets import bet_in

# From a BEGIN line to the next END line with the same comment mark, with no other marker between them.
_REGION = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>//|#)#* BEGIN SOLUTION[^\n]*\n"
    r"(?:(?!.*\b(?:BEGIN|END) SOLUTION\b).*\n)*"
    r"[ \t]*(?P=mark)#* END SOLUTION[^\n]*$",
    re.MULTILINE,
)
_MARKER = re.compile(r"\b(?:BEGIN|END) SOLUTION\b")


class ClearSolutions(preprocessors.ClearSolutions):
    """nbgrader's `ClearSolutions` with a stub in the language of each region.

    The stub is the comment `// YOUR CODE HERE` or `# YOUR CODE HERE`, followed by `pass` if Python needs a statement.
    Raises CourseError with the cell's name if a marker has no partner, if a solution cell has no markers, or if the
    remaining Python does not parse. The remaining CUDA is built by tests.
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type != "code":
            return super()._replace_solution_region(cell, language)
        if bet_in(cell.source):  # a bet has no solution, and students get it unchanged
            return True
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id")
        source = without_solution(cell.source)
        if _MARKER.search(source):
            raise CourseError(
                f"Cell {name}: BEGIN SOLUTION and END SOLUTION do not match. Write one END for each BEGIN."
            )
        cleared = source != cell.source
        if not cleared and utils.is_solution(cell):
            raise CourseError(f"Cell {name}: a solution cell needs BEGIN SOLUTION and END SOLUTION.")
        if cleared and not _parses(source):
            raise CourseError(f"Cell {name}: without the solution, the rest of the cell is not valid Python.")
        cell.source = source
        return cleared


def without_solution(source: str) -> str:
    """The text of a cell as it is released, with a stub in place of each solution."""
    cleared = _cleared(source, "")
    return cleared if cleared == source or _parses(cleared) else _cleared(source, "pass")


def _cleared(source: str, statement: str) -> str:
    """`source` with a stub in place of each region. A stub in Python ends in `statement`."""

    def stub(region: re.Match) -> str:
        lines = [f"{region['mark']} YOUR CODE HERE"] + [statement] * (bool(statement) and region["mark"] == "#")
        return "\n".join(region["indent"] + line for line in lines)

    return _REGION.sub(stub, source)


def _parses(source: str) -> bool:
    """Whether a cell, without its magic line, is valid Python; True for CUDA."""
    if source.startswith("%%cuda"):
        return True
    try:
        ast.parse(source.partition("\n")[2] if source.startswith("%%") else source)
    except SyntaxError:
        return False
    return True
