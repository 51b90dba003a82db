"""The requests to one worker, with what is built for them meanwhile, within the budget of its answer."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

from course.device import EMULATED
from course.errors import BuildError
from course.tasks import Task
from course.toolchains.emulator.library import runtime_folder
from course.worker.budget import Budget
from course.worker.building import BUILD_SECONDS, BUILDS_BOUND, Builder
from course.worker.connection import Connection
from course.worker.protocol import (
    HEADER_BOUND,
    Answer,
    AnswerError,
    Failure,
    WorkerDied,
    failure_from_json,
    task_to_json,
)
from course.worker.server import Server


class Session:
    """A process that `server` has forked for `toolchain`, and what is asked of it.

    Every method raises what `Connection.exchange` raises, and ForeignSymbols, RefereeFailed or CourseError where what
    the worker wants is built.
    """

    def __init__(self, server: Server, toolchain: str, budget: Budget):
        self.toolchain = toolchain
        self.device = "cpu" if toolchain in EMULATED else "cuda"
        self.builder = Builder(toolchain, server.confine, budget)
        self.connection = Connection(server, toolchain)
        self._budget = budget
        self._compiles = False  # while a call runs, by torch.compile

    def load(self, name: str, answer: Answer, task: Task, timeout: float) -> None:
        """Have the worker keep `answer` as `name`. Raises BuildError, and AnswerError for anything else."""
        self._compiles = "torch.compile" in answer.source
        request: dict[str, Any] = {"do": "load", "name": name, "answer": asdict(answer), "task": task_to_json(task)}
        if self.toolchain in EMULATED and answer.kind != "python":
            runtime_folder()  # not in the time of a call
        builds_there = self.toolchain == "torch" and answer.kind != "python"
        failure, _ = self.ask_for_failure(request, BUILD_SECONDS["torch"] if builds_there else timeout)
        if failure:
            if failure.type == "BuildError":
                raise BuildError(failure.message)
            # Whatever type a worker reports, student code may have chosen it: nothing here is the machine's fault.
            if failure.type == "AnswerError":
                raise AnswerError(failure.message)
            raise AnswerError(f"The code of the answer does not run: {failure}.")

    def ask_for_failure(
        self, request: dict, timeout: float, payload: bytes | bytearray = b""
    ) -> tuple[Failure | None, dict]:
        """One request, the failure that its reply reports, and that reply."""
        reply, _ = self.ask(request, timeout, payload)
        with self.connection.reading():
            return failure_from_json(reply.get("failure")), reply

    def ask(
        self,
        request: dict,
        timeout: float,
        payload: bytes | bytearray = b"",
        bounds: tuple[int, int] = (HEADER_BOUND, 0),
    ) -> tuple[dict, bytearray]:
        """One request and its reply, of `bounds` at most, after what the worker needs for it is built."""
        late = f"Nothing came back within {timeout:g} s"
        if self.toolchain != "torch" and timeout > self._budget.calls:  # PyTorch's own build is part of a call
            timeout, late = self._budget.calls, f"The calls of this answer took more than {Budget.calls:g} s together"
        late += ", and a first call compiles what torch.compile was given: give it less, or" if self._compiles else ":"
        start = time.monotonic()
        building, seconds = 0.0, self.builder.seconds()
        try:
            for _ in range(BUILDS_BOUND + 1):
                deadline = start + timeout + building
                reply, received = self.connection.exchange(request, deadline, late, payload, bounds)
                if "build" not in reply:
                    return reply, received
                payload = b""
                begun = time.monotonic()
                request = self.builder.reply(reply["build"], seconds - building, self.connection)
                building += time.monotonic() - begun
            self.connection.end()
            raise WorkerDied(f"The code had more than {BUILDS_BOUND} modules built in one call: build fewer.")
        finally:
            self._budget.calls -= time.monotonic() - start - building
            self._budget.builds -= building
