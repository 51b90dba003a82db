"""`course reset`: restores the released version of a notebook, or of one cell, and keeps a copy of the learner's."""

import functools
import glob
import itertools
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from course.errors import CourseError
from course.notebook.saved import answer_names, cell_text, default_folder, grade_id, read_notebook
from course.worker.cells import Cell

RELEASED = Path(__file__).parents[1] / "released"  # the notebooks of this version of the course
RELOAD = "If it is open in JupyterLab, reload it there (File > Reload Notebook from Disk) before you save."


def reset(notebook: str, cell: str | None = None) -> str:
    """Restore a notebook, or only the source of one cell, to the released version.

    Parameters
    ----------
    notebook : str
        The path of the notebook, its path below `lab` as `course status` prints it, or its file name alone.
    cell : str, optional
        The name of the answer, as `course status` lists it, or the grade_id of its cell.

    Returns
    -------
    str
        A message that says what was done, and where the earlier file is kept.

    Raises
    ------
    CourseError
        If there is no such notebook or cell, or no released copy. Then nothing is changed.
    """
    path = _learners(notebook)
    released = _released(path)
    if cell is None:
        content = released.read_bytes()
    else:
        yours, original = read_notebook(path), read_notebook(released)
        names = answer_names(original["cells"])
        wanted = next((answer for answer, name in names.items() if name == cell), cell)
        found, originals = ([each for each in of["cells"] if grade_id(each) == wanted] for of in (yours, original))
        if len(found) != 1:
            listed = ", ".join(names.values())
            raise CourseError(
                f"{path} must have one answer cell {cell}, but has {len(found)}. Its answers are: {listed}."
            )
        if len(originals) != 1:
            raise CourseError(f"The released notebook, {released}, has no answer cell {cell}.")
        found[0]["source"] = cell_text(originals[0])
        content = json.dumps(yours, indent=1).encode() + b"\n"
    try:
        kept = _replace(path, content)
    except OSError as error:
        why = f"it cannot be read, or its folder cannot be written: {error.strerror}"
        raise CourseError(f"{path} was not changed because {why}.") from None
    what = f"the released {cell}" if cell else "the released notebook"
    return f"{path} has {what} now, and your version is kept as {kept}. {RELOAD}"


@functools.cache
def _given() -> frozenset[str]:
    """What the cells of the released notebooks build or run."""
    texts = []
    for path in RELEASED.glob("*/*.ipynb"):
        for cell in read_notebook(path)["cells"]:
            with suppress(CourseError):
                texts.append(Cell.of(cell_text(cell)).source.strip())
    return frozenset(texts)


def is_given(source: str) -> bool:
    """Whether a cell of a released notebook has this source, so that it is not the learner's own."""
    return source.strip() in _given()


def _learners(notebook: str) -> Path:
    """The learner's notebook at a path, or below `default_folder()`. Raises CourseError if there is none."""
    folder = default_folder()
    for path in (Path(notebook), folder / notebook, folder / Path(notebook).stem / notebook):
        if os.path.isfile(path):  # Path.is_file raises if the folder is not accessible
            return path
    raise CourseError(f"There is no notebook {notebook} here or in {folder.resolve()}.")


def _released(path: Path) -> Path:
    """The released version of the notebook at `path`: of the same name, or in a folder of the same name if renamed.

    Those that `course lab` kept come first, the nearest first, then those in `notebooks/`, then the package's own.
    """
    here = path.resolve()
    for wanted in (f"*/{glob.escape(here.name)}", f"{glob.escape(here.parent.name)}/*.ipynb"):
        kept = (folder / name for folder, name in itertools.product(here.parents, (".released", "notebooks")))
        for folder in (*kept, RELEASED):
            for released in folder.glob(wanted):
                if released != here:
                    return released
    raise CourseError(
        f"There is no released notebook with the name of {path}, or of its folder: give it the name that it had."
    )


def _replace(path: Path, content: bytes) -> Path:
    """Copy the file at `path` to a file beside it, then replace its content in one step. Return the copy's path."""
    names = (path.with_name(f"{path.name}.backup-{number}") for number in itertools.count(1))
    kept = next(name for name in names if not name.exists())
    shutil.copy(path, kept)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_bytes(content)
        shutil.copymode(path, new)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return kept
