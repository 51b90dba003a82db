"""Judging on a Dask cluster of real processes: the same judgements, whatever happens to the workers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.cli import main
from autograder.judging import cluster
from autograder.judging.cluster import Cluster
from autograder.judging.jobs import JUDGE_FAILED, Job, Question, judge_job
from course.errors import CourseError
from course.worker.protocol import Answer
from tests.classes import of_questions
from tests.machines import Machines

ASSIGNMENT = "00-first-kernel"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")]  # nbgrader's own
distributed = pytest.importorskip("distributed", reason="no Dask here: pip install distributed")


def job(source: str, name: str = "check", task: str = "first_kernel_blocks", function: str = "blocks") -> Job:
    return Job(Answer("python", source, function), Question(name, task, "visible"), "emulator", sandbox=False)


def slow_job(seconds: float, result: str = "A + B") -> Job:
    """A job that takes that long, and whose answer returns `result`."""
    source = f"import time\ntime.sleep({seconds})\ndef add(A, B):\n    return {result}"
    return job(source, task="vector_add", function="add")


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """A scheduler without workers."""
    there = Machines(tmp_path)
    yield there
    there.stop()


def kill_when_busy(machines: Machines, name: str, worker: subprocess.Popen) -> None:
    """Kill a worker as soon as it has a job."""
    with distributed.Client(machines.address, set_as_default=False) as client:
        workers = client.sync(client.scheduler.identity)["workers"]
        (address,) = [address for address, each in workers.items() if each["name"] == name]
        end = time.monotonic() + 120
        while not client.processing()[address]:
            assert time.monotonic() < end, f"{name} was given no job"
            time.sleep(0.05)
    worker.kill()


def test_a_cluster_judges_the_same_and_a_worker_killed_in_the_middle_costs_nothing(machines: Machines) -> None:
    doomed, _ = machines.worker("doomed"), machines.worker("other")
    work = [slow_job(0.5, result) for result in ("A + B", "None", "1", "A[1:]")]
    expected = {each: judge_job(each) for each in work}
    with ThreadPoolExecutor() as pool:
        killed = pool.submit(kill_when_busy, machines, "doomed", doomed)
        with Cluster(machines.address) as cluster:
            found = dict(cluster.judge(work))
        killed.result()
    assert found == expected and [each.correct for each in expected.values()] == [True, False, False, False]


def test_a_job_that_ends_every_worker_it_gets_is_flagged_and_the_others_are_judged(machines: Machines) -> None:
    machines.worker("first"), machines.worker("second"), machines.worker("third")
    # A student's process is the child of the worker server, which is the child of the cluster's worker.
    kill = "import os\nstat = open(f'/proc/{os.getppid()}/stat').read()\nos.kill(int(stat.split()[3]), 9)"
    killer, honest = job(kill, task="vector_add", function="add"), job("blocks = 3907")
    with Cluster(machines.address) as cluster:
        found = dict(cluster.judge([killer, honest]))
    assert found[killer].flags == (JUDGE_FAILED,) and "lost 2 times" in found[killer].reason
    assert found[honest].correct


def test_without_any_worker_it_waits_for_a_while_and_says_so(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    slow = slow_job(1)
    only = machines.worker("only")
    with ThreadPoolExecutor() as pool, Cluster(machines.address) as there:
        killed = pool.submit(kill_when_busy, machines, "only", only)
        judging = pool.submit(lambda: dict(there.judge([job("blocks = 3907"), slow])))
        killed.result()
        while "waiting up to 5 min for other workers" not in capsys.readouterr().out:
            assert not judging.done()
            time.sleep(0.1)
        second = machines.worker("second")
        assert all(each.correct for each in judging.result().values())
        monkeypatch.setattr(cluster, "WAIT_SECONDS", 1)
        killed = pool.submit(kill_when_busy, machines, "second", second)
        with pytest.raises(
            CourseError, match=r"lost all its workers, or .*\. The judgements so far are stored: start other workers"
        ):
            list(there.judge([slow]))


def test_workers_that_dask_has_paused_are_said_to_be_and_others_take_their_jobs(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pause(dask_worker: distributed.Worker) -> None:
        """What Dask does to a worker that runs out of memory."""
        dask_worker.status = distributed.core.Status.paused

    machines.worker("paused")
    with Cluster(machines.address) as there, distributed.Client(machines.address, set_as_default=False) as client:
        client.run(pause)
        monkeypatch.setattr(cluster, "WAIT_SECONDS", 1)
        with pytest.raises(CourseError, match=r"Dask has paused them\. .* start other workers with --memory-limit 0"):
            list(there.judge([job("blocks = 3907")]))
        machines.worker("other")
        assert dict(there.judge([job("blocks = 3907")])).popitem()[1].correct


def test_what_no_answer_can_help_stops_the_grading_with_one_sentence(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def problem(address: str) -> str:
        with pytest.raises(CourseError) as caught, Cluster(address):
            pass
        return str(caught.value)

    with monkeypatch.context() as impatient:
        impatient.setattr(cluster, "ANSWER_SECONDS", 3)
        assert problem("tcp://127.0.0.1:1").startswith("No Dask scheduler answers at tcp://127.0.0.1:1")
        assert problem("no address at all").startswith("No Dask scheduler answers at no address at all")
    assert "has no workers: start workers with `dask worker" in problem(machines.address)
    machines.worker("only")
    with monkeypatch.context() as changed:
        changed.setattr(cluster, "fingerprint", lambda *_: "that of other sources")
        assert "has a different version of the course" in problem(machines.address)
    with Cluster(machines.address) as there:
        with pytest.raises(CourseError, match=r"A worker of the cluster .* cannot judge: The toolchain 'nvcc' cannot"):
            list(there.judge([replace(job("blocks = 3907"), toolchain="nvcc")]))
        with pytest.raises(CourseError, match="cannot judge: A job came from a machine with different compilers"):
            list(there.judge([replace(job("blocks = 3907"), version="g++ 99")]))
        judging = there.judge([job("blocks = 3907"), slow_job(5)])
        next(judging)
        machines.stop()
        with pytest.raises(CourseError, match=r"scheduler does not answer any more\. The judgements so far are stored"):
            next(judging)


def test_workers_with_a_gpu_judge_and_no_others(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no GPU is visible, workers that are said to have one cannot judge, and no others judge in their place."""
    machines.worker("cpu", CUDA_VISIBLE_DEVICES="")
    with monkeypatch.context() as changed:
        changed.setenv("COURSE_TOOLCHAIN", "nvcc")
        with pytest.raises(CourseError, match=r"The worker .* cannot judge: .*there is no CUDA GPU"):
            Cluster(machines.address).__enter__()
    machines.worker("gpu", "--resources", "GPU=1", CUDA_VISIBLE_DEVICES="")
    with pytest.raises(CourseError, match=r"The worker .* cannot judge: .*there is no CUDA GPU"):
        Cluster(machines.address).__enter__()


