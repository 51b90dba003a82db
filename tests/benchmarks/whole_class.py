"""A class of 200 with notebook 00: every mark against the known one, and the pace beside nbgrader's own way of grading.

Half of the class is right, each with a kernel of their own; the others hand in the gallery's mistakes, the cheats and
the faults. `python -m tests.benchmarks.whole_class` takes the time that `autograder grade` needs for the right ones,
and the time that nbgrader, which executes notebooks, needs for 20 of them. Both begin with an empty build cache. Then
the others are marked.
"""

from __future__ import annotations

import argparse
import functools
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook

from autograder.classroom import ROOT, Classroom
from course.errors import CourseError
from tests.cheats import cheats
from tests.faults import EVERYTHING, faults
from tests.gallery import gallery

NAME = "00-first-kernel"
KERNELS = ("00-add", "00-axpy", "00-candidate")
THREADS = "constexpr int kThreads = 256;"
EXECUTES = """
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde

c.Autograde.exporter_class = NotebookExporter
c.Autograde.sanitize_preprocessors = Autograde.sanitize_preprocessors.default()
c.Autograde.autograde_preprocessors = Autograde.autograde_preprocessors.default()
"""
Change = Callable[[Path], None]  # of the file that is handed in


def main() -> int:
    """Grade the class, and say how fast it went. Returns 1 if a mark is not the known one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--sample", type=int, default=20, help="how many nbgrader marks")
    parser.add_argument("--own", type=int, default=1, choices=(0, 1, 2, 3), help="kernels that are everyone's own")
    parser.add_argument("--jobs", type=int, default=0, help="processes of `autograder grade` (default: one per core)")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="whole-class-"))
    print(f"In {folder}")
    wrong = wrong_students()
    jobs = (f"--jobs={given.jobs}",) * bool(given.jobs)
    right = [f"right-{number:03}" for number in range(given.students - len(wrong))]

    ours = released(folder / "ours", "")
    for number, student in enumerate(right):
        hand_in(ours, student, number, given.own)
    pace = submissions_a_minute(len(right), folder / "cache", lambda: ours.grade(*jobs))
    theirs = released(folder / "nbgrader", EXECUTES)
    for number, student in enumerate(right[: given.sample]):
        hand_in(theirs, student, number, given.own)
    slow = submissions_a_minute(
        given.sample, folder / "other cache", lambda: theirs.nbgrader("autograde", NAME, "--log-level=ERROR")
    )
    os.environ["COURSE_CACHE"] = str(folder / "cache")
    for number, (student, (_, change)) in enumerate(wrong.items()):
        change(hand_in(ours, student, number, own=0))
    try:
        ours.grade()
    except CourseError as error:  # some submissions need attention; the marks below say which
        print(error)

    costs = {**dict.fromkeys(right, ""), **{student: answer for student, (answer, _) in wrong.items()}}
    missed = [*mismatches(ours, costs), *mismatches(theirs, dict.fromkeys(right[: given.sample], ""))]
    print("\n".join(missed))
    print(f"{len(costs)} submissions, {len(missed)} marks that are not the known ones")
    print(f"autograder grade: {pace:.1f} submissions a minute, marks and feedback of {len(right)}")
    print(f"nbgrader autograde with Execute: {slow:.1f} submissions a minute, marks of {given.sample}")
    print(f"{pace / slow:.1f} times as many")
    return 1 if missed else 0


def released(folder: Path, settings: str) -> Classroom:
    """A course in `folder`, with notebook 00 released and `settings` added to those of nbgrader."""
    shutil.copytree(ROOT / "solutions" / NAME, folder / "solutions" / NAME)
    room = Classroom.anew(folder / "course", folder / "solutions")
    with (room.folder / "nbgrader_config.py").open("a") as config:
        config.write(settings)
    room.nbgrader("generate_assignment", NAME)
    return room


def hand_in(room: Classroom, student: str, number: int, own: int) -> Path:
    """Hand in the solutions, with `own` of the kernels changed so that they are the student's own but still right.
    Returns the file.
    """
    changed = [KERNELS[(number + i) % len(KERNELS)] for i in range(own)]

    def change(_: str, notebook: NotebookNode) -> None:
        for cell in filter(utils.is_solution, notebook.cells):
            if cell.metadata.nbgrader.grade_id in changed:
                assert THREADS in cell.source
                threads = f"constexpr int kThreads = {32 * (1 + number % 32)};  // attempt {number}"
                cell.source = cell.source.replace(THREADS, threads)

    room.hand_in(student, "solutions", change)
    return room.folder / "grading" / "submitted" / student / NAME / f"{NAME}.ipynb"


def wrong_students() -> dict[str, tuple[str, Change]]:
    """For each student who hands in a mistake, a cheat or a fault: the answer or the question that it costs, and the
    change that it makes to the file.
    """
    found: dict[str, tuple[str, Change]] = {}
    for mistake in gallery():
        if mistake.task == "vector_add":
            text = "%%cuda adder\n" + mistake.answer.source
            found[f"mistake-{mistake.name}"] = "00-add", functools.partial(put, answer="00-add", text=text)
    for cheat in cheats():
        if cheat.notebook == NAME and not cheat.edits_notebook:
            answer = cheat.question.name.rsplit("-", 1)[0]
            text = cheat.text.replace("{outside}", str(Path(__file__)))
            hidden_alone = cheat.stopped_by == ("hidden cases",)  # it is right in all visible cases
            cost = cheat.question.name if hidden_alone else answer
            found[f"cheat-{cheat.name}"] = cost, functools.partial(put, answer=answer, text=text)
    for fault in faults():
        found[f"fault-{fault.name}"] = fault.costs, fault.damage
    return found


def put(path: Path, answer: str, text: str) -> None:
    """Replace an answer of the notebook in the file with `text`."""
    notebook = nbformat.read(path, as_version=4)
    next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == answer).source = text
    nbformat.write(notebook, path)


def submissions_a_minute(count: int, cache: Path, grade: Callable[[], None]) -> float:
    """How many of `count` submissions `grade` marks in a minute, beginning with an empty build cache."""
    os.environ["COURSE_CACHE"] = str(cache)
    start = time.monotonic()
    grade()
    return 60 * count / (time.monotonic() - start)


def mismatches(room: Classroom, costs: dict[str, str]) -> list[str]:
    """A line for each question whose mark is not the known one: all its points, or 0 if the answer costs them."""
    found = []
    asked = {
        cell.metadata.nbgrader.grade_id: cell.metadata.course.answer
        for cell in room.read("solutions", NAME).cells
        if utils.is_grade(cell)
    }
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        for student, cost in costs.items():
            for grade in gradebook.find_submission_notebook(NAME, NAME, student).grades:
                known = 0.0 if cost in (grade.name, asked[grade.name], EVERYTHING) else grade.max_score
                if grade.auto_score != known:
                    found.append(f"{student}, {grade.name}: {grade.auto_score}, not {known}")
    return found


if __name__ == "__main__":
    sys.exit(main())
