"""Small classes, for tests that need only a few questions."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import nbformat
from nbclient import NotebookClient
from nbformat.notebooknode import NotebookNode

from autograder.classroom import ROOT, Classroom


def of_questions(folder: Path, name: str, answers: Collection[str]) -> Classroom:
    """A course in `folder` with only the assignment `name`, released: these answers and the questions about them."""
    shutil.copytree(_released(name, frozenset(answers)), folder / "course", symlinks=True)
    return Classroom(folder / "course")


@cache
def _released(name: str, answers: frozenset[str]) -> Path:
    """The folder of such a course, of which each test uses a copy: nbgrader needs seconds for a release."""
    notebook = Classroom(ROOT).read("solutions", name)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") in answers
        or cell.metadata.get("course", {}).get("answer") in answers
    ]
    folder = Path(mkdtemp(dir=_FOLDER.name))
    target = folder / "solutions" / name
    target.mkdir(parents=True)
    nbformat.write(notebook, target / f"{name}.ipynb")
    room = Classroom.anew(folder / "course", folder / "solutions")
    room.release()
    return room.folder


_FOLDER = TemporaryDirectory(prefix="classes-")


def executed(name: str, checks: bool = False) -> NotebookNode:
    """The solutions of `name`, executed without their graded cells, or with them as `checks`.

    Raises CellExecutionError if a cell fails.
    """
    notebook = Classroom(ROOT).read("solutions", name)
    notebook.cells = [cell for cell in notebook.cells if checks or not cell.metadata.get("nbgrader", {}).get("grade")]
    resources = {"metadata": {"path": ROOT / "solutions" / name}}
    client = NotebookClient(notebook, timeout=900, startup_timeout=120, kernel_name="python3", resources=resources)
    client.execute(stderr=subprocess.DEVNULL)  # ipykernel warns about its own ports at every start
    return notebook
