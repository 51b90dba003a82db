"""Changing the questions of a course: points, a release that is refused, new questions, and what lint says of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook

from autograder.classroom import ROOT, Classroom
from course.errors import CourseError

pytestmark = pytest.mark.slow
PARTS = {  # two notebooks, with one section each and the tally
    "00-first-kernel": ("tally-text", "tally", "00-blocks", "00-blocks-check"),
    "01-row-scaling": ("tally-text", "tally", "01-narrow", "01-narrow-check"),
}


def small_course(folder: Path) -> Classroom:
    """A course with one prediction in each of two notebooks."""
    for name, parts in PARTS.items():
        notebook = Classroom(ROOT).read("solutions", name)
        answer = next(place for place, cell in enumerate(notebook.cells) if cell.id == parts[2])
        kept = {*parts, notebook.cells[answer - 1].id, notebook.cells[0].id, notebook.cells[1].id}
        notebook.cells = [cell for cell in notebook.cells if cell.id in kept]
        target = folder / "solutions" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True)
        nbformat.write(notebook, target)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return Classroom(folder)


def edit(room: Classroom, name: str, **points: float) -> NotebookNode:
    """Give graded cells other points in the metadata, as nbgrader's side bar in JupyterLab does."""
    notebook = room.read("solutions", name)
    for cell in notebook.cells:
        question = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if question in points:
            cell.metadata.nbgrader.points = points[question]
    return notebook


def save(room: Classroom, name: str, notebook: NotebookNode) -> None:
    nbformat.write(notebook, room.folder / "solutions" / name / f"{name}.ipynb")


def text(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def files(folder: Path) -> dict[Path, bytes]:
    """The files of a course, but the log."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".log"}


def test_a_release_puts_points_from_the_metadata_into_heading_check_and_tally(tmp_path: Path) -> None:
    room = small_course(tmp_path)
    save(room, "01-row-scaling", edit(room, "01-row-scaling", **{"01-narrow-check": 3}))
    room.release()
    for kind in ("solutions", "notebooks"):
        said = text(room.read(kind, "01-row-scaling"))
        assert "Prediction: a narrow matrix (3 points)\n" in said
        assert 'narrow_sectors, points=3)' in said and 'tally({"narrow_sectors": 3})' in said
    save(room, "01-row-scaling", edit(room, "01-row-scaling", **{"01-narrow-check": 0}))  # a dropped question
    room.release()
    said = text(room.read("notebooks", "01-row-scaling"))
    assert "a narrow matrix (0 points)\n" in said and "points=0)" in said and "tally({})" in said


def test_a_refused_release_leaves_every_folder_as_it_was(tmp_path: Path) -> None:
    room = small_course(tmp_path)
    first, second = PARTS
    save(room, first, edit(room, first, **{"00-blocks-check": 3}))
    save(room, second, broken := edit(room, second))
    broken.cells[-3].metadata.nbgrader.schema_version = 2
    save(room, second, broken)
    before = files(tmp_path)
    with pytest.raises(CourseError, match="generate_assignment .* failed"):  # the first one ever
        room.release()
    assert files(tmp_path) == before

    save(room, second, Classroom(ROOT).read("solutions", second))
    room.release()
    assert "points=3" in text(room.read("notebooks", first))
    with Gradebook(f"sqlite:///{tmp_path}/grading/gradebook.db", "cuda-kernels") as gradebook:
        gradebook.add_student("ada")
        gradebook.add_submission(second, "ada")
    save(room, first, edit(room, first, **{"00-blocks-check": 5}))
    fewer = room.read("solutions", second)
    fewer.cells = [cell for cell in fewer.cells if cell.id != "01-narrow-check"]
    save(room, second, fewer)
    before = files(tmp_path)
    with pytest.raises(CourseError, match="failed, .*: Cannot add or remove cells for notebook '01-row-scaling'"):
        room.release()
    assert files(tmp_path) == before
