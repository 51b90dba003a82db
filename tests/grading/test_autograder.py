"""nbgrader with this course's settings: marks, reasons, and what a tampered notebook can gain."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader import utils
from traitlets.config import PyFileConfigLoader

from autograder import cells
from autograder.classroom import ROOT, Classroom
from autograder.demo import MISTAKES, as_expected
from autograder.judging import jobs
from autograder.judging.jobs import JUDGE_FAILED, NOT_JUDGED, Job, Judgement, Question, hidden_summary, judge_job
from autograder.plugins.stamp_repository import StampRepository
from autograder.plugins.take_answers import read_submission
from course.errors import CannotJudge, CourseError, Hazard, ToolchainMissing
from course.referee.trial import CALL_SECONDS
from course.referee.verdict import TOO_MUCH, CaseResult, Verdict
from course.tasks import load_task
from course.worker.modules import Budget
from course.worker.protocol import Answer, RefereeFailed
from tests.classes import of_questions

pytestmark = pytest.mark.slow
NAME = "00-first-kernel"
NUMBER, KERNEL = "00-blocks", "00-add"  # a prediction (1 point), a kernel with visible and hidden cases (1 each)
POINTS = {NUMBER: 1.0, KERNEL: 2.0}


def graded(room: Classroom, student: str, name: str) -> list[nbformat.NotebookNode]:
    """The cells that are judged. `test_questions.py` has an answer that is marked by hand."""
    return cells.graded(room.read(f"grading/autograded/{student}", name))


def mark(cell: nbformat.NotebookNode) -> float:
    (output,) = cell.outputs
    return float(output.data["text/plain"])


def feedback(room: Classroom, student: str, name: str = NAME) -> str:
    return (room.folder / "grading" / "feedback" / student / name / f"{name}.html").read_text()


# The class of the demo


def test_solutions_get_everything_and_the_untouched_release_nothing(demo_class: Classroom) -> None:
    for name in demo_class.assignments:
        assert all(mark(cell) == cell.metadata.nbgrader.points for cell in graded(demo_class, "solutions", name))
        assert all(mark(cell) == 0 for cell in graded(demo_class, "untouched", name))


def test_mistakes_cost_the_points_of_their_answers_and_no_others(demo_class: Classroom) -> None:
    for name in demo_class.assignments:
        for cell in graded(demo_class, "mistakes", name):
            expected = 0 if cell.metadata.course.answer in MISTAKES else cell.metadata.nbgrader.points
            assert mark(cell) == expected, cell.metadata.nbgrader.grade_id


def test_export_has_the_marks_of_the_gradebook(demo_class: Classroom) -> None:
    marks = demo_class.marks()
    assert len(marks) == 3 * len(demo_class.assignments)
    for (student, name), (score, points) in marks.items():
        assert score == sum(map(mark, graded(demo_class, student, name)))
        every = filter(utils.is_grade, demo_class.read("solutions", name).cells)
        assert points == sum(cell.metadata.nbgrader.points for cell in every)
    assert as_expected(marks)
    assert not as_expected({**marks, ("untouched", NAME): (1.0, 10.0)})


def test_feedback_gives_the_reasons(demo_class: Classroom) -> None:
    assert "1024" in feedback(demo_class, "mistakes", "01-row-scaling")  # the limit that 4096 threads exceed
    for student in ("mistakes", "untouched"):
        assert "hidden cases passed. Kind of mistake:" in feedback(demo_class, student)
    assert feedback(demo_class, "untouched").count("0 of") >= 7


# Notebooks that were tampered with: each edits the solutions of two questions, and states what it is still worth


def answer(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    return next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name)


def graded_cells(notebook: nbformat.NotebookNode) -> Iterator[nbformat.NotebookNode]:
    return filter(utils.is_grade, notebook.cells)


def nothing(notebook: nbformat.NotebookNode) -> None:
    pass


def delete_the_tests(notebook: nbformat.NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if not utils.is_grade(cell)]


def answer_in_another_language(notebook: nbformat.NotebookNode) -> None:
    answer(notebook, KERNEL).source = "def add(A, B):\n    return A + B"


def forge_the_tests(notebook: nbformat.NotebookNode) -> None:
    """Wrong answers, and graded cells changed so that they are worth more, demand less and show full marks."""
    blank(notebook)
    for cell in graded_cells(notebook):
        cell.source = cell.source + "\n100.0"
        cell.metadata.nbgrader.points = 100
        cell.metadata.nbgrader.locked = False
        cell.metadata.course = {"answer": NUMBER, "task": "anything", "function": "blocks", "cases": "none"}
        cell.outputs = [new_output("execute_result", {"text/plain": "100.0", "text/html": "<b>FORGED</b>"})]


def break_the_metadata(notebook: nbformat.NotebookNode) -> None:
    """Right answers, in a notebook at which nbgrader's own checks would stop the grading of the whole class."""
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.schema_version = 1
            cell.metadata.nbgrader.points = "many"
    notebook.cells.append(new_code_cell("", metadata={"nbgrader": "nothing"}))
    notebook.metadata.kernelspec = {"name": "none", "display_name": "none"}


