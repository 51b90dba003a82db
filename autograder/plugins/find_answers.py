"""Finds the cell that has an answer in a submitted notebook, also if the cell was copied, lost its name or its type."""

import re
from collections.abc import Iterator

from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.plugins.clear_solutions import without_solution
from autograder.submission_files import NotTaken
from course.errors import CourseError
from course.notebook.saved import grade_id
from course.worker.cells import Cell

ANSWER_BOUND = 100_000  # characters: the longest solution has 4,000
LIKELY_BOUND = 50  # cells that have the name of a lost answer in their text; more are not read


class Submitted:
    """The cells of a submission, and what the instructor's notebook `solution` says about its answers."""

    def __init__(self, solution: NotebookNode, cells: list[NotebookNode]):
        self.cells = cells
        self.ids = set(filter(None, map(grade_id, solution.cells)))
        self.given = {_trimmed(cell.source) for cell in solution.cells if not utils.is_solution(cell)}
        questions = (cell.metadata.get("course", {}) for cell in filter(utils.is_grade, solution.cells))
        self.functions = {each["answer"]: each.get("function", "") for each in questions if "answer" in each}

    def answer(self, cell: NotebookNode) -> tuple[NotebookNode, str]:
        """The submitted cell that is the answer for `cell`, a cell with a solution, and what was assumed about it.

        Raises NotTaken, with one sentence for the learner, if there is no such cell, if several could be meant, or if
        its text cannot be taken.
        """
        name, assumed = cell.metadata.nbgrader.grade_id, []
        named = [other for other in self.cells if grade_id(other) == name]
        found = named or list(self._lost(cell))
        distinct = {_trimmed(other.source): other for other in reversed(found)}
        which = "with the same text" if len(distinct) == 1 else "but only one of the texts is an answer"
        if len(distinct) > 1:
            for empty in ("", _trimmed(without_solution(cell.source))):
                distinct.pop(empty, None)
        if not named and len(distinct) != 1:
            raise NotTaken(
                f"The answer cell {name} is missing from the submission: copy the cell from the released notebook."
            )
        if len(distinct) != 1:
            raise NotTaken(
                f"The answer cell {name} was handed in {len(named)} times, with different texts: delete all but one."
            )
        (chosen,) = distinct.values()
        if not named:
            assumed.append(f"The answer cell {name} had lost its name, and was found by what it defines.")
        elif len(named) > 1:
            assumed.append(f"The answer cell {name} was handed in {len(named)} times, {which}.")
        if chosen.cell_type != cell.cell_type:
            assumed.append(f"The answer cell {name} was turned into a {chosen.cell_type} cell, and its text was taken.")
        _require_text(chosen.source, cell)
        return chosen, " ".join(assumed)

    def _lost(self, cell: NotebookNode) -> Iterator[NotebookNode]:
        """The cells with code of the learner, and without a name of this notebook, that define what `cell` defines."""
        if cell.cell_type != "code":
            return
        wanted = Cell.of(cell.source)
        name = next(iter(wanted.names()), "") if wanted.magic else self.functions.get(cell.metadata.nbgrader.grade_id)
        if not name:
            return
        word = re.compile(rf"\b{re.escape(name)}\b")
        likely = [
            other
            for other in self.cells
            if other.cell_type == "code" and grade_id(other) not in self.ids and len(other.source) <= ANSWER_BOUND
            if word.search(other.source) and _trimmed(other.source) not in self.given
        ]
        for other in likely if len(likely) <= LIKELY_BOUND else ():
            try:
                there = Cell.of(other.source)
            except CourseError:
                continue
            if there.magic == wanted.magic and name in there.names():
                yield other


def _trimmed(text: str) -> str:
    """A text without white space at the ends of lines, and without empty lines at its ends."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _require_text(source: str, solution: NotebookNode) -> None:
    """Raise NotTaken if `source` cannot be the text of an answer in the place of the cell `solution`."""
    name = solution.metadata.nbgrader.grade_id
    if len(source) > ANSWER_BOUND:
        raise NotTaken(
            f"The answer cell {name} has {len(source):,} characters, but at most {ANSWER_BOUND:,} are allowed."
        )
    if "\0" in source or not encodable(source):
        raise NotTaken(
            f"The answer cell {name} has characters that cannot be stored as text: type these characters again."
        )
    if solution.cell_type != "code":  # prose, which may be about CUDA
        return
    wanted = Cell.of(solution.source).magic
    try:
        magic = Cell.of(source).magic
    except CourseError as error:
        raise NotTaken(f"In the answer cell {name}: {error}") from None
    if magic != wanted:
        begin = f"%%{wanted}" if wanted else "Python code, not with a magic"
        raise NotTaken(f"The answer cell {name} must begin with {begin}.")


def encodable(text: str) -> bool:
    """Whether `text` can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True