@pytest.fixture
def cluster_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, dict]], Cluster]:
    """A cluster whose workers reply with what they are given here; workers with a `gpu` have the resource."""

    def of(workers: dict[str, dict]) -> Cluster:
        there = Cluster("tcp://nowhere")
        resources = {name: {"resources": {"GPU": 1} if each.get("gpu") else {}} for name, each in workers.items()}
        monkeypatch.setattr(there, "_workers", lambda: resources)
        monkeypatch.setattr(there, "_toolchain_replies", lambda name, names: {name: workers[name] for name in names})
        return there

    return of


ON_GPU = {"version": "nvcc 13 sm_90", "architecture": "90", "gpu": "one"}


def test_workers_have_a_gpu_each(cluster_of: Callable) -> None:
    cluster_of({"first": ON_GPU, "second": ON_GPU | {"gpu": "another"}})._look()
    with pytest.raises(CourseError, match="share a GPU, and their times would be wrong: start each worker with"):
        cluster_of({"first": ON_GPU, "second": ON_GPU})._look()


def test_the_command_gives_the_same_marks_with_a_cluster_and_leaves_nothing_where_there_is_none(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    room = of_questions(tmp_path / "class", ASSIGNMENT, {"00-blocks"})
    monkeypatch.chdir(room.folder)
    room.hand_in("right", "solutions")
    room.hand_in("wrong", "notebooks")
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    with monkeypatch.context() as impatient:
        impatient.setattr(cluster, "ANSWER_SECONDS", 3)
        assert main(["grade", "--no-sandbox", "--cluster", "tcp://127.0.0.1:1", ASSIGNMENT]) == 2
    *_, error = capsys.readouterr().err.splitlines()
    assert error.startswith("No Dask scheduler answers at tcp://127.0.0.1:1")
    assert not list(room.folder.glob("grading/autograded*")) and not list(room.folder.glob("grading/judgements*"))
    machines.worker("only")
    assert main(["grade", "--no-sandbox", "--cluster", machines.address, ASSIGNMENT]) == 0
    assert "Answers to judge: 2" in capsys.readouterr().out
    marks = room.marks()
    assert marks == {("right", ASSIGNMENT): (1, 1), ("wrong", ASSIGNMENT): (0, 1)}
    assert main(["grade", "--no-sandbox", ASSIGNMENT]) == 0  # this machine has the same toolchain: nothing to judge
    assert "Answers to judge: 0" in capsys.readouterr().out and room.marks() == marks


@pytest.mark.parametrize("killed", [True, pytest.param(False, marks=pytest.mark.seldom)])
def test_local_needs_one_command_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    room = of_questions(tmp_path / "class", ASSIGNMENT, {"00-blocks"})
    room.hand_in("right", "solutions")
    room.hand_in("wrong", "notebooks")
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    command = [sys.executable, "-m", "autograder.cli", "grade", "--no-sandbox", "--cluster", "local", ASSIGNMENT]
    with (tmp_path / "told").open("w") as told:
        process = subprocess.Popen(command, cwd=room.folder, start_new_session=True, stdout=told, stderr=told)
    while killed and not list(room.folder.glob("grading/judgements/*.json")):
        assert process.poll() is None, (tmp_path / "told").read_text()
        time.sleep(0.01)
    if killed:
        process.kill()
    assert process.wait(300) == (-signal.SIGKILL if killed else 0)
    end = time.monotonic() + 60
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.killpg(process.pid, 0)  # raises when no worker is left
            assert time.monotonic() < end, "workers are left"
            time.sleep(0.1)
    if not killed:
        assert room.marks() == {("right", ASSIGNMENT): (1, 1), ("wrong", ASSIGNMENT): (0, 1)}
