"""Marks by time: the rule, and how times become a mark. The clock is a stand-in for a GPU's."""

from __future__ import annotations

import html
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.judging import jobs
from autograder.judging.jobs import Job, Question, judge_job
from autograder.judging.timed import FASTER_THAN_POSSIBLE, RULE, Race, floor_ms
from autograder.plugins.judge_answers import jobs_in, put_marks
from autograder.plugins.take_answers import with_answers
from course.errors import CannotJudge, CourseError
from course.referee import timing
from course.referee.judge import judge
from course.referee.trial import Judging
from course.referee.verdict import CaseResult, Timing, Verdict
from course.tasks import load_task
from course.worker.protocol import Answer, RefereeFailed
from course.worker.worker import Worker

STEADY = (1.0,) * 5


@pytest.mark.parametrize(
    ("times", "share"), [(0.5, 1), (1.0, 1), (1.1, 1), (1.325, 0.75), (1.55, 0.5), (1.775, 0.25), (2.0, 0), (9.0, 0)]
)
def test_the_share_is_all_up_to_a_tenth_more_and_falls_to_nothing_at_twice(times, share):
    assert Race((times,) * 5, STEADY, 0).share == share


def test_what_is_uncertain_is_decided_for_the_student():
    assert Race((1.05, 1.05, 1.4, 1.6, 1.7), STEADY, 0).share == 1  # decided by its first quartile
    assert Race((1.5,) * 5, (1.0, 1.0, 1.0, 1.4, 1.5), 0).share == 1  # decided by the solution's third quartile
    assert Race((1.0, 1.9, 1.9, 1.9, 1.9), STEADY, 0).share < 0.2  # one lucky round does not count


def test_what_no_device_can_do_earns_nothing_and_says_so():
    race = Race((0.1,) * 5, STEADY, 0.2)
    assert race.impossible and race.share == 0
    assert "at least 0.200 ms" in race.reason() and "no points" in race.reason()
    assert not Race((0.2,) * 5, STEADY, 0.2).impossible


def test_the_floor_leaves_a_margin_and_what_the_cache_may_hold():
    assert floor_ms(10**9, 1.0, 0) == pytest.approx(0.8)
    assert floor_ms(10**8, 1.0, 25 * 10**6) == pytest.approx(0.4)
    assert floor_ms(10**6, 1.0, 50 * 10**6) == 0
    assert floor_ms(0, 1.0, 50 * 10**6) == 0


def test_the_rule_stands_in_the_reason():
    reason = Race((1.55,) * 5, STEADY, 0).reason()
    assert RULE in html.unescape(reason) and "1.55 times" in reason and "50%" in reason


# From times to a mark

