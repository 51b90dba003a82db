"""Judges on a Dask cluster. Jobs are sent to its workers and judgements are sent back, both as JSON text.

A Dask worker is an instructor's process that runs no student's code. If some workers have the resource `GPU`, only
these workers judge, each one job at a time, since two timings must not share a GPU.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import queue
import time
from collections.abc import Iterable
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch

from autograder.judging.jobs import Job, Judged, Judgement, fingerprint, judge_job, lost
from course.build import default_toolchain, usable_toolchain
from course.device import EMULATED, gpu
from course.errors import CourseError

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

LOCAL = "local"  # the address that stands for a cluster on this machine
ANSWER_SECONDS = 15  # the time limit for a cluster's answer
WAIT_SECONDS = 300  # how long to wait for a worker to join after the last worker was lost or paused
_GONE = (
    "The cluster's scheduler does not answer any more. The judgements so far are stored: restart the scheduler and its "
    "workers, and grade again."
)


class Cluster:
    """The cluster whose scheduler is at `address`, connected while this context manager is open.

    For LOCAL, the cluster is started on this machine, with a worker per core or one for its GPU, and ended with it.
    `toolchain` is the name and the version of the toolchain that its workers judge with. Raises CourseError if no
    scheduler answers, if there are no workers, or if the workers cannot judge or would judge differently.
    """

    def __init__(self, address: str):
        self.address = address

    def __enter__(self) -> Cluster:
        with contextlib.ExitStack() as opened:
            if self.address == LOCAL:
                self.address = opened.enter_context(_started()).scheduler_address
            self._client = opened.enter_context(_connected(self.address))
            self._look()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._opened.close()

    def judge(self, jobs: Iterable[Job]) -> Judged:
        """Judge `jobs`; yields each job with its judgement as soon as it is judged.

        A job whose worker is lost is sent to another worker. If a job loses more workers than Dask allows, its answer
        is flagged, and judged again the next time. Raises CourseError if the scheduler does not answer any more, if all
        workers were lost or paused and no worker joins, or if a worker cannot judge.
        """
        waiting = iter(jobs)
        running: dict[Future, Job] = {}
        done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        lost = 0.0  # the time since which no worker has taken jobs
        while True:
            slots = self._slots()
            lost = self._waited_for(lost) if not slots else 0.0
            # Submit only as many jobs as can run at once, since Dask blames the loss of a worker on all jobs that wait
            # for this worker. If there is no worker, submit one job, which waits for a worker to join.
            for job in itertools.islice(waiting, max(0, max(1, slots) - len(running))):
                future = self._submit(job)
                running[future] = job
                future.add_done_callback(done.put)
            if not running:
                return
            with contextlib.suppress(queue.Empty):  # checks workers and scheduler every second
                future = done.get(timeout=1)
                yield running.pop(future), self._judgement(future)

    def _submit(self, job: Job) -> Future:
        """Let a worker judge `job`."""
        from distributed.client import ClosedClientError

        arguments = json.dumps(asdict(job)), fingerprint(job.question)
        try:
            return self._client.submit(judge_text, *arguments, resources=self._needs, pure=False)
        except ClosedClientError:
            raise CourseError(_GONE) from None

    def _workers(self) -> dict[str, dict]:
        """All workers of the cluster, by their addresses. Raises CourseError if the scheduler does not answer."""
        if self._client.status == "closed":
            raise CourseError(_GONE)
        try:  # not `scheduler_info`, whose stored copy may lack the workers
            return self._client.sync(self._client.scheduler.identity)["workers"]
        except OSError:
            raise CourseError(_GONE) from None

    def _slots(self) -> int:
        """How many jobs can be judged at once. If the cluster has workers with a GPU, only their GPUs count.

        Only running workers take jobs. Dask pauses a worker that runs out of memory.
        """
        workers = [each for each in self._workers().values() if each["status"] == "running"]
        if self._needs:
            return sum(int(worker["resources"].get("GPU", 0)) for worker in workers)
        return sum(worker["nthreads"] for worker in workers)

    def _waited_for(self, lost: float) -> float:
        """When the wait for workers began: `lost`, or now if `lost` is 0. Raises CourseError after WAIT_SECONDS."""
        if not lost:
            print(
                "\nThe cluster has lost its workers, or Dask has paused them because they ran out of memory: waiting "
                f"up to {WAIT_SECONDS / 60:g} min for other workers.",
                flush=True,
            )
            return time.monotonic()
        if time.monotonic() - lost > WAIT_SECONDS:
            raise CourseError(
                f"The cluster at {self.address} has lost all its workers, or Dask has paused them. The judgements so "
                "far are stored: start other workers with --memory-limit 0, and grade again."
            )
        return lost

    def _look(self) -> None:
        """Find out which of the cluster's workers judge, and with which toolchain."""
        workers = self._workers()
        if not workers:
            raise CourseError(
                f"The cluster at {self.address} has no workers: start workers with `dask worker {self.address} "
                "--memory-limit 0`."
            )
        with_gpu = [address for address, worker in workers.items() if worker["resources"].get("GPU")]
        self._needs = {"GPU": 1} if with_gpu else None
        name = os.environ.get("COURSE_TOOLCHAIN") or ("nvcc" if with_gpu else "emulator")
        replies = self._toolchain_replies(name, with_gpu or list(workers))
        for address, reply in replies.items():
            if "problem" in reply:
                raise CourseError(f"The worker {address} cannot judge: {reply['problem']}")
        gpus = [reply["gpu"] for reply in replies.values() if reply["gpu"]]
        if with_gpu and len(set(gpus)) < len(gpus):
            raise CourseError(
                f"Workers of the cluster at {self.address} share a GPU, and their times would be wrong: start each "
                "worker with a different CUDA_VISIBLE_DEVICES."
            )
        versions = {reply["version"] for reply in replies.values()}
        if len(versions) > 1:
            raise CourseError(
                f"The workers of the cluster at {self.address} could judge the same answer differently. Their "
                f"compilers, their GPUs or their versions of PyTorch differ: {'; '.join(sorted(versions))}."
            )
        self.toolchain = name, versions.pop()

    def _toolchain_replies(self, name: str, workers: list[str]) -> dict[str, dict[str, str]]:
        """The reply of each of `workers` to a question about its toolchain `name`: see `toolchain_text`."""
        try:
            texts = self._client.run(toolchain_text, name, workers=workers)
        except Exception as error:
            reason = _first_line(error)
            raise CourseError(f"The workers of the cluster at {self.address} lack the autograder: {reason}.") from error
        replies = {address: json.loads(text) for address, text in texts.items()}
        for address, reply in replies.items():
            if reply["course"] != fingerprint():
                raise CourseError(
                    f"The worker {address} has a different version of the course: install this machine's version there."
                )
        return replies

    def _judgement(self, future: Future) -> Judgement:
        """The result of a job, with every field checked."""
        from distributed import CancelledError, KilledWorker

        try:
            reply = json.loads(future.result())
            if "problem" not in reply:
                return Judgement.from_json(reply)
        except KilledWorker as error:
            return lost(error.allowed_failures + 1)
        except (CancelledError, OSError):
            raise CourseError(_GONE) from None
        except (KeyError, TypeError, ValueError):
            reply = {"problem": "its reply is not a judgement."}
        raise CourseError(f"A worker of the cluster at {self.address} cannot judge: {reply['problem']}")


