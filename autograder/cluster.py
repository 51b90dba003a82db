"""The same judging on a Dask cluster: jobs go to its workers and judgements come back, both as JSON text.

A worker is an instructor's process, in which no student's code runs; what it sends is checked all the same. Where
workers have the resource `GPU`, those judge, one job at a time on each, so that timings never share one.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import queue
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from autograder.jobs import Job, Judgement, fingerprint, judge_job, paragraph
from course.build import usable_toolchain
from course.toolchains.base import CourseError

if TYPE_CHECKING:
    from distributed import Client, Future

ANSWER_SECONDS = 15  # that a cluster has to answer
WAIT_SECONDS = 300  # for a worker to join, once the last one is lost
LOST = "lost its workers"  # the flag of a job whose workers were lost one after the other
_GONE = "The cluster's scheduler is gone; what was judged is kept: start it and its workers, and grade again to go on."


class Cluster:
    """The cluster whose scheduler is at `address`, while its context lasts.

    `toolchain` is the name and the version of the one that its workers judge with. Raises CourseError where nothing
    answers, where there are no workers, and where they cannot judge or would not judge alike.
    """

    def __init__(self, address: str):
        self.address = address

    def __enter__(self) -> Cluster:
        self._client = _connected(self.address)
        try:
            self.toolchain = self._toolchain()
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.close()

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Judgement]]]:
        """Judge `jobs`; yields each with its judgements as soon as it is done.

        A job whose worker is lost goes to another; one that loses as many as Dask allows is wrong, and flagged. Raises
        CourseError where the scheduler is gone, where all workers are and none joins, and where a worker cannot judge.
        """
        from distributed.client import ClosedClientError

        waiting = iter(jobs)
        running: dict[Future, Job] = {}
        done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        lost = 0.0  # since when there are no workers
        while True:
            slots = self._slots()
            lost = self._waited_for(lost) if not slots else 0.0
            # No more than can run at once: a job that ends its worker is held against all that wait for the same one.
            # Where there is none for the moment, one waits for a worker.
            for job in itertools.islice(waiting, max(0, max(1, slots) - len(running))):
                text, needs = json.dumps(job.to_json()), {"GPU": 1} if self.toolchain[0] == "nvcc" else None
                try:
                    future = self._client.submit(judge_text, text, fingerprint(), resources=needs, pure=False)
                except ClosedClientError:
                    raise CourseError(_GONE) from None
                running[future] = job
                future.add_done_callback(done.put)
            if not running:
                return
            with contextlib.suppress(queue.Empty):  # look now and then for new workers, and whether the scheduler lives
                future = done.get(timeout=1)
                job = running.pop(future)
                yield job, self._judgements(job, future)

    def _workers(self) -> dict[str, dict]:
        """Those that judge, by their addresses: those with a GPU, where there are any."""
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {})
        with_gpu = {address: worker for address, worker in workers.items() if worker["resources"].get("GPU")}
        return with_gpu or workers

    def _slots(self) -> int:
        """How many jobs can run at once; 0 where all workers are lost."""
        if self._client.status == "closed":
            raise CourseError(_GONE)
        return sum(int(worker["resources"].get("GPU", worker["nthreads"])) for worker in self._workers().values())

    def _waited_for(self, lost: float) -> float:
        """Since when workers are waited for: `lost`, or now where that is 0. Raises CourseError after WAIT_SECONDS."""
        if not lost:
            print(
                f"\nThe cluster has lost its workers: waiting up to {WAIT_SECONDS / 60:g} min for others.", flush=True
            )
            return time.monotonic()
        if time.monotonic() - lost > WAIT_SECONDS:
            raise CourseError(
                f"The cluster at {self.address} has lost all its workers; what was judged is kept: start others, and "
                "grade again to go on."
            )
        return lost

    def _toolchain(self) -> tuple[str, str]:
        workers = self._workers()
        if not workers:
            raise CourseError(
                f"The cluster at {self.address} has no workers: start some with `dask worker {self.address}`."
            )
        name = "nvcc" if any(worker["resources"].get("GPU") for worker in workers.values()) else "emulator"
        try:
            told = self._client.run(toolchain_text, name, workers=list(workers))
        except Exception as error:
            raise CourseError(f"The workers at {self.address} lack the autograder: {_first_line(error)}.") from error
        replies = {address: json.loads(text) for address, text in told.items()}
        for address, reply in replies.items():
            if "problem" in reply:
                raise CourseError(f"The worker {address} cannot judge: {reply['problem']}")
            if reply["course"] != fingerprint():
                raise CourseError(f"The worker {address} has another version of the course: install this one there.")
        versions = {reply["version"] for reply in replies.values()}
        if len(versions) > 1:
            raise CourseError(
                f"The workers at {self.address} would not judge alike, since their compilers, GPUs or PyTorch differ: "
                f"{'; '.join(sorted(versions))}."
            )
        return name, versions.pop()

    def _judgements(self, job: Job, future: Future) -> dict[str, Judgement]:
        """What came of `job`, every field looked at."""
        from distributed import CancelledError, KilledWorker

        try:
            reply = json.loads(future.result())
            if "problem" not in reply:
                return {question.name: _checked(reply[question.name]) for question in job.questions}
        except KilledWorker as error:
            reason = f"The judge was lost {error.allowed_failures + 1} times with this answer: tell your instructor."
            return {question.name: Judgement(False, paragraph(reason), flags=(LOST,)) for question in job.questions}
        except (CancelledError, OSError):
            raise CourseError(_GONE) from None
        except (KeyError, TypeError, ValueError):
            reply = {"problem": "what it sent is no judgement."}
        raise CourseError(f"A worker of the cluster at {self.address} cannot judge: {reply['problem']}")


def toolchain_text(name: str) -> str:
    """On a worker: the version of the toolchain there, and which course it has, as JSON."""
    try:
        return json.dumps({"version": usable_toolchain(name).version(), "course": fingerprint()})
    except CourseError as error:
        return json.dumps({"problem": str(error)})


def judge_text(text: str, course: str) -> str:
    """On a worker: judge a job with this `course`, a fingerprint. Why the machine cannot is told, not raised."""
    try:
        if course != fingerprint():
            raise CourseError("it joined with another version of the course.")
        judgements = judge_job(Job.from_json(json.loads(text)))
        return json.dumps({name: judgement.to_json() for name, judgement in judgements.items()})
    except (CourseError, OSError) as error:
        return json.dumps({"problem": str(error)})


def _connected(address: str) -> Client:
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise CourseError("A cluster needs Dask: pip install 'cuda-kernels-course[cluster]'.") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it is told here in one sentence
    dask.config.set({"distributed.comm.timeouts.connect": ANSWER_SECONDS})
    try:
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(
            f"No Dask scheduler answers at {address} ({_first_line(error)}): start one with `dask scheduler`, and name "
            "the address that it prints."
        ) from None


def _checked(data: dict[str, Any]) -> Judgement:
    """A judgement of which marks and pages can be made. Raises TypeError where a field is not of its type."""
    judgement = Judgement.from_json(data)
    texts = (judgement.reason, *judgement.mistakes, *judgement.flags)
    if type(judgement.correct) is not bool or not all(isinstance(text, str) for text in texts):
        raise TypeError("no judgement")
    if not 0 <= judgement.share <= 1:
        raise ValueError("no part of the points")
    return judgement


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
