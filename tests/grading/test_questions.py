"""Changing the questions of a course: points, a release that is refused, new questions, and what lint says of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook

from autograder import cli, lint, question
from autograder.classroom import ROOT, Classroom
from autograder.gradebook import Course
from autograder.judging import jobs
from autograder.plugins import judge_answers
from autograder.points import put_points
from autograder.questions import judge_questions
from course.errors import CourseError
from tests.classes import of_questions

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
        put_points(notebook)
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
        assert "narrow_sectors, points=3)" in said and 'tally({"narrow_sectors": 3})' in said
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
    with pytest.raises(CourseError, match=r"generate_assignment failed, .* use an old version"):  # the first one ever
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
    with pytest.raises(CourseError, match=r"failed, .*: Cannot add or remove cells for notebook '01-row-scaling'"):
        room.release()
    assert files(tmp_path) == before


KERNEL = "C[i] = A[i] * B[i] + A[i];"
FILLED = {  # what an instructor writes in place of the example
    "solutions": {
        "FILL IN: the title": "Your turn: a product and a sum",
        "FILL IN: what the answer computes, from which inputs, and what is given.": "Compute A * B + A.",
        "FILL IN: where to begin.": "Each thread reads one element of A and one of B.",
        "FILL IN: the difficult step.": "Read A once: the sum needs the same element.",
        "FILL IN.": "other lengths.",
        "C[i] = 2.0f * A[i];  // FILL IN: students write what is between these two lines": KERNEL,
        "float* __restrict__ A,": "float* __restrict__ A, const float* __restrict__ B,",
        "forward(torch::Tensor A)": "forward(torch::Tensor A, torch::Tensor B)",
        '{{A, "A"}}, torch::kFloat32);': '{{A, "A"}, {B, "B"}}, torch::kFloat32);\n    '
        'course::check_shape({B, "B"}, A.sizes());',
        "A.data_ptr<float>(), C": "A.data_ptr<float>(), B.data_ptr<float>(), C",
    },
    "task": {
        "FILL IN: the formula of the answer, and the shapes and types of its inputs.": "C = A * B + A: vectors.",
        "  # FILL IN: the sizes of the inputs, as whole numbers": "",
        "A: torch.Tensor)": "A: torch.Tensor, B: torch.Tensor)",
        "2 * A  # FILL IN: the right answer in PyTorch; the parameters are those of the kernel's wrapper": "A * B + A",
        "[torch.randn(N)]  # FILL IN: one input for each parameter": "[torch.randn(N), torch.randn(N)]",
        "1  # FILL IN: the number of terms that one element of the result is the sum of, for the tolerance": "2",
        "# FILL IN: what students see fail; `course/tasks/case.py` lists what a case can be.\n": "",
        '"host:0", "dtype:0"': '"host:1", "dtype:0", "shape:1"',
    },
    "hidden": {
        "FILL IN what is special about them": "other lengths",
        "    # FILL IN: cases that only a right answer passes.\n": "",
    },
}
TASK, TEXT = "shifted_product", "01-shifted-product"


def fill_in(room: Classroom, hidden: Path) -> None:
    """Write what FILL IN asks for, as an instructor does in JupyterLab and in an editor."""
    notebook = room.read("solutions", "01-row-scaling")
    for cell in notebook.cells:
        for old, new in FILLED["solutions"].items() if cell.id.startswith(TEXT) else ():
            cell.source = cell.source.replace(old, new)
    save(room, "01-row-scaling", notebook)
    for path, kind in ((room.folder / "solutions" / "01-row-scaling" / f"{TASK}.py", "task"), (hidden, "hidden")):
        written = path.read_text()
        for old, new in FILLED[kind].items():
            assert old in written
            written = written.replace(old, new)
        path.write_text(written)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    """The small course, with a question that the command has added. Hidden cases are in a folder of their own."""
    room = small_course(tmp_path / "course")
    (tmp_path / "hidden").mkdir()
    for module in (lint, question, jobs, judge_answers):  # each has imported the name
        monkeypatch.setattr(module, "HIDDEN", tmp_path / "hidden")
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])
    assert cli.main(["question", "add", "01-row-scaling", TASK, "--points", "2", "--hidden", "1"]) == 0
    return room


REFUSED = {
    ("01-row-scaling", TASK, "--points", "2"): f"The name {TASK} is taken",
    ("01-row-scaling", "narrow", "--points", "2"): "The name narrow is taken",
    ("01-row-scaling", "vector-add", "--points", "2"): "The name vector_add is taken",
    ("01-row-scaling", "random", "--points", "2"): "The name random is taken",
    ("01-row-scaling", "class", "--points", "2"): "'class' cannot name a question",
    ("01-row-scaling", "../up", "--points", "2"): "'../up' cannot name a question",
    ("01-rows", "new", "--points", "2"): "The assignments are: 00-first-kernel, 01-row-scaling",
    ("00-first-kernel", "new", "--points", "2"): "00-first-kernel was handed in",
    ("01-row-scaling", "new", "--points", "0"): "at least 1 point",
    ("01-row-scaling", "new", "--points", "-1"): "are whole numbers",
    ("01-row-scaling", "new", "--points", "2", "--hidden", "half"): "are whole numbers",
    ("01-row-scaling", "new", "--points", "9" * 5000): "are whole numbers below 1000",
}


def test_a_question_that_cannot_be_added_is_one_sentence_and_nothing_is_written(
    course: Classroom, capsys: pytest.CaptureFixture
) -> None:
    course.hand_in("ada", "solutions")
    shutil.rmtree(course.folder / "grading" / "submitted" / "ada" / "01-row-scaling")
    before = files(course.folder.parent)
    for arguments, says in REFUSED.items():
        assert cli.main(["question", "add", *arguments]) == 2
        said = capsys.readouterr().err
        assert says in said and said.count("\n") == 1 and files(course.folder.parent) == before


def test_a_disk_that_is_full_leaves_no_part_of_a_question(course: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = files(course.folder.parent), question.write_whole

    def last_is_refused(path: Path, content: str) -> None:
        if path.suffix == ".ipynb":
            raise CourseError("No space left on device")
        write(path, content)

    monkeypatch.setattr(question, "write_whole", last_is_refused)
    assert cli.main(["question", "add", "01-row-scaling", "new", "--points", "2", "--hidden", "1"]) == 2
    assert files(course.folder.parent) == before


def cell(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(each for each in notebook.cells if each.id == name)


def add_twice(notebook: NotebookNode) -> None:
    notebook.cells.append(cell(notebook, TEXT))


def in_sight(notebook: NotebookNode) -> None:
    notebook.cells.insert(2, new_code_cell(cell(notebook, TEXT).source.replace("SOLUTION", "KERNEL"), id="example"))


def replaced(name: str, old: str, new: str) -> Callable[[NotebookNode], None]:
    def change(notebook: NotebookNode) -> None:
        assert old in cell(notebook, name).source
        cell(notebook, name).source = cell(notebook, name).source.replace(old, new)

    return change


def of_unknown_task(notebook: NotebookNode) -> None:
    replaced(f"{TEXT}-check", TASK, "shifted_sum")(notebook)
    cell(notebook, f"{TEXT}-check").metadata.course.task = "shifted_sum"


def in_file(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        written = (folder / name).read_text()
        assert old in written
        (folder / name).write_text(written.replace(old, new))

    return change


OWN_TASK, OWN_HIDDEN = f"course/solutions/01-row-scaling/{TASK}.py", f"hidden/{TASK}.py"
LENGTHS = '    Case({"N": 129}),\n    Case({"N": 65537}),\n    Case({"N": 777}, layout="offset"),\n'
MISTAKES = {
    "a missing tolerance": (in_file(OWN_TASK, "def sum_length", "def length"), f"{TASK} states no `sum_length()`"),
    "a solution that is not right": (
        replaced(TEXT, "A[i] * B[i] +", "A[i] * B[i] -"),
        f"the solution of {TEXT} does not",
    ),
    "a hidden case that the skeleton passes": (
        in_file(OWN_HIDDEN, LENGTHS, '    Case({"N": 0}),\n'),
        f"the skeleton of {TEXT}, without its solution, earns the points of {TEXT}-hidden",
    ),
    "other points in the heading": (replaced(f"{TEXT}-text", "(2 points", "(3 points"), "has other points than"),
    "other points in the tally": (
        replaced("tally", 'product.forward": 2', 'product.forward": 3'),
        "The cell tally states",
    ),
    "a task without a hidden file": (
        lambda folder: (folder / OWN_HIDDEN).unlink(),
        f"{TEXT}-hidden has no hidden cases",
    ),
    "two cells of one name": (add_twice, f"2 cells are called {TEXT}."),
    "an answer in plain sight": (in_sight, f"The cell example of 01-row-scaling shows too much of the answer {TEXT}."),
    "a broken link": (
        replaced(f"{TEXT}-text", "Compute", "[Compute](../nowhere.md)"),
        "The link to ../nowhere.md leads",
    ),
    "a check of an unknown task": (of_unknown_task, "checks the task shifted_sum, which is not there"),
    "a skeleton that earns marks": (
        replaced(TEXT, "    // BEGIN SOLUTION", f"    if (i < n) {KERNEL}\n    // BEGIN SOLUTION"),
        f"the skeleton of {TEXT}, without its solution, earns the points of {TEXT}-check",
    ),
    "another task in the metadata": (
        replaced(f"{TEXT}-check", TASK, "vector_add"),
        "asks something else than its metadata",
    ),
    "a case without an answer": (in_file(OWN_HIDDEN, '"N": 129', '"M": 129'), "has no right answer for"),
    "an answer in the text": (
        replaced(f"{TEXT}-text", "Compute", f"```cuda\nif (i < n) {{\n    {KERNEL}\n```\nCompute"),
        f"The cell {TEXT}-text of 01-row-scaling shows too much of the answer {TEXT}.",
    ),
    "no hidden case": (in_file(OWN_HIDDEN, LENGTHS, ""), f"The task {TASK} has no hidden cases."),
    "a region without its end": (
        replaced(TEXT, "    // END SOLUTION\n", ""),
        f"Cell {TEXT}: BEGIN SOLUTION and END SOLUTION do not match.",
    ),
    "an answer that nobody asks for": (
        lambda notebook: [notebook.cells.remove(cell(notebook, f"{TEXT}-{each}")) for each in ("check", "hidden")],
        f"No graded cell asks for the answer {TEXT}",
    ),
    "a task that nobody uses": (
        lambda folder: shutil.copy(folder / OWN_TASK, (folder / OWN_TASK).with_name("former_task.py")),
        "No cell uses the task former_task.py",
    ),
}


def test_lint_is_green_on_a_filled_in_question_and_red_on_each_mistake(
    course: Classroom, capsys: pytest.CaptureFixture
) -> None:
    assert cli.main(["lint", "01-row-scaling"]) == 1 and capsys.readouterr().out.count("still says FILL IN") == 5
    fill_in(course, course.folder.parent / OWN_HIDDEN)
    assert cli.main(["lint"]) == 0
    assert capsys.readouterr().out.endswith("Faults: 0\n")
    whole = files(course.folder.parent)
    found = {}
    for mistake, (change, says) in MISTAKES.items():
        notebook = course.read("solutions", "01-row-scaling")
        try:
            change(notebook)
            save(course, "01-row-scaling", notebook)
        except (TypeError, AttributeError):
            change(course.folder.parent)
        assert cli.main(["lint", "01-row-scaling"]) == 1, mistake
        found[mistake] = says, capsys.readouterr().out
        for path, content in whole.items():
            path.write_bytes(content)
    assert not {mistake: said for mistake, (says, said) in found.items() if says not in said}


def subtracts(name: str, notebook: NotebookNode) -> None:
    if name == "01-row-scaling":
        replaced(TEXT, "* B[i] +", "* B[i] -")(notebook)


def test_from_the_command_to_the_marks_of_three_students(course: Classroom, capsys: pytest.CaptureFixture) -> None:
    """Nobody edits JSON. `make release` is the two calls in the middle."""
    name = "01-row-scaling"
    fill_in(course, course.folder.parent / OWN_HIDDEN)
    right = course.read("solutions", name)
    subtracts(name, wrong := course.read("solutions", name))
    save(course, name, wrong)
    with pytest.raises(CourseError, match=f"Nothing was released.*\n{name}: the solution of {TEXT} does not earn"):
        judge_questions(course.folder)
    save(course, name, right)
    judge_questions(course.folder)
    capsys.readouterr()
    judge_questions(course.folder)  # again, with nothing new
    assert "Solutions and skeletons to judge: 0 of " in capsys.readouterr().out
    course.release()
    released = course.read("notebooks", name)
    assert KERNEL not in text(released) and "Your turn: a product and a sum (2 points, and 1 hidden)" in text(released)
    assert (course.folder / "notebooks" / name / f"{TASK}.py").is_file()
    course.hand_in("right", "solutions")
    course.hand_in("wrong", "solutions", subtracts)
    course.hand_in("untouched", "notebooks")
    capsys.readouterr()
    assert cli.main(["grade", "--no-sandbox", name]) == 0
    marks = course.marks()
    assert {who: marks[who, name] for who in ("right", "wrong", "untouched")} == {
        "right": (4, 4),
        "wrong": (1, 4),
        "untouched": (0, 4),
    }


def test_house_rules_can_be_switched_off(course: Classroom) -> None:
    fill_in(course, course.folder.parent / OWN_HIDDEN)
    notebook = course.read("solutions", "01-row-scaling")
    replaced(f"{TEXT}-text", "Hint 2", "More")(notebook)
    save(course, "01-row-scaling", notebook)
    (fault,) = lint.lint(Course(), "01-row-scaling")
    assert "The text above the answer 01-shifted-product has other folded hints" in fault
    with (course.folder / "nbgrader_config.py").open("a") as config:
        config.write('\nc.Lint.house_rules = ["announces_bets"]\n')
    assert not [*lint.lint(Course(), "01-row-scaling")]


def test_a_table_of_a_prediction_that_is_not_there_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = dict(lint.prediction_texts())
    texts["row_scaling_narow"] = texts.pop("row_scaling_narrow")
    monkeypatch.setattr(lint, "prediction_texts", lambda: texts)
    path = ROOT / "solutions" / "01-row-scaling" / "01-row-scaling.ipynb"
    assert [*lint.predicts_with_hint_and_mistakes(lint.Assignment.read(path))] == [
        "predictions.toml has a table row_scaling_narow, but there is no prediction of this name.",
        "The prediction row_scaling_narrow has no hint in predictions.toml.",
    ]


BY_HAND, EXPLAIN = "12-measuring-and-debugging", "12-explain"


def give(room: Classroom, student: str, score: float) -> None:
    """What the formgrader saves."""
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        grade = gradebook.find_grade(EXPLAIN, BY_HAND, BY_HAND, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def test_an_explanation_waits_until_it_is_marked_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    room = of_questions(tmp_path, BY_HAND, {EXPLAIN, "12-first"})
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])

    def explain(text: str) -> None:
        room.hand_in("ada", "solutions", lambda _, notebook: cell(notebook, EXPLAIN).update(source=text))

    def graded() -> tuple[int, str]:
        status = cli.main(["grade", "--no-sandbox", BY_HAND])
        return status, capsys.readouterr().out

    def waiting() -> str:
        assert cli.main(["status"]) == 0
        return capsys.readouterr().out.splitlines()[1].split()[4]

    page = room.folder / "grading" / "feedback" / "ada" / BY_HAND / f"{BY_HAND}.html"
    assert "1 + 4" not in text(room.read("notebooks", BY_HAND))
    explain("Lanes that read the same float need one sector.")
    room.hand_in("bob", "notebooks")
    status, said = graded()
    assert status == 1 and f"ada ({EXPLAIN}): must be marked by hand" in said and "bob" not in said
    assert waiting() == "1" and room.marks() == {("ada", BY_HAND): (1, 3), ("bob", BY_HAND): (0, 3)}
    assert "Not marked yet: your instructor reads this answer." in page.read_text()
    capsys.readouterr()
    assert cli.main(["report", BY_HAND]) == 0
    report = (room.folder / "grading" / "reports" / f"{BY_HAND}.html").read_text()
    assert "must be marked by hand" in report and "0 of 1 (0%)" in report  # of bob alone

    explain("All lanes load one float of A.")  # before it was marked
    assert graded()[0] == 1
    assert cell(room.read("grading/autograded/ada", BY_HAND), EXPLAIN).source == "All lanes load one float of A."
    give(room, "ada", 0)
    assert graded()[0] == 0 and waiting() == "0"
    assert "Marked by hand: 0 of 2 points." in page.read_text() and "Not marked yet" not in page.read_text()
    give(room, "ada", 1.5)
    assert graded()[0] == 0 and room.marks()["ada", BY_HAND] == (2.5, 3)
    explain("All lanes load one float of A, which is in one sector.")
    room.hand_in("eve", "solutions", lambda _, notebook: notebook.cells.remove(cell(notebook, EXPLAIN)))
    status, said = graded()
    assert status == 1 and "new answer: the mark by hand, 1.5 of 2, is for an older answer" in said and waiting() == "2"
    assert f"eve ({EXPLAIN}): The answer cell {EXPLAIN} is missing from the submission" in said