def toolchain_text(name: str) -> str:
    """On a worker, as JSON: its version of the course, the version of its toolchain or the problem with it, its GPU."""
    reply = {"course": fingerprint()}
    try:
        reply["version"] = usable_toolchain(name).version()
    except CourseError as error:
        return json.dumps({**reply, "problem": str(error)})
    uuid = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid) if gpu() else None
    return json.dumps({**reply, "gpu": uuid})


def judge_text(text: str, course: str) -> str:
    """On a worker: judge a job. `course` is the fingerprint of the course that the job came from.

    If the machine cannot judge, the reply says why, and no error is raised.
    """
    try:
        job = Job.from_json(json.loads(text))
        if course != fingerprint(job.question):
            raise CourseError("it joined with a different version of the course.")
        return json.dumps(asdict(judge_job(job)))
    except (CourseError, OSError) as error:
        return json.dumps({"problem": str(error)})


def _started() -> LocalCluster:
    """A cluster on this machine. Dask starts a worker anew that is lost, and a worker ends when this process does."""
    _require_dask()
    from distributed import LocalCluster

    emulated = default_toolchain() in EMULATED
    return LocalCluster(
        n_workers=len(os.sched_getaffinity(0)) if emulated else 1,
        threads_per_worker=1,
        memory_limit=0,
        resources={} if emulated else {"GPU": 1},
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )


def _require_dask() -> None:
    if find_spec("distributed") is None:
        raise CourseError("A cluster needs Dask: pip install 'cuda-kernels-course[cluster]'.")


def _connected(address: str) -> Client:
    _require_dask()
    import dask
    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the messages of this module are enough
    dask.config.set({"distributed.comm.timeouts.connect": ANSWER_SECONDS})
    try:
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(
            f"No Dask scheduler answers at {address} ({_first_line(error)}): start one with `dask scheduler`, and pass "
            "the address that it prints."
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
