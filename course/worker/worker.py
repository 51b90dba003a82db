"""The worker as the referee sees it: it loads an answer, calls it, and fetches what it returned."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from course import build
from course.tasks import Case, Task
from course.tasks.task import altering
from course.toolchains.base import Source
from course.toolchains.emulator.self_test import counting_problem
from course.worker.budget import Budget
from course.worker.message_fields import HEADER_BOUND, as_list
from course.worker.protocol import Answer, AnswerError, Outcome, TensorInfo, outcome_from_json, task_to_json
from course.worker.server import Server, own_server
from course.worker.session import Script, Session


class Worker:
    """A process that runs answers, started on entry and killed on exit.

    The process can only load modules. Each module is built, and its symbols are listed, in a process that runs no
    student code. The Python of a script runs in another process, on inputs with other values. Its calls of PyTorch
    and of its modules are recorded there, and the worker repeats them with the inputs of the case (see `recording.py`).

    Parameters
    ----------
    toolchain : str, optional
        The toolchain that builds sources, which also determines the device of the inputs; by default the one that
        `course.build` chooses. `"traced"` is the emulator with every access to memory traced.
    timeout : float
        The most seconds that a call may take, without builds.
    server : Server, optional
        The server that starts the process; by default this process's own.
    budget : Budget, optional
        What the answer may still use, here and in other workers; by default a new budget.

    Raises
    ------
    WorkerDied, TimedOut
        In every method, if the process is lost.
    ForeignSymbols
        If a module calls forbidden functions; the module is not loaded.
    ServerLost, RefereeFailed
        For failures that are no answer's fault.
    """

    def __init__(
        self,
        toolchain: str | None = None,
        timeout: float = 30.0,
        server: Server | None = None,
        budget: Budget | None = None,
    ):
        self.toolchain = toolchain or build.default_toolchain()
        self.timeout = timeout
        self._server = server or own_server()
        self._budget = budget or Budget()
        self._altered: list[tuple[int, int]] = []  # seeds and counts of the calls that were repeated
        self._texts: dict[str, str] = {}  # of the answers, by their names
        self._scripts: dict[str, Script] = {}  # by the name of the answer

    def __enter__(self) -> Worker:
        self._session = Session(self._server, self.toolchain, self._budget)
        return self

    def __exit__(self, *exc: object) -> None:
        for session in self._sessions:
            session.close()

    @property
    def _sessions(self) -> list[Session]:
        return [*self._scripts.values(), self._session]

    @property
    def printed(self) -> str:
        """The first 64 KiB that the student's code wrote to stdout and stderr."""
        # A script's kernels print the same in its own process.
        sessions = self._sessions[:-1] or self._sessions
        return b"".join(session.printed for session in sessions).decode("utf-8", "replace")

    @property
    def sources(self) -> list[Source]:
        """The sources that were built for the loaded answers."""
        return self._session.modules.sources

    def handled(self, kind: str) -> str:
        """What failed in the last call of a script, or when it was loaded, and was handled by it; "" if nothing was.

        The `kind` is "failed", for a build or call, or "lacking", for a name that the emulator does not have.
        """
        replies = [script.handled.get(do, {}) for script in self._scripts.values() for do in ("record", "load")]
        return next(filter(None, (reply.get(kind) for reply in replies)), "")

    def load(self, name: str, answer: Answer, task: Task) -> None:
        """Build `answer`, and keep it as `name` for calls with inputs of `task`.

        Raises
        ------
        BuildError
            If a source does not build.
        AnswerError
            If the Python of the answer does not run, or does not define what the question asks for.
        CourseError
            For failures of the machine.
        """
        session = self._session
        self._texts[name] = answer.source
        if answer.kind == "candidate":
            session = self._scripts[name] = Script(self._server, self._session, self._budget)
        session.load(name, answer, task, self.timeout)

    def run(self, name: str, task: Task, case: Case, seed: int, counting: bool = False) -> Outcome:
        """Call the answer `name` on the inputs of `case` and `seed`. They and the outputs stay until the next run.

        With `counting`, a traced worker also counts the traffic, which takes two or three times as long.
        """
        problem = counting_problem() if counting else ""
        self._altered.clear()
        if name in self._scripts and (unrecorded := self._scripts[name].record(name, task, case, seed, self.timeout)):
            return self._with_code(name, unrecorded)
        request = {"do": "run", "name": name, "task": task_to_json(task), "case": case.to_json(), "seed": seed}
        reply, _ = self._session.ask({**request, "counting": counting and not problem}, self.timeout)
        with self._session.connection.reading():
            outcome = outcome_from_json(reply)
        return self._with_code(name, replace(outcome, uncounted=problem or outcome.uncounted))

    def _with_code(self, name: str, outcome: Outcome) -> Outcome:
        """`outcome` of the answer `name`; if it has a failure, with the text of the line that failed."""
        failure = outcome.failure
        return replace(outcome, failure=failure.within(self._texts.get(name, ""))) if failure else outcome

    def fetch(self, info: TensorInfo, start: int = 0, stop: int | None = None) -> torch.Tensor:
        """The elements `start` to `stop` of a tensor of the last run in row-major order, flat and on the CPU."""
        stop = info.numel if stop is None else min(stop, info.numel)
        size = max(0, stop - start) * info.dtype.itemsize
        if not size:
            return torch.empty(0, dtype=info.dtype)
        request = {"do": "fetch", "where": info.where, "index": info.index, "start": start, "stop": stop}
        _, payload = self._session.ask(request, self.timeout, bounds=(HEADER_BOUND, size))
        if len(payload) != size:
            raise self._session.connection.nonsense()
        return torch.frombuffer(payload, dtype=info.dtype)

    def repeat(self, name: str, count: int) -> None:
        """Call the answer `name` on the inputs of the last run `count` times, and wait for the device.

        Before each call the inputs are changed at places that no answer knows: see `inputs`. New outputs are not
        filled. The last call's result replaces the outputs that `fetch` returns. The caller measures the time. Raises
        AnswerError if a call fails.
        """
        seed = secrets.randbits(32)
        self._altered.append((seed, count))
        self._ask_for_success({"do": "repeat", "name": name, "count": count, "seed": seed})

    def inputs(self, task: Task, case: Case, seed: int) -> list[Any]:
        """Make, in this process, the inputs that the last run (of this task, case and seed) has after `repeat`."""
        inputs = task.inputs(case, seed, self._session.device)
        for places, count in self._altered:
            for _ in altering(inputs, places, count):
                pass
        return inputs

    def time(self, names: Sequence[str], task: Task, case: Case, seed: int, rounds: int) -> dict[str, list[float]]:
        """The milliseconds of `rounds` calls of each answer, in turns and on the same inputs: see `time_interleaved`.

        Raises AnswerError if a call fails.
        """
        for name in self._scripts.keys() & set(names):
            if unrecorded := self._scripts[name].record(name, task, case, seed, self.timeout):
                raise AnswerError(f"The answer failed when it was called again: {unrecorded.failure}.")
        request = {"do": "time", "names": list(names), "rounds": rounds}
        reply = self._ask_for_success({**request, "task": task_to_json(task), "case": case.to_json(), "seed": seed})
        with self._session.connection.reading():
            return {name: [float(x) for x in as_list(reply["times"][name])] for name in names}

    def _ask_for_success(self, request: dict) -> dict:
        failure, reply = self._session.ask_for_failure(request, self.timeout)
        if failure:
            raise AnswerError(f"The answer failed when it was called again: {failure}.")
        return reply
