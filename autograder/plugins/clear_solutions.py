"""Clears the solutions of a notebook at release, in Python and in CUDA, so that what is left still builds."""

from __future__ import annotations

import ast
import re

from nbformat.notebooknode import NotebookNode
from nbgrader import preprocessors, utils

from course.errors import CourseError
from course.notebook.bets import bet_in

# From a BEGIN line to the next END line with the same comment mark; no other marker may be between them.
_REGION = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>//|#)#* BEGIN SOLUTION[^\n]*\n"
    r"(?:(?!.*\b(?:BEGIN|END) SOLUTION\b).*\n)*"
    r"[ \t]*(?P=mark)#* END SOLUTION[^\n]*$",
    re.MULTILINE,
)
_MARKER = re.compile(r"\b(?:BEGIN|END) SOLUTION\b")


class ClearSolutions(preprocessors.ClearSolutions):
    """nbgrader's `ClearSolutions` with a stub in the language of each region.

    The stub is the comment `// YOUR CODE HERE` or `# YOUR CODE HERE`, with `pass` after it where Python needs that.
    Raises CourseError, which names the cell, where a marker has no partner, where a solution cell has none, and where
    the Python that is left does not parse (CUDA is left to the tests, which build it).
    """

    def _replace_solution_region(self, cell: NotebookNode, language: str) -> bool:
        if cell.cell_type != "code":
            return super()._replace_solution_region(cell, language)
        if bet_in(cell.source):  # it has no solution, and goes to students as it is
            return True
        name = cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id")
        source, cleared = _cleared(cell.source, "")
        if _MARKER.search(source):
            raise CourseError(
                f"Cell {name}: BEGIN SOLUTION and END SOLUTION do not pair up. Write one END for each BEGIN."
            )
        if not cleared and utils.is_solution(cell):
            raise CourseError(f"Cell {name}: a solution cell needs BEGIN SOLUTION and END SOLUTION.")
        if cleared and not _parses(source):
            source, _ = _cleared(cell.source, "pass")
            if not _parses(source):
                raise CourseError(f"Cell {name}: what is left without the solution is not valid Python.")
        cell.source = source
        return cleared > 0


def _cleared(source: str, statement: str) -> tuple[str, int]:
    """`source` with a stub for each region (`statement` in those of Python), and how many there were."""

    def stub(region: re.Match) -> str:
        lines = [f"{region['mark']} YOUR CODE HERE"] + [statement] * (bool(statement) and region["mark"] == "#")
        return "\n".join(region["indent"] + line for line in lines)

    return _REGION.subn(stub, source)


def _parses(source: str) -> bool:
    """Whether a cell is valid Python, its magic line aside; True for CUDA."""
    if source.startswith("%%cuda"):
        return True
    try:
        ast.parse(source.partition("\n")[2] if source.startswith("%%") else source)
    except SyntaxError:
        return False
    return True
