"""An instructor's own task travels with the assignment, for students whose installed course does not have it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook

from autograder.classroom import ROOT, Classroom
from autograder.plugins.judge_answers import jobs_in
from autograder.plugins.stamp_repository import StampRepository
from autograder.plugins.take_answers import with_answers
from course.errors import CourseError
from course.tasks import TaskError, load_task

NAME, TASK = "01-own", "column_scaling"
COLUMN_SCALING = '''"""Each column of A times its own factor."""
import torch
from torch import nn

from course.tasks import Case

M, N = 8, 6


class Model(nn.Module):
    def forward(self, A, B):
        return A * B


def get_inputs():
    return [torch.randn(M, N), torch.randn(N)]


SIZES = {"tiny": {"M": 2, "N": 3}, "small": {"M": 8, "N": 6}, "full": {"M": 8, "N": 6}}
CASES = [Case({"M": 4, "N": 4})]
'''
HIDDEN = 'from course.tasks import Case\n\nCASES = [Case({"M": 1, "N": 3}), Case({"M": 5, "N": 2})]\n'
ANSWER = "def scale(A, B):\n    ### BEGIN SOLUTION\n    return A * B\n    ### END SOLUTION\n"
WRONG = "def scale(A, B):\n    return A * B if A.shape[0] == A.shape[1] else A\n"

UNCHANGED = "def scale(A, B):\n    return A\n"
CHECK = f'print(float(check("{TASK}", scale, points=2)))'
STUDENT = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in sys.argv[1:]:
    shell.run_cell(cell, store_history=True).raise_error()
"""


def graded(name: str, points: int, cases: str, source: str) -> nbformat.NotebookNode:
    tags = {"schema_version": 3, "grade": True, "solution": False, "locked": True, "task": False}
    course = {"answer": "own", "task": TASK, "function": "scale", "cases": cases}
    return new_code_cell(source, metadata={"nbgrader": {**tags, "points": points, "grade_id": name}, "course": course})


def clone(folder: Path) -> Classroom:
    """A clone of the course with a question of its own; students have this course, which lacks the question."""
    for part in ("course", "autograder"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / "autograder/hidden" / f"{TASK}.py").write_text(HIDDEN)
    tags = {"schema_version": 3, "grade": False, "solution": True, "locked": False, "task": False, "grade_id": "own"}
    check = f'check("{TASK}", scale, points=2'
    hidden = f'# sizes\n### BEGIN HIDDEN TESTS\n{check}, cases="hidden")\n### END HIDDEN TESTS'
    cells = [
        new_code_cell("from course import check"),
        new_code_cell(ANSWER, metadata={"nbgrader": tags}),
        graded("own-check", 2, "visible", f"{check})"),
        graded("own-hidden", 2, "hidden", hidden),
    ]
    target = folder / "solutions" / NAME
    target.mkdir(parents=True)
    nbformat.write(new_notebook(cells=cells), target / f"{NAME}.ipynb")
    (target / f"{TASK}.py").write_text(COLUMN_SCALING)
    return Classroom(folder)


def run(folder: Path, course: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(course)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.seldom
def test_a_question_is_released_answered_and_graded_where_students_have_no_such_task(tmp_path: Path) -> None:
    room = clone(tmp_path / "clone")
    run(room.folder, room.folder, "-m", "autograder.classroom")
    released = room.folder / "notebooks" / NAME
    assert {path.name for path in released.iterdir()} == {f"{NAME}.ipynb", f"{TASK}.py"}
    assert not [path for path in released.iterdir() if "HIDDEN" in path.read_text() or HIDDEN in path.read_text()]

    home = shutil.copytree(released, tmp_path / "home")
    cells = ["from course import check", ANSWER, CHECK, UNCHANGED, CHECK]
    assert run(home, ROOT, "-c", STUDENT, *cells).split() == ["2.0", "0.0"]

    room.hand_in("right", "solutions")
    room.hand_in("wrong", "solutions", lambda _, notebook: notebook.cells[1].update(source=WRONG))
    room.hand_in("altered", "solutions", lambda _, notebook: notebook.cells[1].update(source=UNCHANGED))
    altered = room.folder / "grading/submitted/altered" / NAME / f"{TASK}.py"
    altered.write_text(COLUMN_SCALING.replace("return A * B", "return A"))
    run(room.folder, room.folder, "-m", "autograder.cli", "grade", "--no-sandbox", NAME)
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        scores = {each.student.id: each.score for each in gradebook.assignment_submissions(NAME)}
    assert scores == {"right": 4, "wrong": 2, "altered": 0}


def test_a_task_is_found_beside_the_notebook_and_the_courses_own_goes_first(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TaskError, match=r"put column_scaling\.py from the released assignment beside your notebook"):
        load_task(TASK)
    Path(f"{TASK}.py").write_text(COLUMN_SCALING)
    Path("vector_add.py").write_text(COLUMN_SCALING)
    assert load_task(TASK).integers == {"M": 8, "N": 6}
    assert list(load_task("vector_add").integers) == ["N"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("vector_add.py", COLUMN_SCALING, "has the name of a task of the course, .* rename the file"),
        ("column-scaling.py", COLUMN_SCALING, "cannot be a task: rename it with letters, digits and _ only"),
        ("torch.py", COLUMN_SCALING, "has the name of a Python module, .* rename the file"),
        ("random.py", COLUMN_SCALING, "has the name of a Python module, .* rename the file"),
        ("column_scaling.py", "\xc9", "cannot be read: it is not UTF-8 text"),
    ],
)
def test_a_task_that_students_could_not_use_is_not_released(tmp_path: Path, name: str, text: str, message: str) -> None:
    own = tmp_path / "solutions" / NAME / name
    own.parent.mkdir(parents=True)
    own.write_text(text, encoding="latin-1")
    with pytest.raises(CourseError, match=message):
        Classroom(tmp_path).release()


@pytest.mark.parametrize("name", [TASK, "column-scaling", f"{TASK}.py"])
def test_grading_finds_a_task_under_each_name_under_which_check_finds_it(tmp_path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"{TASK}.py").write_text(COLUMN_SCALING)
    tags = {"schema_version": 3, "grade": False, "solution": True, "locked": False, "task": False, "grade_id": "own"}
    answer, question = new_code_cell(ANSWER, metadata={"nbgrader": tags}), graded("own-check", 2, "visible", "")
    question.metadata.course.task = name
    handed_in = new_notebook(cells=[answer.copy()], metadata={"course": {}})
    taken = with_answers(new_notebook(cells=[answer, question]), handed_in, tmp_path)
    asked = jobs_in(taken, sandbox=False, toolchain=("emulator", ""))["own-check"].question
    assert (asked.task, asked.task_source) == (load_task(name).name, COLUMN_SCALING)


def test_on_colab_the_first_cell_fetches_the_task(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source" / NAME).mkdir(parents=True)
    (tmp_path / "source" / NAME / f"{TASK}.py").write_text(COLUMN_SCALING)
    notebook = new_notebook(cells=[new_code_cell("1")])
    resources = {"nbgrader": {"notebook": NAME, "assignment": NAME}}
    StampRepository(repository="https://github.com/owner/name", tag="v1").preprocess(notebook, resources)
    address = f"https://raw.githubusercontent.com/owner/name/v1/notebooks/{NAME}/{TASK}.py"
    assert f"\n![ -e {TASK}.py ] || curl -sSfLO {address}\n" in notebook.cells[0].source