def save_from_colab(notebook: nbformat.NotebookNode) -> None:
    """What Colab makes of a released notebook: an older format, cell ids in the metadata, and metadata of its own."""
    notebook.cells.insert(0, new_code_cell("import course"))  # as in each notebook, the first code cell
    StampRepository(repository="https://github.com/owner/name").preprocess(notebook, {"nbgrader": {"notebook": NAME}})
    for cell in notebook.cells:
        cell.metadata.id = cell.pop("id")
        if cell.cell_type == "code":
            cell.metadata.colab = {"base_uri": "https://localhost:8080/", "height": 35}
            cell.outputs = [new_output("display_data", {"text/html": "<p></p>"}, metadata={"tags": []})]
    notebook.metadata |= {"colab": {"provenance": [], "gpuType": "T4"}, "accelerator": "GPU"}
    notebook.nbformat_minor = 0


def blank(notebook: nbformat.NotebookNode) -> None:
    answer(notebook, NUMBER).source = "blocks = None"
    answer(notebook, KERNEL).source = "%%cuda adder\n"


def saying(text: str) -> Callable[[nbformat.NotebookNode], None]:
    """The answer to the prediction is `text`."""

    def change(notebook: nbformat.NotebookNode) -> None:
        answer(notebook, NUMBER).source = text

    return change


def plant_html(notebook: nbformat.NotebookNode) -> None:
    script = "<script>alert(1)</script>"
    notebook.cells.insert(0, new_markdown_cell(script))
    answer(notebook, NUMBER).source += f"\n# {script}"
    answer(notebook, KERNEL).source = f'%%cuda adder\n#error "{script}"'
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", {"text/html": script})]


TAMPERED = {
    "honest": (nothing, POINTS),
    "colab": (save_from_colab, POINTS),
    "untested": (delete_the_tests, POINTS),
    "translated": (answer_in_another_language, {NUMBER: 1}),
    "forged": (forge_the_tests, {}),
    "broken": (break_the_metadata, POINTS),
    "exits": (saying("raise SystemExit"), {KERNEL: 2}),
    "dies": (saying("import os\nos._exit(0)"), {KERNEL: 2}),
    "prints": (saying("print('FAILED')\nblocks = None"), {KERNEL: 2}),
    "not-a-number": (saying("blocks = float('nan')"), {KERNEL: 2}),
    "agreeable": (saying("class Yes(int):\n    __eq__ = lambda *_: True\nblocks = Yes(1)"), {KERNEL: 2}),
    "html": (plant_html, {NUMBER: 1}),
}


