"""The points of a question, which its graded cells have, put into the texts that repeat them."""

import ast
import re
from collections import Counter
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.cells import about
from autograder.files import write_whole
from course.notebook.saved import answer_names

NUMBER = r"\d+(?:\.\d+)?"
WIDTH = 120  # characters of a line of code


def headings(nb: NotebookNode) -> list[tuple[NotebookNode, str, list[NotebookNode]]]:
    """Each heading of a notebook: its cell, its line, and the graded cells below it."""
    found: list[tuple[NotebookNode, str, list[NotebookNode]]] = []
    for cell in nb.cells:
        if utils.is_grade(cell) and found:
            found[-1][2].append(cell)
        elif cell.cell_type == "markdown" and not utils.is_solution(cell):
            found += [(cell, line, []) for line in re.findall(r"^#+ .+", cell.source, re.MULTILINE)]
    return found


def put_points(nb: NotebookNode) -> set[str]:
    """Put the points of graded cells into their `check`, the headings above them, and the tally.

    The numbers of a heading, as in "(2 points, 1 for its sectors, and 1 hidden)", are those of the graded cells below
    it, in this order. A heading with another count of numbers does not change. Returns the ids of the changed cells.
    """
    before = {cell.id: cell.source for cell in nb.cells}
    for cell, line, below in headings(nb):
        if below:
            cell.source = cell.source.replace(line, _heading(line, [each.metadata.nbgrader.points for each in below]))
    for cell in nb.cells:
        if utils.is_grade(cell) and cell.cell_type == "code":
            cell.source = re.sub(rf"\bpoints={NUMBER}", f"points={cell.metadata.nbgrader.points:g}", cell.source)
    for cell in nb.cells:
        if cell.source.startswith("tally(") and _evaluated(cell.source) != _evaluated(tally := _tally(nb)):
            cell.source = tally
    return {cell.id for cell in nb.cells if cell.source != before[cell.id]}


def put_points_in(path: Path) -> None:
    """Put the points of a notebook's graded cells into its texts. A notebook that has them is not written."""
    nb = nbformat.read(path, as_version=4)
    if put_points(nb):
        write_whole(path, nbformat.writes(nb) + "\n")


def _heading(line: str, points: list[float]) -> str:
    title, _, said = line.rpartition(" (")
    if not re.match(rf"{NUMBER} points?\b", said) or len(re.findall(NUMBER, said)) != len(points):
        return line
    numbers = iter(points)
    said = re.sub(NUMBER, lambda _: f"{next(numbers):g}", said)
    return f"{title} ({re.sub('points?', 'point' if points[0] == 1 else 'points', said, count=1)}"


def _evaluated(call: str) -> tuple[object, ...]:
    """The arguments of a call of `tally` with literals."""
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    return tuple(ast.literal_eval(each) for each in [*tree.args, *(keyword.value for keyword in tree.keywords)])


def _tally(nb: NotebookNode) -> str:
    """The call of `tally` with the points of all graded cells, in ruff's format."""
    visible, others = Counter[str](), Counter[str]()
    for cell in filter(utils.is_grade, nb.cells):
        points, cases = cell.metadata.nbgrader.points, about(cell, "cases")
        if cases == "visible":
            visible[answer_names([cell])[cell.metadata.course.answer]] += points
        else:
            others["hidden" if cases else "by_hand"] += points
    pairs = [f'"{name}": {points:g}' for name, points in visible.items() if points]
    rest = "".join(f", {name}={others[name]:g}" for name in ("hidden", "by_hand") if others[name])
    line = f"tally({{{', '.join(pairs)}}}{rest})"
    if len(line) <= WIDTH:
        return line
    rows = [
        "    {",
        *(f"        {pair}," for pair in pairs),
        "    },",
        *(f"    {each}," for each in rest[2:].split(", ")),
    ]
    return "\n".join(["tally(", *filter(str.strip, rows), ")"])