TASK = "scalar_multiply_several"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Milliseconds per call of the student's answer and of the solution, as the referee's clock measures them."""
    seconds = {"student": 1.0, "solution": 1.0}
    turns: list[object] = []

    def shim(worker: Worker, count: int) -> float:
        if worker not in turns:
            turns.append(worker)  # the student's worker comes first
        worker.repeat("answer", 1)
        return count * seconds["student" if worker is turns[0] else "solution"] / 1e3

    monkeypatch.setattr(timing, "_clock", shim)
    monkeypatch.setattr(timing, "_fits", lambda task: task.footprint()[0] < 1 << 20)
    return seconds


def timed_verdict(answer: Answer, baseline: Answer) -> Verdict:
    verdict = judge(answer, TASK, toolchain="emulator", traced=False)
    assert verdict.correct, verdict.message
    result, hazards, verdict.timing = timing.time_answer(Judging(answer, load_task(TASK), (), 1, "emulator"), baseline)
    assert result.passed and not hazards
    return verdict


@pytest.fixture(scope="module")
def solution() -> Answer:
    from tests.benchmarks.kernels import ROOT

    notebook = nbformat.read(ROOT / "solutions/02-scalar-multiply/02-scalar-multiply.ipynb", as_version=4)
    graded = next(cell for cell in notebook.cells if cell.metadata.get("course", {}).get("task") == TASK)
    cell = next(each for each in notebook.cells if _name(each) == graded.metadata.course.answer)
    return Answer.of_cell(cell.source, graded.metadata.course.function)


def _name(cell: nbformat.NotebookNode) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def test_student_and_solution_take_turns_on_the_referees_clock(clock, solution):
    clock["student"] = 1.5
    verdict = timed_verdict(solution, solution)
    assert verdict.timing.candidate == pytest.approx([1.5] * 5)
    assert verdict.timing.baseline == pytest.approx([1.0] * 5)
    assert "the solution took 1 ms" in verdict.message


def test_a_solution_that_fails_is_no_fault_of_the_answer(clock, solution):
    broken = Answer(solution.kind, "#error no\n", solution.function)
    with pytest.raises(CannotJudge, match="fails by itself"):
        timed_verdict(solution, broken)


def test_a_solution_that_fails_beside_the_answer_costs_it_nothing(clock, solution, monkeypatch):
    shim, turns = timing._clock, []

    def failing(worker: Worker, count: int) -> float:
        if worker not in turns:
            turns.append(worker)
            if len(turns) == 2:  # the solution's worker comes second
                worker._session.connection.end()
        return shim(worker, count)

    monkeypatch.setattr(timing, "_clock", failing)
    with pytest.raises(RefereeFailed, match="failed while it was timed beside the answer: The worker has ended"):
        timed_verdict(solution, solution)


def timed_job() -> Job:
    return Job(Answer("cuda", "", "f"), Question("q", TASK, "timed", "%%cuda g\n"), "nvcc", sandbox=False)


@pytest.mark.parametrize(
    ("ms", "share", "flags"), [(1.0, 1.0, ()), (1.55, 0.5, ()), (0.1, 0.0, (FASTER_THAN_POSSIBLE,))]
)
def test_a_timed_question_earns_its_share(monkeypatch, ms, share, flags):
    def judged(*arguments: object, timed: bool, baseline: Answer, **more: object) -> Verdict:
        assert timed and baseline == Answer.of_cell("%%cuda g\n", "f")
        times = Timing("M=1", [ms] * 5, [1.0] * 5, bytes_moved=10**9)
        return Verdict(TASK, "nvcc", "a GPU", cases=[CaseResult("all", True)], timing=times)

    monkeypatch.setattr(jobs, "judge", judged)
    monkeypatch.setattr(jobs, "copy_ms", lambda bytes_moved: 0.5)
    monkeypatch.setattr(jobs, "this_gpu", lambda: type("GPU", (), {"l2": 0}))
    judgement = judge_job(timed_job())
    assert (judgement.share, judgement.flags) == (share, flags)
    assert RULE in html.unescape(judgement.reason)
    notebook = notebook_with("timed", "%%cuda g\n")
    put_marks(notebook, {"q": judgement})
    assert notebook.cells[1].outputs[0].data["text/plain"] == repr(4 * share)


def notebook_with(cases: str, source: str) -> nbformat.NotebookNode:
    tags = {"schema_version": 3, "task": False}
    answer = {"nbgrader": {**tags, "grade_id": "a", "solution": True, "grade": False, "locked": False}}
    graded = {"nbgrader": {**tags, "grade_id": "q", "solution": False, "grade": True, "locked": True, "points": 4}}
    graded["course"] = {"answer": "a", "task": TASK, "function": "f", "cases": cases}
    return new_notebook(cells=[new_code_cell(source, metadata=answer), new_code_cell("", metadata=graded)])


def test_the_solution_goes_with_the_question_and_the_answer_is_the_students():
    handed_in = notebook_with("timed", "%%cuda theirs\n")
    handed_in.metadata["course"] = {}
    taken = with_answers(notebook_with("timed", "%%cuda ours\n"), handed_in, Path("solutions"))
    assert taken.cells[0].source == "%%cuda theirs\n"
    assert taken.cells[1].metadata.course.solution == "%%cuda ours\n"


def test_without_a_gpu_timed_marks_are_refused_with_one_sentence(monkeypatch):
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    with pytest.raises(CourseError, match="Graded cell q marks the time, which needs a GPU"):
        jobs_in(notebook_with("timed", "%%cuda g\n"), True)
    assert jobs_in(notebook_with("visible", "%%cuda g\n"), True)["q"].question.solution == ""
