"""An nbgrader course in a folder, run with nbgrader's own commands. `make release` calls `main`."""

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.cli import FAILED
from autograder.files import write_whole
from autograder.plugins.stamp_repository import path_on_github
from autograder.points import put_points_in
from course.errors import CourseError
from course.tasks import task_names, task_text

ROOT = Path(__file__).resolve().parents[1]


class Classroom:
    """The course in `folder`, with nbgrader's settings, `solutions/`, and `grading/` for the work of the class."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    @classmethod
    def anew(cls, folder: Path, solutions: Path = ROOT / "solutions") -> "Classroom":
        """Empty `folder` and make a course without a class there, with this course's settings and solutions."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(solutions, folder / "solutions", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        shutil.copy(ROOT / "nbgrader_config.py", folder)
        return cls(folder)

    @property
    def assignments(self) -> list[str]:
        """The names of the assignments, in order."""
        return sorted(path.stem for path in self.folder.glob("solutions/*/*.ipynb"))

    def nbgrader(self, *arguments: str) -> None:
        """Run an nbgrader command with its log in grading/nbgrader.log. Raises CourseError if the command fails.

        nbgrader takes seconds to start, so use one command with the assignment `*` rather than one per assignment.
        """
        self._run("nbgrader", *arguments)

    def _run(self, program: str, *arguments: str, accepted: Collection[int] = (0,)) -> None:
        log = self.folder / "grading" / "nbgrader.log"
        log.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-m", program, *arguments]
        # The program must import the plug-ins of this copy of the course.
        modules = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        with log.open("a") as sink:
            before = sink.tell()
            status = subprocess.run(
                command,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": modules},
                stderr=sink,
                stdin=subprocess.DEVNULL,
            ).returncode
        if status not in accepted:
            said = log.read_bytes()[before:].decode(errors="replace").splitlines()
            raised = re.findall(r"^ *[\w.]*(?:Error|Exception): (.+)", "\n".join(said), re.MULTILINE)
            first = next((number for number, line in enumerate(said) if "ERROR" in line), max(0, len(said) - 15))
            reason = raised[0] if raised else " ".join(" ".join(said[first : first + 15]).split())
            raise CourseError(f"{program} {arguments[0]} failed, and {log} has all that it says: {reason}")

    def release(self) -> None:
        """Write `notebooks/` from `solutions/` and enter the assignments in the gradebook.

        Points that an instructor changed in the metadata are first put into the texts of `solutions/`. Raises
        CourseError if there is a task's file beside a notebook that `check` could not find or read, or if nbgrader
        refuses a change. `notebooks/`, `solutions/` and the gradebook then stay as they were.
        """
        for path in self.folder.glob("solutions/*/*.py"):
            if path.stem in task_names():
                raise CourseError(
                    f"{path} has the name of a task of the course, so `check` would use the course's task instead: "
                    "rename the file."
                )
            if not path.stem.isidentifier():
                raise CourseError(f"{path} cannot be a task: rename it with letters, digits and _ only.")
            if PathFinder.find_spec(path.stem):  # a notebook's folder is the first place where Python looks
                raise CourseError(
                    f"{path} has the name of a Python module, and notebooks in its folder could not import that "
                    "module: rename the file."
                )
            task_text(path)
        # nbgrader empties the folder of an assignment before it may refuse a change of the assignment.
        fresh = self.folder / "grading" / "release"
        shutil.rmtree(fresh, ignore_errors=True)
        with self._restored_on_failure():
            for path in self.folder.glob("solutions/*/*.ipynb"):
                put_points_in(path)
            self.nbgrader("generate_assignment", "*", "--force", f"--CourseDirectory.release_directory={fresh}")
        released = self.folder / "notebooks"
        released.mkdir(exist_ok=True)
        for path in fresh.iterdir():
            shutil.rmtree(released / path.name, ignore_errors=True)
            path.rename(released / path.name)
        fresh.rmdir()

    @contextmanager
    def _restored_on_failure(self) -> Iterator[None]:
        """If the block fails, put back the solutions and the gradebook: nbgrader enters all assignments but the one
        that it refuses."""
        gradebook = self.folder / "grading" / "gradebook.db"
        paths = [*self.folder.glob("solutions/*/*.ipynb"), gradebook]
        before = {path: path.read_bytes() for path in paths if path.exists()}
        try:
            yield
        except BaseException:
            for path, content in before.items():
                if path.read_bytes() != content:
                    write_whole(path, content)
            if gradebook not in before:
                gradebook.unlink(missing_ok=True)
            shutil.rmtree(self.folder / "grading" / "release", ignore_errors=True)
            raise

    def read(self, kind: str, name: str) -> NotebookNode:
        """The notebook of assignment `name` in `kind`: `solutions`, `notebooks` or `grading/autograded/<student>`."""
        return nbformat.read(self.folder / kind / name / f"{name}.ipynb", as_version=4)

    def hand_in(self, student: str, kind: str, change: Callable[[str, NotebookNode], None] | None = None) -> None:
        """Hand in the notebooks of the folder `kind` as `student`. `change(assignment, notebook)` edits each first."""
        for name in self.assignments:
            notebook = self.read(kind, name)
            if change:
                change(name, notebook)
            target = self.folder / "grading" / "submitted" / student / name / f"{name}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, target)

    def grade(self, *options: str) -> None:
        """Grade the submissions of each assignment, with the options of `autograder grade`.

        Submissions that need attention are no failure.
        """
        self._run("autograder.cli", "grade", *options, *self.assignments, accepted=(0, FAILED))

    def report(self) -> None:
        """Write the instructor's reports about the course and each assignment."""
        self._run("autograder.cli", "report")

    def marks(self) -> dict[tuple[str, str], tuple[float, float]]:
        """`{(student, assignment): (score, points)}` as `nbgrader export` writes them."""
        table = self.folder / "grading" / "grades.csv"
        self.nbgrader("export", f"--to={table}")
        with table.open(newline="") as lines:
            return {
                (row["student_id"], row["assignment"]): (float(row["score"]), float(row["max_score"]))
                for row in csv.DictReader(lines)
            }


def main(repository: str = "") -> None:
    """Release this course's notebooks. If `repository` is given, save it as the setting of that name."""
    if repository:
        config = ROOT / "nbgrader_config.py"
        setting = f'c.StampRepository.repository = "https://github.com/{path_on_github(repository)}"'
        config.write_text(
            re.sub(r"^c\.StampRepository\.repository = .*", setting, config.read_text(), flags=re.MULTILINE)
        )
    from autograder.questions import judge_questions  # a slow import, which other users of this module do not need

    judge_questions(ROOT)
    Classroom(ROOT).release()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CourseError as error:
        raise SystemExit(str(error)) from None