@pytest.fixture(scope="module")
def tampered_class(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """Notebook 00 with two of its questions, and a student for each way of tampering with it."""
    room = of_questions(Path(tmp_path_factory.mktemp("tampered")), NAME, POINTS)
    for student, (change, _) in TAMPERED.items():
        room.hand_in(student, "solutions", lambda _, notebook, change=change: change(notebook))
    room.grade("--no-sandbox")
    return room


@pytest.fixture(scope="module")
def tampered_marks(tampered_class: Classroom) -> dict[tuple[str, str], tuple[float, float]]:
    return tampered_class.marks()


@pytest.mark.parametrize("student", TAMPERED)
def test_a_tampered_notebook_gets_what_its_answers_are_worth(
    tampered_class: Classroom, tampered_marks: dict[tuple[str, str], tuple[float, float]], student: str
) -> None:
    found = dict.fromkeys(POINTS, 0.0)
    for cell in graded(tampered_class, student, NAME):
        found[cell.metadata.course.answer] += mark(cell)
    expected = {name: TAMPERED[student][1].get(name, 0) for name in POINTS}
    assert found == expected
    assert tampered_marks[student, NAME] == (sum(expected.values()), sum(POINTS.values()))


def test_an_answer_that_is_no_cuda_says_so(tampered_class: Classroom) -> None:
    assert "The answer cell 00-add must begin with %%cuda" in feedback(tampered_class, "translated")


def test_nothing_but_answers_reaches_the_feedback(tampered_class: Classroom) -> None:
    assert "alert(1)" in feedback(tampered_class, "html")
    assert "<script>alert(1)" not in feedback(tampered_class, "html")
    assert "FORGED" not in feedback(tampered_class, "forged")


def test_feedback_never_shows_a_hidden_input(demo_class: Classroom) -> None:
    hidden = [cell for cell in graded(demo_class, "mistakes", NAME) if cell.metadata.course.cases == "hidden"]
    assert hidden
    for cell in hidden:
        text = cell.outputs[0].data["text/html"]
        assert "hidden cases passed" in text
        assert not [size for size in ("65537", "300007", "offset", "1021", "NaN") if size in text]


def test_a_hidden_case_about_traffic_says_that_it_was_the_traffic() -> None:
    verdict = Verdict("t", "emulator", "CPU")
    verdict.cases = [CaseResult("N=7", False, "9 sectors", mistake=TOO_MUCH), CaseResult("N=8", True)]
    told = "1 of 2 hidden cases passed. Kind of mistake: over a limit of the question. The cell above describes"
    assert hidden_summary(verdict).startswith(told)


def test_the_text_of_a_line_is_no_markup_and_no_kind_of_mistake() -> None:
    line = "if (x) { /* <b>misaligned (a vector access at an address)</b> */ }"
    verdict = Verdict("t", "emulator", "CPU", cases=[CaseResult("N=7", True), CaseResult("N=8", True)])
    verdict.hazards = [Hazard("race", f"a race: line 3 (`{line}`) writes", where=({"line": 3},))]
    assert "<b>" not in verdict.html() and "&lt;b&gt;misaligned" in verdict.html()
    assert "race (" in hidden_summary(verdict) and "misaligned" not in hidden_summary(verdict)


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    room = Classroom.anew(tmp_path / "course")
    with pytest.raises(CourseError, match=r"nbgrader autograde failed.*No notebooks were matched"):
        room.nbgrader("autograde", "nothing")


# The formgrader's buttons


@pytest.mark.seldom  # test_jupyterlab.py clicks them
@pytest.mark.usefixtures("bubblewrap")
def test_the_formgraders_buttons_work(
    tampered_class: Classroom,
    tampered_marks: dict[tuple[str, str], tuple[float, float]],
    jupyter_lab: Callable[[Path], AbstractContextManager[dict]],
) -> None:
    report = tampered_class.folder / "grading" / "feedback" / "html" / NAME / f"{NAME}.html"
    report.unlink()
    buttons = (
        f"assignment/{NAME}/assign",
        f"submission/{NAME}/html/autograde",
        f"assignment/{NAME}/html/generate_feedback",
    )
    with jupyter_lab(tampered_class.folder) as server:
        for button in buttons:
            address = f"{server['url']}formgrader/api/{button}"
            pressed = urllib.request.Request(address, b"", {"Authorization": f"token {server['token']}"})
            with urllib.request.urlopen(pressed) as reply:
                result = json.load(reply)
            assert result["success"], result
    assert tampered_class.marks() == tampered_marks
    assert report.exists()


# One cell


@pytest.mark.parametrize("name", Classroom(ROOT).assignments)
def test_validate_waits_longer_than_the_judge(name: str) -> None:
    config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
    for cell in cells.graded(Classroom(ROOT).read("solutions", name)):
        calls = len(load_task(cell.metadata.course.task).cases)
        assert Budget.one_build + calls * CALL_SECONDS <= config.Execute.timeout


def test_the_settings_can_be_read_where_there_is_no_autograder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("autograder", "autograder.submission_files"):  # as in the students' bundle, for Validate
        monkeypatch.setitem(sys.modules, name, None)
    assert PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config().Execute.timeout


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], Judgement]:
    """The judgement on a question if the judge raises the given error."""
    job = Job(Answer("cuda", "", "add"), Question("add-check", "vector_add", "visible"), "emulator", sandbox=False)

    def fails_with(error: Exception) -> Judgement:
        def fail(*arguments: object, **options: object) -> None:
            raise error

        monkeypatch.setattr("autograder.judging.jobs.judge", fail)
        return judge_job(job)

    return fails_with


