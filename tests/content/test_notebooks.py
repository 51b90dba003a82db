"""The notebooks of `solutions/`: their structure; every answer gets its points, and every skeleton none."""

from __future__ import annotations

import json
import re
from copy import deepcopy

import nbformat
import pytest
from nbgrader.utils import is_grade, is_solution

from autograder import cells
from autograder.cells import is_code
from autograder.classroom import ROOT
from autograder.demo import make_mistakes
from autograder.judging.jobs import Judgement, judge_jobs
from autograder.lint import HOUSE, TRUTH, Assignment
from autograder.plugins.judge_answers import jobs_in
from autograder.plugins.take_answers import read_submission, with_answers
from course import recorded
from course.notebook.bets import bet_in, variants
from tests.classes import executed
from tests.tiers import tiered

SOLUTIONS = ROOT / "solutions"
POINTS = {
    "00-first-kernel": 8,
    "01-row-scaling": 16,
    "02-scalar-multiply": 11,
    "03-matmul": 14,
    "04-tiled-matmul": 20,
    "05-float4-relu": 13,
    "06-row-scaling-backward": 16,
    "07-types-and-layouts": 16,
    "08-model-new": 14,
    "09-beat-cublas": 25,
    "10-attention": 14,
    "11-counting-and-scanning": 14,
    "12-measuring-and-debugging": 12,
    "13-triton-beside-cuda": 5,
}
ASSIGNMENTS = {name: Assignment.read(SOLUTIONS / name / f"{name}.ipynb") for name in POINTS}
every_notebook = pytest.mark.parametrize("name", POINTS)


def read(name: str) -> nbformat.NotebookNode:
    """A notebook of the solutions, which no test may change."""
    return ASSIGNMENTS[name].nb


def graded(name: str) -> dict[str, nbformat.NotebookNode]:
    """The cells that are judged."""
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells.graded(read(name))}


def answers(name: str) -> dict[str, nbformat.NotebookNode]:
    """The answers that are judged. A bet is not, and neither is Triton, which few machines without a GPU have."""
    solutions = {cell.metadata.nbgrader.grade_id: cell for cell in read(name).cells if is_solution(cell)}
    return {
        grade_id: cell
        for grade_id, cell in solutions.items()
        if not (bet_in(cell.source) or cell.source.startswith("%%triton") or is_grade(cell))
    }


@every_notebook
def test_file_is_what_git_and_jupyter_want(name):
    path = SOLUTIONS / name / f"{name}.ipynb"
    notebook = read(name)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info.name == "python"
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    for cell in notebook.cells:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cell.id)
        assert not cell.get("outputs") and cell.get("execution_count") is None
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


@every_notebook
def test_begins_with_the_title_and_the_setup(name):
    title, setup = read(name).cells[:2]
    assert title.source.startswith(f"# {name[:2]} ")
    assert setup.source.startswith("import torch\n") and "\ngpu = start()" in setup.source


@every_notebook
def test_points_and_kinds_of_answers(name):
    cells = graded(name)
    assert sum(cell.metadata.nbgrader.points for cell in filter(is_grade, read(name).cells)) == POINTS[name]
    assert {cell.metadata.course.answer for cell in cells.values()} == set(answers(name))
    code = [cell for cell in read(name).cells if is_solution(cell) and is_code(cell)]
    assert len(answers(name)) >= 3 and len(code) >= 2
    assert any(cell.metadata.course.cases == "hidden" for cell in cells.values())
    assert any("compare(" in cell.source for cell in read(name).cells)


def test_what_is_not_optional_gives_142_points():
    assert set(POINTS) == {path.name for path in SOLUTIONS.iterdir() if path.is_dir()}
    optional = {name for name in POINTS if re.search("[Oo]ptional.* beyond the 142", read(name).cells[0].source)}
    assert sum(POINTS[name] for name in POINTS.keys() - optional) == 142
    assert {name[:2] for name in POINTS.keys() - optional} == {*(f"{number:02}" for number in range(9)), "10"}


def test_there_are_twelve_bets_or_more_and_no_questions_without_an_answer_cell():
    found = [made for name in POINTS for cell in read(name).cells if (made := bet_in(cell.source))]
    assert 12 <= len(found) <= 24 and len(set(found)) == len(found)
    assert not [name for name in POINTS for cell in read(name).cells if "**Question" in cell.source]


@pytest.mark.parametrize("rule", [*TRUTH, *HOUSE], ids=lambda rule: rule.__name__)
def test_lint_finds_no_fault(rule):
    assert not [f"{name}: {fault}" for name, each in ASSIGNMENTS.items() for fault in rule(each)]


@every_notebook
def test_no_text_above_a_bet_has_both_times_that_it_is_about(name):
    cells = read(name).cells
    like_pytorch = (
        "4 loads per thread over 1 load per thread"  # the time above is PyTorch's, and happens to be the same
    )
    for place, cell in enumerate(cells):
        if (made := bet_in(cell.source)) and made != like_pytorch:
            task = re.search(r'task="(\w+)"', cells[place + 1].source)[1]
            known = timings.variants if (timings := recorded.read(task)) else {}
            times = [known[variant].median_ms for variant in variants(made) if variant in known]
            for above in cells[:place]:
                said = {float(number) for number in re.findall(r"([\d.]+)\*{0,2} ms", above.source)}
                near = [any(abs(number / ms - 1) < 0.03 for number in said if number) for ms in times]
                assert sum(near) < 2, above.source


def judgements(name: str, handed_in: str) -> dict[str, Judgement]:
    """The judgement on each question if the notebook in the folder `handed_in` is handed in, by the graded cell."""
    folder, file = ROOT / "solutions" / name, f"{name}.ipynb"
    taken = with_answers(deepcopy(read(name)), read_submission(ROOT / handed_in / name / file), folder)
    judged = judge_jobs(jobs_in(taken, sandbox=False, toolchain=("emulator", "")).values())
    return {job.question.name: judgement for job, judgement in judged}


@pytest.mark.slow
@every_notebook
def test_solutions_get_full_points(name):
    found = judgements(name, "solutions")
    assert found.keys() == graded(name).keys()
    assert not [judgement.reason for judgement in found.values() if not judgement.correct]


@pytest.mark.parametrize("name", tiered(POINTS, lambda name: {"00", "07", "08", "13"} & {name[:2]}))
def test_skeletons_build_and_are_not_right(name):
    for question, judgement in judgements(name, "notebooks").items():
        assert judgement.verdict["compiled"] and not judgement.correct, (question, judgement.reason)


@every_notebook
def test_the_demo_changes_an_answer(name):
    notebook = deepcopy(read(name))
    make_mistakes(name, notebook)  # raises if a solution no longer has the text that is replaced
    assert notebook != read(name)


CHECKED = {"00-first-kernel"}  # in a kernel too, as by nbgrader's own command


@pytest.mark.parametrize("name", tiered(POINTS, lambda name: CHECKED & {name}))
def test_solutions_run_from_top_to_bottom(name, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for cell in executed(name, checks=name in CHECKED).cells:
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        # A cell of the bug clinic that should fail, as the text says, must fail, or it teaches nothing.
        assert bool(errors) == ("raises-exception" in cell.metadata.get("tags", [])), cell.id
        if is_grade(cell):
            values = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
            assert [float(value) for value in values] == [cell.metadata.nbgrader.points], cell.id
