"""The cheats: none gains a mark; each gets the verdict that its head names, and wins without the defences it names."""

from __future__ import annotations

import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from autograder.classroom import ROOT, Classroom
from autograder.judging import jobs, system_calls
from autograder.judging.jobs import Job, judge_job
from course import device
from course.errors import Hazard
from course.referee import judge as referee
from course.referee import memory, timing, values
from course.referee.tolerance import Tolerance
from course.referee.trial import Judging, Trial, hazards_of
from course.referee.verdict import CaseResult, Verdict
from course.tasks import Case, load_task
from course.toolchains.base import Source
from course.toolchains.guard.symbols import INSTRUCTIONS, foreign_symbols, refused_symbols
from course.toolchains.nvcc import Nvcc
from course.toolchains.shim import units as shim
from course.worker.protocol import Answer, ForeignSymbols, Outcome
from course.worker.worker import Worker
from tests.benchmarks.defences import IN_A_COPY
from tests.cheats import FOLDER, Cheat, cheats
from tests.classes import of_questions

CHEATS = cheats()
ANSWERS = [cheat for cheat in CHEATS if not cheat.edits_notebook and not cheat.for_time]
OUTSIDE = """
__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}
"""


# How each defence is switched off with one change of the referee


def without_symbols(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("course.toolchains.guard.symbols.foreign_symbols", lambda symbols: [])


def with_host_work(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory, "TO_HOST_BYTES", 1 << 40)


def with_wide_tolerance(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Tolerance, "of", lambda *args: Tolerance(1e-2, 1e-2))


def with_nan_for_anything(patch: pytest.MonkeyPatch) -> None:
    def close(tolerance: Tolerance, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        return ~((got - expected).abs() > tolerance.absolute)

    patch.setattr(Tolerance, "close", close)


def with_the_first_elements(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(values, "compared_ranges", lambda x: [(0, min(1000, x.numel()))])


def with_visible_cases(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(jobs, "hidden_cases", lambda task: load_task(task).cases)


def with_the_exit_status(patch: pytest.MonkeyPatch) -> None:
    def judge_cases(judging: Judging, worker: Worker) -> tuple[list[CaseResult], list[Hazard]]:
        results, hazards = before(judging, worker)
        if any("exit status 0" in hazard.detail for hazard in hazards):
            return [CaseResult("", True)], []
        return results, hazards

    before = referee._judge_cases
    patch.setattr(referee, "_judge_cases", judge_cases)
    without_the_tracer(patch)


def with_what_is_printed(patch: pytest.MonkeyPatch) -> None:
    before = Verdict.correct.fget
    patch.setattr(Verdict, "correct", property(lambda v: before(v) or '"correct": true' in v.printed))


def with_the_inputs_of_the_worker(patch: pytest.MonkeyPatch) -> None:
    def compare(worker: Worker, trial: Trial, outcome: Outcome) -> tuple[CaseResult, list[Hazard]]:
        left = [worker.fetch(info).view(info.shape) for info in outcome.inputs]
        patch.setattr(Trial, "reference", lambda trial, inputs: reference(trial, left))
        return compare_outcome(worker, trial, outcome)

    reference, compare_outcome = Trial.reference, values.compare_outcome
    patch.setattr("course.referee.trial.compare_outcome", compare)


def without_comparing_inputs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(values, "_changed_inputs", lambda *args: [])


def with_the_same_inputs(patch: pytest.MonkeyPatch) -> None:
    before = Judging.trials.func
    patch.setattr(Judging, "trials", property(lambda judging: [replace(trial, seed=0) for trial in before(judging)]))
    without_values_of_traced_calls(patch)  # traced calls have other inputs


def without_the_tracer(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(referee, "trace_answer", lambda judging: memory.MemoryReport())


def without_the_list_of_operations(patch: pytest.MonkeyPatch) -> None:
    before = Worker.run
    patch.setattr(
        Worker, "run", lambda worker, *args, **order: replace(before(worker, *args, **order), library_calls=())
    )


def without_numbers(patch: pytest.MonkeyPatch) -> None:
    class Obliging(str):
        __ne__ = __eq__ = lambda self, other: False  # any number is accepted as the request's own

    patch.setattr("course.worker.connection.secrets.token_hex", lambda size: Obliging("0" * 32))
    patch.setattr("course.worker.connection.Channel.pending", lambda channel: False)


def without_values_of_traced_calls(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory, "judge_outcome", lambda *args: (CaseResult("", True), [], False))


def without_traffic(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory, "_must_write", lambda *args: False)


def without_another_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory, "_run_reordered", lambda *args: None)


def without_lists_of_calls(patch: pytest.MonkeyPatch) -> None:
    before = system_calls._each  # each rule that answers in place of the kernel
    patch.setattr(system_calls, "_each", lambda values, _: before(values, system_calls._ALLOW))


def without_budget(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(memory, "check_traffic_budget", lambda result, *args: result)


DEFENCES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "allowed symbols": without_symbols,
    "host work": with_host_work,
    "tolerance": with_wide_tolerance,
    "NaN is no wildcard": with_nan_for_anything,
    "every element": with_the_first_elements,
    "hidden cases": with_visible_cases,
    "values": with_the_exit_status,
    "what is printed decides nothing": with_what_is_printed,
    "numbered replies": without_numbers,
    "traffic": without_traffic,
    "budget": without_budget,
    "another order": without_another_order,
    "values of traced calls": without_values_of_traced_calls,
    "own inputs": with_the_inputs_of_the_worker,
    "inputs compared": without_comparing_inputs,
    "fresh inputs": with_the_same_inputs,
    "tracer": without_the_tracer,
    "right when traced": without_the_tracer,
    "list of operations": without_the_list_of_operations,
    "system calls": without_lists_of_calls,
}


SEEN_BY_NVCC = [cheat for cheat in CHEATS if cheat.for_time and cheat.stopped_by == ("allowed symbols",)]
ONE_PROCESS = [cheat for cheat in CHEATS if cheat.stopped_by == ("another process",)]


# The fast and the slow tests judge the first cheat against each defence, if its verdict does not wait for a limit of
# time: the fast ones a third of these.
FIRST = {
    each: cheat.name for cheat in reversed(ANSWERS) for each in cheat.stopped_by if cheat.name != "hangs-when-traced"
}
FAST = sorted({*FIRST.values()})[::3]


def tier(cheat: Cheat) -> list[pytest.MarkDecorator]:
    if cheat.name in FAST or cheat not in ANSWERS:
        return []
    return [pytest.mark.slow if cheat.name in FIRST.values() else pytest.mark.seldom]


OF_X86 = {"code-in-data", "pasted-assembly", "unwinds-by-hand"}  # they have its instructions or its registers


def named(some: list[Cheat]) -> list:
    elsewhere = pytest.mark.skipif(platform.machine() != "x86_64", reason="attacks x86-64")
    marks = {each.name: [*tier(each), *[elsewhere] * (each.name in OF_X86)] for each in some}
    return [pytest.param(cheat, id=cheat.name, marks=marks[cheat.name]) for cheat in some]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that an answer must not be able to read."""
    path = tmp_path / "outside.cuh"
    path.write_text(OUTSIDE)
    return path


def judged(cheat: Cheat, patch: pytest.MonkeyPatch, outside: Path, confined: bool = True) -> Verdict:
    """The verdict on a cheat, found as for a class's answers; in a sandbox if `confined`."""
    found: list[Verdict] = []
    judge = jobs.judge

    def noted(*args, **keywords) -> Verdict:
        found.append(judge(*args, **keywords))
        return found[-1]

    patch.setattr(jobs, "judge", noted)
    judgement = judge_job(Job(cheat.answer(outside), cheat.question, "emulator", confined))
    assert judgement.correct == found[0].correct
    return found[0]


@pytest.mark.parametrize("cheat", named(ANSWERS))
def test_a_cheat_gets_no_mark_and_the_verdict_that_its_head_names(cheat, monkeypatch, outside):
    verdict = judged(cheat, monkeypatch, outside)
    assert not verdict.correct
    assert re.search(cheat.says, verdict.message), verdict.message
    assert {hazard.kind for hazard in verdict.hazards} == cheat.hazards
    assert [path.name for path in outside.parent.iterdir()] == ["outside.cuh"]


@pytest.mark.slow
@pytest.mark.parametrize("cheat", named([cheat for cheat in ANSWERS if set(cheat.stopped_by) <= DEFENCES.keys()]))
def test_a_cheat_wins_where_its_defences_are_off(cheat, monkeypatch, outside):
    for defence in cheat.stopped_by:
        DEFENCES[defence](monkeypatch)
    verdict = judged(cheat, monkeypatch, outside)
    assert verdict.correct, verdict.message


@pytest.mark.slow
@pytest.mark.parametrize(
    "cheat",
    named(
        [
            cheat
            for cheat in ANSWERS
            if "sandbox" in cheat.stopped_by and set(cheat.stopped_by) <= {*DEFENCES, "sandbox"}
        ]
    ),
)
def test_a_cheat_wins_or_takes_what_it_must_not_have_without_the_sandbox(cheat, monkeypatch, outside):
    for defence in set(cheat.stopped_by) - {"sandbox"}:
        DEFENCES[defence](monkeypatch)
    verdict = judged(cheat, monkeypatch, outside, confined=False)
    assert verdict.correct, verdict.message


@pytest.mark.seldom
def test_a_task_that_an_answer_can_write_to_is_overwritten(tmp_path):
    """In a copy of the course, without the sandbox, the next answer is judged by the task that the cheat wrote."""
    shutil.copytree(ROOT / "course", tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "course.cli", "judge", str(FOLDER / "overwrites-the-task.py"), "--task", "relu"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COURSE_TOOLCHAIN": "emulator"}
    for exit_code in (1, 0):
        assert subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True).returncode == exit_code


@pytest.mark.parametrize("defence", IN_A_COPY)
def test_a_defence_can_be_switched_off_in_a_copy_of_the_course(defence):
    """tests.benchmarks.defences does so, and sees that the cheats against it win."""
    name, pattern, replacement = IN_A_COPY[defence]
    assert re.subn(pattern, replacement, (ROOT / "course" / "toolchains" / name).read_text())[1] == 1


def test_a_flag_runs_a_program_where_any_flag_is_taken(outside, tmp_path, monkeypatch):
    (cheat,) = (cheat for cheat in CHEATS if cheat.name == "flag-runs-a-program")
    taken = {}
    monkeypatch.setattr("torch.utils.cpp_extension.load_inline", lambda *_, **options: taken.update(options))
    exec(cheat.answer(outside).source, {})
    (tmp_path / "unit.cpp").write_text("int unit;")
    subprocess.run(["g++", *taken["extra_cflags"], "-c", "unit.cpp"], cwd=tmp_path)  # as PyTorch's own load_inline does
    assert outside.with_suffix(".cuh.ran").exists()


@pytest.fixture(scope="module")
def naive_marks() -> set[str]:
    """The cheats that win if the student's Python shares a process with everything else."""
    command = [sys.executable, "-m", "tests.naive_grader", *(cheat.name for cheat in ONE_PROCESS)]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.seldom
@pytest.mark.parametrize("cheat", named(ONE_PROCESS))
def test_a_cheat_wins_where_it_shares_a_process_with_the_grader(cheat, naive_marks):
    assert cheat.name in naive_marks


# Times: the emulator has none, but the referee takes them in the same way


def timed(cheat: Cheat, patch: pytest.MonkeyPatch, outside: Path) -> Verdict:
    task = load_task(cheat.question.task)
    patch.setattr(timing, "TIMED_SECONDS", 1e-4)
    patch.setattr(timing, "_fits", lambda sized: dict(sized.named_sizes)["tiny"].items() <= sized.integers.items())
    judging = Judging(cheat.answer(outside), task, (), 7, "emulator")
    result, hazards, times = timing.time_answer(judging, Answer("model", ""))
    return Verdict(task.name, "emulator", "", cases=[result], hazards=hazards, timing=times)


@pytest.mark.parametrize("cheat", named([cheat for cheat in CHEATS if cheat.stopped_by == ("altered inputs",)]))
def test_a_result_that_was_kept_gains_no_time(cheat, monkeypatch, outside):
    verdict = timed(cheat, monkeypatch, outside)
    assert not verdict.correct and verdict.candidate_ms is None
    assert re.search(cheat.says, verdict.message), verdict.message

    def repeat(worker: Worker, name: str, count: int) -> None:
        task = load_task(cheat.question.task)
        worker.run(name, task, Case(dict(task.named_sizes)["tiny"]), 7)

    monkeypatch.setattr(Worker, "repeat", repeat)
    assert timed(cheat, monkeypatch, outside).candidate_ms


@pytest.mark.parametrize("cheat", named(SEEN_BY_NVCC))
def test_what_no_emulator_sees_is_seen_in_what_nvcc_built(cheat, outside, tmp_path):
    """Data that the L2 cache keeps is right even if an input has changed; and a source knows if nvcc builds it."""
    if device.nvcc() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("nvcc is not installed")
    source = Source(cuda=cheat.answer(outside).source, functions=((cheat.function, ""),))
    Nvcc("90").build(source, tmp_path)
    symbols = shim.symbols(tmp_path)
    # Without a GPU no library defines CUDA's functions; instructions are refused whatever is loaded.
    assert set(refused_symbols(symbols, ())) >= INSTRUCTIONS.intersection(symbols)
    hazards = hazards_of(ForeignSymbols(foreign_symbols(symbols)))
    assert {hazard.kind for hazard in hazards} == cheat.hazards
    assert re.search(cheat.says, " ".join(hazard.detail for hazard in hazards))


@pytest.mark.gpu
@pytest.mark.parametrize("cheat", named(SEEN_BY_NVCC))
def test_what_no_emulator_sees_earns_nothing(cheat, outside):
    verdict = referee.judge(cheat.answer(outside), cheat.question.task, toolchain="nvcc", traced=False, timed=True)
    assert not verdict.correct and verdict.candidate_ms is None
    assert re.search(cheat.says, verdict.message), verdict.message


def test_clocks_of_the_answers_process_are_not_what_times_it(monkeypatch, outside):
    (cheat,) = (cheat for cheat in CHEATS if cheat.name == "time-patched-clock")
    samples: list[float] = []
    clock = timing._clock
    monkeypatch.setattr(timing, "_clock", lambda *args: samples.append(clock(*args)) or samples[-1])
    assert timed(cheat, monkeypatch, outside).correct
    assert samples and all(seconds > 0 for seconds in samples)


# Edited notebooks, through real nbgrader: each has the right answer to one of two questions, worth a point each

EDITED = [cheat for cheat in CHEATS if cheat.edits_notebook]
NOTEBOOK = "00-first-kernel"
AS_HANDED_IN = """
c.Autograde.exporter_class = "nbconvert.exporters.NotebookExporter"
c.Autograde.sanitize_preprocessors = []
"""
CONFIGS = {  # nbgrader's settings without the defence
    "text of the answers alone": AS_HANDED_IN,
    "answers judged afresh": AS_HANDED_IN
    + 'c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades"]\n',
}


def graded(folder: Path, some: list[Cheat], config: str = "") -> Classroom:
    """A graded class in `folder`, in which each cheat is a student, with settings changed as `config` says."""
    room = of_questions(folder, NOTEBOOK, {"00-blocks", "00-clinic"})
    with (room.folder / "nbgrader_config.py").open("a") as settings:
        settings.write(config)
    for cheat in some:
        edit = runpy.run_path(str(FOLDER / f"{cheat.name}.py"))["edit"]
        room.hand_in(cheat.name, "solutions", lambda name, notebook, edit=edit: edit(notebook))
    room.nbgrader("autograde", NOTEBOOK)
    return room


@pytest.mark.slow
def test_a_notebook_that_was_edited_gains_nothing_and_its_feedback_says_why(tmp_path):
    room = graded(tmp_path / "course", EDITED)
    marks = {student: score for (student, _), (score, _) in room.marks().items()}
    assert marks == {cheat.name: 1 for cheat in EDITED}
    room.nbgrader("generate_feedback", NOTEBOOK)
    for cheat in EDITED:
        feedback = room.folder / "grading" / "feedback" / cheat.name / NOTEBOOK / f"{NOTEBOOK}.html"
        assert re.search(cheat.says, feedback.read_text()), cheat.name


@pytest.mark.seldom
@pytest.mark.parametrize("defence", CONFIGS)
def test_a_notebook_that_was_edited_wins_where_the_defence_is_off(defence, tmp_path):
    some = [cheat for cheat in EDITED if cheat.stopped_by == (defence,)]
    marks = graded(tmp_path / "course", some, CONFIGS[defence]).marks()
    assert len(marks) == len(some) and all(score > 1 for score, _ in marks.values()), marks


# The files themselves

ELSEWHERE = {"another process", "altered inputs", "sandbox", "read-only course", "flags"}  # switched off in tests above
NOT_SWITCHED_OFF = {"unbuffered printf"}  # a copy has no sandbox, and a worker's stdout has a buffer only there


def test_there_are_more_than_forty_cheats_and_each_defence_that_they_name_is_known():
    assert len(CHEATS) >= 40
    assert {defence for cheat in CHEATS for defence in cheat.stopped_by} == {
        *DEFENCES,
        *CONFIGS,
        *IN_A_COPY,
        *ELSEWHERE,
        *NOT_SWITCHED_OFF,
    }


def test_the_threat_model_lists_each_defence_with_its_files_and_the_cheats_that_it_stops():
    text = (ROOT / "course" / "toolchains" / "guard" / "README.md").read_text()
    table = text.partition("## Defences")[2].partition("\n## ")[0]
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    listed = {(name, cheat) for name, _, _, cheats, _ in rows[2:] for cheat in cheats.split(", ")}
    assert listed == {(defence, cheat.name) for cheat in CHEATS for defence in cheat.stopped_by}
    assert len(rows[2:]) == len({row[0] for row in rows[2:]})
    files = {path for row in rows[2:] for path in re.findall(r"`([^`]+)`", row[2])}
    assert files and all((ROOT / path).is_file() for path in files)


def test_a_file_whose_head_is_not_of_the_form_is_refused(tmp_path, monkeypatch):
    (tmp_path / "headless.cu").write_text("// A cheat.\n// question: 00-add-check\n// says: nothing\n")
    monkeypatch.setattr("tests.cheats.FOLDER", tmp_path)
    with pytest.raises(ValueError, match="must have the lines question, says and stopped by"):
        cheats()