@pytest.mark.parametrize("error", [CourseError("It died"), RefereeFailed("It died"), CannotJudge("It died")])
@pytest.mark.parametrize("honest", ["judged", "the Model fails too", "the kernel fails too", "the kernel is wrong"])
def test_an_error_of_the_judge_is_the_answers_own_where_an_honest_answer_is_judged(
    monkeypatch: pytest.MonkeyPatch, error: CourseError, honest: str
) -> None:
    def judging(answer: Answer, task: str, **options: object) -> Verdict:
        if answer.source == "hostile":
            raise error
        probe = "the Model" if answer.kind == "model" else "the kernel"
        if honest == f"{probe} fails too":
            raise CourseError(f"No room for {probe}.")
        verdict = judge(answer, task, **options)
        return replace(verdict, compiled=verdict.compiled and honest != f"{probe} is wrong")

    judge = jobs.judge
    monkeypatch.setattr(jobs, "judge", judging)
    job = Job(Answer("cuda", "hostile", "add"), Question("q", "row_scaling", "hidden"), "emulator", sandbox=False)
    if honest == "judged":
        assert judge_job(job).flags == (NOT_JUDGED if isinstance(error, CannotJudge) else JUDGE_FAILED,)
    else:
        with pytest.raises(CourseError, match=r"No room for|finds an honest answer"):
            judge_job(job)


def test_what_is_no_answers_fault_costs_no_points(judged: Callable[[Exception], Judgement]) -> None:
    for error in (
        CannotJudge("too large"),
        CourseError("The build cache cannot be written"),
        ToolchainMissing("no g++"),
    ):
        with pytest.raises(CourseError, match=str(error)):
            judged(error)


def test_a_judge_that_fails_on_every_answer_stops(judged: Callable[[Exception], Judgement]) -> None:
    with pytest.raises(CourseError, match=r"fails on an honest answer too \(ZeroDivisionError: the judge's own"):
        judged(ZeroDivisionError("the judge's own"))


def test_a_judge_that_fails_on_one_answer_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def judging(answer: Answer, task: str, **options: object) -> Verdict:
        if answer.source == "hostile":
            raise ZeroDivisionError("the judge's own")
        return judge(answer, task, **options)

    judge = jobs.judge
    monkeypatch.setattr(jobs, "judge", judging)
    asked = Question("q", "vector_add", "visible")
    judgement = judge_job(Job(Answer("cuda", "hostile", "add"), asked, "emulator", sandbox=False))
    assert not judgement.correct and JUDGE_FAILED in judgement.flags
    assert "tell your instructor" in judgement.reason and "judge's own" not in judgement.reason


@pytest.mark.parametrize(("count", "taken"), [(10_000, 10_000), (10_001, 0)])
def test_a_notebook_of_thousands_of_named_cells_is_not_taken_apart(tmp_path: Path, count: int, taken: int) -> None:
    cell = {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": "a"}}}
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": [cell] * count}))
    notebook = read_submission(tmp_path / "n.ipynb")
    assert len(notebook.cells) == taken
    assert ("n.ipynb has 10,001 cells" in notebook.metadata.course.get("problem", "")) == (not taken)
