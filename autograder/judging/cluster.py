"""Judging on a Dask cluster: jobs go to its workers and judgements come back, both as JSON text.

A worker is an instructor's process that runs no student's code. What it sends is checked nevertheless. Where workers
have the resource `GPU`, only those judge, one job at a time on each, so that timings never share a GPU. The other
workers build for them.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch

from autograder.judging.jobs import Job, Judgement, earning, fingerprint, judge_job, paragraph
from autograder.judging.modules import NO_MODULES, keep, modules_for
from course.build import usable_toolchain
from course.device import gpu
from course.errors import CourseError
from course.toolchains.nvcc import architecture_here

if TYPE_CHECKING:
    from distributed import Client, Future

ANSWER_SECONDS = 15  # in which a cluster must answer
WAIT_SECONDS = 300  # for a worker to join after the last one was lost or paused
LOST = "lost its workers"  # the flag of a job whose workers were lost one after the other
_GONE = "The cluster's scheduler is gone. What was judged is kept: restart it and its workers, and grade again."


class Cluster:
    """The cluster whose scheduler is at `address`, while its context lasts.

    `toolchain` is the name and the version of the toolchain that its workers judge with. Raises CourseError where
    nothing answers, where no worker takes jobs, and where the workers cannot judge or would not judge alike.
    """

    def __init__(self, address: str):
        self.address = address

    def __enter__(self) -> Cluster:
        self._client = _connected(self.address)
        try:
            self._look()
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self._client.close()

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, dict[str, Judgement]]]:
        """Judge `jobs`; yields each with its judgements as soon as it is done.

        A job whose worker is lost goes to another worker. A job that loses as many workers as Dask allows is wrong, and
        flagged. Raises CourseError where the scheduler is gone, where all workers are gone or paused and none joins,
        and where a worker cannot judge.
        """
        waiting = iter(jobs)
        building: dict[Future, Job] = {}
        ready: deque[tuple[Job, str]] = deque()  # with the modules that were built for them
        running: dict[Future, Job] = {}
        done: queue.SimpleQueue[Future] = queue.SimpleQueue()
        lost = 0.0  # the time from which on no worker takes jobs
        while True:
            # The workers that take jobs: Dask pauses a worker that runs out of memory.
            workers = {address: each for address, each in self._workers().items() if each["status"] == "running"}
            slots, builders = self._slots(workers), [each for each in self._builders if each in workers]
            lost = self._waited_for(lost) if not slots else 0.0
            if not builders:  # or no longer any: the judging workers build for themselves
                ready.extend((job, NO_MODULES) for job in building.values())
                building.clear()
            ahead = max(slots, sum(workers[each]["nthreads"] for each in builders), 1)
            for job in itertools.islice(waiting, max(0, ahead - len(building) - len(ready))):
                if builders and job.answer.kind != "python":
                    building[self._submit(done, build_text, job, self._architecture, workers=builders)] = job
                else:
                    ready.append((job, NO_MODULES))
            # Submit only as many as can run at once: Dask blames a lost worker on all jobs that wait for it.
            # While there is no worker, one job waits for it.
            while ready and len(running) < max(1, slots):
                job, modules = ready.popleft()
                running[self._submit(done, judge_text, job, modules, resources=self._needs)] = job
            if not running and not building:
                return
            with contextlib.suppress(queue.Empty):  # regularly look for new workers and for the scheduler
                future = done.get(timeout=1)
                if future in building:
                    ready.append((building.pop(future), self._built(future)))
                elif future in running:
                    job = running.pop(future)
                    yield job, self._judgements(job, future)

    def _submit(
        self, done: queue.SimpleQueue[Future], function: Callable, job: Job, *more: object, **where: Any
    ) -> Future:
        """Let a worker call `function` on `job` and put the result into `done`."""
        from distributed.client import ClosedClientError

        try:
            future = self._client.submit(function, json.dumps(job.to_json()), fingerprint(), *more, **where, pure=False)
        except ClosedClientError:
            raise CourseError(_GONE) from None
        future.add_done_callback(done.put)
        return future

    def _workers(self) -> dict[str, dict]:
        """All workers of the cluster, by their addresses. Raises CourseError where its scheduler is gone."""
        if self._client.status == "closed":
            raise CourseError(_GONE)
        try:  # not `scheduler_info`, whose stored copy may lack the workers
            return self._client.sync(self._client.scheduler.identity)["workers"]
        except OSError:
            raise CourseError(_GONE) from None

    def _slots(self, workers: Mapping[str, dict]) -> int:
        """How many jobs `workers` can judge at once; if the cluster had workers with a GPU, only those count."""
        if self._needs:
            return sum(int(worker["resources"].get("GPU", 0)) for worker in workers.values())
        return sum(worker["nthreads"] for worker in workers.values())

    def _waited_for(self, lost: float) -> float:
        """When the wait for workers began: `lost`, or now where that is 0. Raises CourseError after WAIT_SECONDS."""
        if not lost:
            print(
                "\nThe cluster has lost its workers, or Dask has paused them for lack of memory: waiting up to "
                f"{WAIT_SECONDS / 60:g} min for others.",
                flush=True,
            )
            return time.monotonic()
        if time.monotonic() - lost > WAIT_SECONDS:
            raise CourseError(
                f"The cluster at {self.address} has lost all its workers, or Dask has paused them. What was judged is "
                "kept: start other workers with --memory-limit 0, and grade again."
            )
        return lost

    def _look(self) -> None:
        """Find out which workers there are, what each is for, and with which toolchain they judge."""
        workers = self._workers()
        if not workers:
            raise CourseError(
                f"The cluster at {self.address} has no workers: start some with `dask worker {self.address} "
                "--memory-limit 0`."
            )
        with_gpu = [address for address, worker in workers.items() if worker["resources"].get("GPU")]
        self._needs = {"GPU": 1} if with_gpu else None
        name = earning(os.environ.get("COURSE_TOOLCHAIN") or ("nvcc" if with_gpu else "emulator"))
        judges = self._toolchain_replies(name, None, with_gpu or list(workers))
        for address, reply in judges.items():
            if "problem" in reply:
                raise CourseError(f"The worker {address} cannot judge: {reply['problem']}")
        gpus = [reply["gpu"] for reply in judges.values() if reply["gpu"]]
        if with_gpu and len(set(gpus)) < len(gpus):
            raise CourseError(
                f"Workers at {self.address} share a GPU, and their times would be wrong: start each worker with a "
                "different CUDA_VISIBLE_DEVICES."
            )
        versions = {reply["version"] for reply in judges.values()}
        if len(versions) > 1:
            raise CourseError(
                f"The workers at {self.address} would not judge alike, since their compilers, GPUs or PyTorch differ: "
                f"{'; '.join(sorted(versions))}."
            )
        self.toolchain = name, versions.pop()
        self._architecture = next(iter(judges.values()))["architecture"]
        others = self._toolchain_replies(name, self._architecture, [each for each in workers if each not in judges])
        self._builders = [address for address, reply in others.items() if reply.get("version") == self.toolchain[1]]
        if unlike := sorted(others.keys() - self._builders):
            print(
                "Not used, since their compilers or PyTorch differ from those of the workers with a GPU: "
                f"{', '.join(unlike)}."
            )

    def _toolchain_replies(self, name: str, architecture: str | None, workers: list[str]) -> dict[str, dict[str, str]]:
        """What each of `workers` reports about its toolchain `name`."""
        try:
            texts = self._client.run(toolchain_text, name, architecture, workers=workers) if workers else {}
        except Exception as error:
            raise CourseError(f"The workers at {self.address} lack the autograder: {_first_line(error)}.") from error
        replies = {address: json.loads(text) for address, text in texts.items()}
        for address, reply in replies.items():
            if reply["course"] != fingerprint():
                raise CourseError(f"The worker {address} has another version of the course: install this one there.")
        return replies

    def _built(self, future: Future) -> str:
        """The modules that were built; none where the build failed, since the judging workers can build too."""
        try:
            return future.result()
        except Exception:  # the workers were lost, or the judging ones report what they lack
            return NO_MODULES

    def _judgements(self, job: Job, future: Future) -> dict[str, Judgement]:
        """The result of `job`, with every field checked."""
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
            reply = {"problem": "what it sent is not a judgement."}
        raise CourseError(f"A worker of the cluster at {self.address} cannot judge: {reply['problem']}")


def toolchain_text(name: str, architecture: str | None) -> str:
    """On a worker, as JSON: its course, the version of its toolchain or the problem with it.

    Also which GPU it would use, and what nvcc calls the architecture of that GPU.
    """
    reply = {"course": fingerprint()}
    try:
        reply["version"] = usable_toolchain(name, architecture).version()
    except CourseError as error:
        return json.dumps({**reply, "problem": str(error)})
    uuid = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid) if gpu() else None
    return json.dumps({**reply, "architecture": architecture_here(), "gpu": uuid})


def build_text(text: str, course: str, architecture: str | None) -> str:
    """On a worker: the modules that a job needs, where this worker has the same `course`."""
    return modules_for(Job.from_json(json.loads(text)), architecture) if course == fingerprint() else NO_MODULES


def judge_text(text: str, course: str, modules: str) -> str:
    """On a worker: judge a job with this `course`, a fingerprint, and with `modules`, which another worker has built.

    If the machine cannot judge, the reply says why; nothing is raised.
    """
    try:
        if course != fingerprint():
            raise CourseError("it joined with another version of the course.")
        keep(modules)
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
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the sentences here say what matters
    dask.config.set({"distributed.comm.timeouts.connect": ANSWER_SECONDS})
    try:
        return Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CourseError(
            f"No Dask scheduler answers at {address} ({_first_line(error)}): start one with `dask scheduler`, and pass "
            "the address that it prints."
        ) from None


def _checked(data: dict[str, Any]) -> Judgement:
    """A judgement that marks and pages can be made from. Raises TypeError where a field has the wrong type."""
    judgement = Judgement.from_json(data)
    texts = (judgement.reason, *judgement.mistakes, *judgement.flags)
    if type(judgement.correct) is not bool or not all(isinstance(text, str) for text in texts):
        raise TypeError("no judgement")
    if not 0 <= judgement.share <= 1:
        raise ValueError("no part of the points")
    return judgement


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
