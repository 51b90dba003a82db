"""Jobs as data, and the store from which an interrupted grading continues."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

from autograder.judging import jobs, sources
from autograder.judging.jobs import (
    JUDGE_FAILED,
    NOT_JUDGED,
    Job,
    Judgement,
    Question,
    Store,
    judge_job,
    judge_jobs,
    judge_late_alone,
    timed_out,
)
from autograder.judging.processes import Processes
from course import tasks
from course.build import usable_toolchain
from course.errors import CourseError, Hazard
from course.referee.verdict import Verdict
from course.worker.protocol import Answer

ADD = """
__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    if (A.numel() == 0) return C;
    add_kernel<<<(A.numel() + 255) / 256, 256>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
"""
VISIBLE, HIDDEN = Question("add-check", "vector_add", "visible"), Question("add-hidden", "vector_add", "hidden")
JOB = Job(Answer("cuda", ADD, "add"), VISIBLE, "emulator", sandbox=False)
FOUND = Judgement(False, "<p>no</p>", ("crash",), ("crashed",), {"cases": []})


def test_a_job_survives_json():
    assert Job.from_json(json.loads(json.dumps(asdict(JOB)))) == JOB


def test_all_that_decides_a_judgement_decides_the_key(monkeypatch):
    others = [
        replace(JOB, answer=replace(JOB.answer, source=ADD + " ")),
        replace(JOB, answer=replace(JOB.answer, function="sub")),
        replace(JOB, question=HIDDEN),
        replace(JOB, question=replace(HIDDEN, cases="visible")),
        replace(JOB, toolchain="traced"),
        replace(JOB, sandbox=True),
        replace(JOB, version="another g++"),
    ]
    assert replace(JOB, version=usable_toolchain("emulator").version()).key == JOB.key
    assert len({job.key for job in [JOB, replace(JOB), *others]}) == 1 + len(others)
    monkeypatch.setattr(jobs, "fingerprint", lambda *_: "another course")
    assert replace(JOB).key != JOB.key


def test_a_question_depends_on_the_hidden_cases_that_its_own_import(tmp_path, monkeypatch):
    shutil.copytree(sources.ROOT / "autograder" / "hidden", tmp_path / "autograder" / "hidden")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    text = (tmp_path / "autograder/hidden/softmax_two_loops.py").read_text()
    before = sources.text_and_imports(text)
    edit(tmp_path, "autograder/hidden/softmax.py", "CASES", "ADDED = 1\nCASES")
    sources.text_and_imports.cache_clear()
    assert sources.text_and_imports(text) != before


def edit(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text, file
    (folder / file).write_text(text.replace(old, new, 1))


def test_a_job_is_judged_again_after_an_edit_of_what_judges_it_and_after_no_other(tmp_path, monkeypatch):
    for part in ("course", "autograder"):
        shutil.copytree(sources.ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    with monkeypatch.context() as copied:
        copied.setattr(sources, "ROOT", tmp_path)
        copied.setattr(jobs, "HIDDEN", tmp_path / "autograder" / "hidden")
        copied.setattr(tasks, "_files", lambda: {"vector_add": tmp_path / "course/tasks/vector_add.py"})

        def key() -> str:
            for cached in (sources.judge_sources, sources.text_and_imports):
                cached.cache_clear()
            return replace(JOB, question=HIDDEN).key

        before, code = key(), "import time\n"
        edit(tmp_path, "course/notebook/plots.py", "import io\n", "import io\nADDED = 1\n")
        edit(tmp_path, "course/notebook/magics.py", code, f"{code}ADDED = 1\n")
        edit(tmp_path, "course/tasks/relu.py", "N = 393216", "N = 1024")
        edit(tmp_path, "autograder/hidden/relu.py", "CASES", "ADDED = 1\nCASES")
        edit(tmp_path, "autograder/report.py", "BINS = 10", "BINS = 12")
        assert key() == before
        for file, old, new in (
            ("course/referee/values.py", "SAMPLES, SAMPLE_BYTES = 6", "SAMPLES, SAMPLE_BYTES = 7"),
            ("course/worker/inside/fork_server.py", code, f"{code}ADDED = 1\n"),
            ("course/toolchains/emulator/runtime/races.cpp", "\n", "\n\n"),
            ("course/toolchains/shim/include/torch/extension.h", "\n", "\n\n"),
            ("course/tasks/vector_add.py", "N = 1 << 26", "N = 1 << 25"),
            ("course/templates/macros.html", "\n", "\n\n"),
            ("autograder/hidden/vector_add.py", "CASES", "ADDED = 1\nCASES"),
        ):
            edit(tmp_path, file, old, new)
            before, old_key = key(), before
            assert before != old_key, file
    key()  # that of this course again, for later tests


@pytest.mark.slow
def test_no_module_judges_without_being_in_the_key():
    """Some modules are run or imported by a name in a text, which only a process that has judged can show."""
    code = (
        "import sys\nfrom autograder.judging.jobs import *\nfrom course.worker.protocol import Answer\n"
        "job = Job(Answer('python', 'def f(A, B): return A', 'f'), Question('q', 'vector_add', 'hidden'),"
        " 'emulator', False)\n"
        "judge_job(job)\n"
        "print(*(name for name in sys.modules if name.startswith(('course.', 'autograder.'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    known = {".".join(path.relative_to(sources.ROOT).with_suffix("").parts) for path in sources.judge_files()}
    beyond = {name for name in done.stdout.split() if not (sources.ROOT / name.replace(".", "/")).is_dir()} - known
    assert {name.rpartition(".")[0] for name in beyond} <= {"course.tasks", "autograder.hidden"}


def test_a_judgement_says_which_cases_it_is_of():
    visible, hidden = judge_job(JOB), judge_job(replace(JOB, question=HIDDEN))
    assert visible.correct and hidden.correct
    assert "10 of 10 hidden" not in visible.reason and "hidden cases passed" in hidden.reason
    wrong = judge_job(replace(JOB, answer=replace(JOB.answer, source=ADD.replace("+ B[i]", "- B[i]"))))
    assert not wrong.correct and wrong.mistakes == ("wrong result",) and wrong.verdict["cases"]


@pytest.mark.usefixtures("bubblewrap")
def test_an_answer_is_judged_in_a_sandbox_unless_it_is_told_otherwise():
    source = f"import os\ndef add(A, B):\n    return A + B if os.path.exists({str(jobs.HIDDEN)!r}) else B"
    job = Job(Answer("python", source, "add"), Question("check", "vector_add", "visible"), "emulator")
    assert not judge_job(job).correct
    assert judge_job(replace(job, sandbox=False)).correct


@pytest.mark.parametrize(
    ("statement", "flag", "kind"),
    [("abort();", "crashed", "crash"), ("while (true);", "timed out", "timeout")],
)
def test_the_instructor_is_told_of_crashes_and_time_outs(statement, flag, kind, monkeypatch):
    monkeypatch.setattr("course.referee.trial.CALL_SECONDS", 3.0)
    source = ADD.replace("auto C", f"{statement} auto C")
    judgement = judge_job(replace(JOB, answer=Answer("cuda", source, "add")))
    assert judgement.flags == (flag,) and kind in judgement.mistakes and not judgement.correct


LATE = Judgement(False, "", ("timeout",), ("timed out",))


def of_text(text: str) -> Job:
    return replace(JOB, answer=replace(JOB.answer, source=text))


def test_an_answer_that_times_out_is_judged_again_alone(monkeypatch):
    begun, together = [], threading.Barrier(5)

    def judge_job(job: Job) -> dict[str, Judgement]:
        begun.append(job)
        alone = begun.count(job) > 1
        if not alone:
            together.wait(60)
        return LATE if job.answer.source == "endless" or (job.answer.source == "slow" and not alone) else FOUND

    monkeypatch.setattr(jobs, "judge_job", judge_job)
    many = [of_text(text) for text in ("slow", "endless", "a", "b", "c")]
    found = dict(judge_late_alone(partial(judge_jobs, workers=5), many))
    assert {job.answer.source for job, judgement in found.items() if timed_out(judgement)} == {"endless"}
    assert [job.answer.source for job in begun[5:]] in (["slow", "endless"], ["endless", "slow"])


@pytest.mark.parametrize("own", ["endless", "solution"])
def test_only_the_instructors_own_solution_stops_the_judging_by_a_timeout(own):
    solution, judged = of_text("solution"), []

    def judge_all(some):
        for job in some:
            judged.append(job.answer.source)
            in_time = {"right", "solution"} if own == "endless" else {"right"}
            yield job, FOUND if job.answer.source in in_time else LATE

    found = judge_late_alone(judge_all, map(of_text, ("right", "one", "two")), lambda: {JOB.question: solution})
    if own == "solution":
        assert timed_out(FOUND) is False and next(found)[0] == of_text("right")
        with pytest.raises(CourseError, match="The instructor's own solution of add-check timed out too"):
            next(found)
    else:
        assert [timed_out(judgement) for _, judgement in found] == [False, True, True]
        assert judged == ["right", "one", "two", "one", "solution", "two"]


def test_hidden_cases_are_judged_after_all_visible_ones_and_an_interruption_costs_little(tmp_path: Path):
    begun: list[tuple[str, str]] = []
    many = [replace(of_text(text), question=question) for text in ("a", "b") for question in (VISIBLE, HIDDEN)]

    def judge_all(some, broken: str = ""):
        for job in some:
            begun.append((job.answer.source, job.question.cases))
            if job.answer.source == broken and job.question == HIDDEN:
                raise CourseError("the power is cut")
            yield job, FOUND

    store = Store(tmp_path)
    with pytest.raises(CourseError, match="the power is cut"):
        store.judged(many, partial(judge_all, broken="b"))
    assert begun == [(text, cases) for cases in ("visible", "hidden") for text in ("a", "b")]
    begun.clear()
    assert Store(tmp_path).judged(many, judge_all) == dict.fromkeys(many, FOUND)
    assert begun == [("b", "hidden")] and store.missing(many) == []


def test_what_an_answer_prints_in_hidden_cases_is_not_shown():
    source = ADD.replace("{\n    auto", '{\n    printf("it saw %d\\n", int(A.numel()));\n    auto')
    job = of_text(source.replace("C[i] = A", "C[i] = 2 * A"))
    assert "it saw" in judge_job(job).reason and "it saw" not in judge_job(replace(job, question=HIDDEN)).reason


def test_a_probe_that_times_out_stops_no_class(monkeypatch):
    def judge(answer, *arguments, **options):
        if answer.source == ADD:
            raise RuntimeError("the judge fails")
        return Verdict("vector_add", "emulator", "CPU", problem="late", hazards=[Hazard("timeout", "late")])

    monkeypatch.setattr(jobs, "judge", judge)
    assert judge_job(JOB).flags == (JUDGE_FAILED,)


def test_what_the_emulator_cannot_run_is_marked_by_hand(tmp_path: Path):
    job = replace(JOB, answer=Answer("cuda", ADD.replace("int i =", "tex2D<float>(0, 0, 0); int i ="), "add"))
    visible, hidden = judge_job(job), judge_job(replace(job, question=HIDDEN))
    assert {(each.correct, each.flags) for each in (visible, hidden)} == {(False, (NOT_JUDGED,))}
    assert "the emulator has no textures" in visible.reason and "textures" not in hidden.reason
    store = Store(tmp_path)
    store.keep(job, visible)
    assert store.find(job) == visible


def test_a_kept_judgement_is_found_again_and_a_dropped_one_is_not(tmp_path: Path):
    store = Store(tmp_path / "judgements")
    assert store.find(JOB) is None
    store.keep(JOB, FOUND)
    assert Store(store.folder).find(JOB) == FOUND
    assert store.find(replace(JOB, sandbox=True)) is None
    assert [path.suffix for path in store.folder.iterdir()] == [".json"]
    store.drop(JOB)
    store.drop(JOB)
    assert store.find(JOB) is None


@pytest.mark.parametrize(
    "text", ["", '{"job": 1, "judge', "[]", '{"judgement": {}}', '{"judgements": {}}', '{"judgement": 1}']
)
def test_a_file_that_is_not_whole_is_none(tmp_path: Path, text: str):
    store = Store(tmp_path)
    store.keep(JOB, FOUND)
    (path,) = tmp_path.iterdir()
    path.write_text(text)
    assert store.find(JOB) is None and store.newest() == {}


def test_the_newest_judgement_of_an_answer_is_found_whichever_machine_made_it(tmp_path: Path, monkeypatch):
    store, asked = Store(tmp_path), (JOB.answer, JOB.question)
    for seconds, version in [(2, "of a cluster"), (1, "another g++")]:
        other = replace(JOB, toolchain="nvcc", version=version)
        store.keep(other, replace(FOUND, share=seconds / 2))
        os.utime(tmp_path / f"{other.key}.json", (seconds, seconds))
    assert store.newest() == {asked: FOUND}
    monkeypatch.setattr(jobs, "fingerprint", lambda *_: "another course")
    assert store.newest() == {asked: FOUND}


def test_what_the_judge_failed_on_is_not_kept(tmp_path: Path):
    store = Store(tmp_path)
    store.keep(JOB, Judgement(False, "", flags=(JUDGE_FAILED,)))
    assert store.find(JOB) is None


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path):
    (tmp_path / "judgements").write_text("a file where the folder should be")
    with pytest.raises(CourseError, match="cannot be written"):
        Store(tmp_path / "judgements").keep(JOB, FOUND)


def test_judging_stops_where_the_machine_is_at_fault(monkeypatch):
    begun = []

    def judge_job(job: Job) -> Judgement:
        begun.append(job)
        raise CourseError("no compiler")

    monkeypatch.setattr(jobs, "judge_job", judge_job)
    many = [replace(JOB, answer=replace(JOB.answer, source=f"{i}")) for i in range(50)]
    with pytest.raises(CourseError, match="no compiler"):
        list(judge_jobs(many, 1))
    assert len(begun) < len(many)


def ended(path: str) -> int:
    """End the process that calls this for the first time, as the system does for want of memory."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def test_a_lost_process_costs_no_call_and_affects_no_other(tmp_path: Path):
    with Processes(2) as pool:
        calls = [pool.submit(ended, str(tmp_path / name)) for name in ("one", "two", "one")]
        assert os.getpid() not in {call.result() for call in calls}
        with pytest.raises(BrokenProcessPool):
            pool.submit(killed).result()


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
