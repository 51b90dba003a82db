"""The requests to one process that runs student code, within the budget of its answer."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from course.device import EMULATED
from course.errors import BuildError, CannotJudge, NotEmulated
from course.tasks import Case, Task
from course.tasks.task import other_seed
from course.toolchains.base import Source
from course.toolchains.emulator.library import precompile_headers, runtime_folder
from course.worker.budget import Budget
from course.worker.connection import Connection
from course.worker.message_fields import HEADER_BOUND, decoded, printable
from course.worker.modules import BUILDS_BOUND, Modules, untraced
from course.worker.protocol import (
    RECORD_BOUND,
    Answer,
    AnswerError,
    Failure,
    Outcome,
    WorkerDied,
    failure_from_json,
    task_to_json,
)
from course.worker.recording import CONSTANTS_BOUND, NotRun, checked, tensors_in
from course.worker.server import Process, Server


class Session:
    """A process that `server` forks for `toolchain`, and the requests to it.

    The server starts at once, so that a cell is built while the server imports PyTorch. The process itself is forked
    when it is first needed, and never for a cell that does not build. Every method raises what `Connection.exchange`
    and `Modules` raise.
    """

    def __init__(self, server: Server, toolchain: str, budget: Budget, modules: Modules | None = None):
        self.toolchain = toolchain
        self.device = "cpu" if toolchain in EMULATED else "cuda"
        self.modules = modules or Modules(toolchain, server.confine, budget)
        self._server, self._budget = server, budget
        self._connection: Connection[Process] | None = None
        # What the last load and the last record of a script have survived: see `Runner._handled`.
        self.handled: dict[str, dict[str, str]] = {}
        self._compiles = False  # whether torch.compile compiles while a call runs
        server.start()

    @property
    def connection(self) -> Connection[Process]:
        """The connection to the worker process, which is forked now if there is none."""
        if self._connection is None:
            self._connection = Connection(partial(self._server.fork, self.toolchain))
        return self._connection

    def close(self) -> None:
        """End the process, if there is one."""
        if self._connection:
            self._connection.close()

    @property
    def printed(self) -> bytes:
        """The first 64 KiB that the student's code has written so far."""
        return self._connection.printed if self._connection else b""

    def module(self, source: Source) -> dict:
        """What the worker needs to load the module of `source`."""
        return self.modules.for_worker(source, self.connection.running())

    def load(self, name: str, answer: Answer, task: Task, timeout: float) -> None:
        """Let the worker keep `answer` as `name`. Raises BuildError, and AnswerError for any other failure."""
        self._compiles = "torch.compile" in answer.source
        if self.toolchain in EMULATED and answer.kind != "python":
            runtime_folder(), precompile_headers()  # now: a machine's first build is no part of a call or a build
        request: dict[str, Any]
        if answer.kind == "cuda":
            module = self.module(self.modules.of_cell(answer))
            request = {"do": "load_function", "name": name, "function": answer.function, "module": module}
        else:
            request = {"do": "load", "name": name, "answer": asdict(answer), "task": task_to_json(task)}
        failure, _ = self.ask_for_failure(request, timeout)
        if failure:
            failure = failure.within(answer.source)
            if failure.type == "BuildError":
                raise BuildError(failure.message)
            if failure.type == "CannotJudge":
                raise CannotJudge(f"{failure.in_words}.")
            # Student code may have chosen the type that a worker reports, so no failure here is the machine's fault.
            if failure.type == "AnswerError":
                raise AnswerError(failure.message)
            raise AnswerError(f"The code of the answer does not run: {failure}.")

    def ask_for_failure(
        self, request: dict, timeout: float, payload: bytes | bytearray = b""
    ) -> tuple[Failure | None, dict]:
        """Send one request, and return the failure that the reply reports, and the reply."""
        reply, _ = self.ask(request, timeout, payload)
        with self.connection.reading():
            return failure_from_json(reply), reply

    def ask(
        self,
        request: dict,
        timeout: float,
        payload: bytes | bytearray = b"",
        bounds: tuple[int, int] = (HEADER_BOUND, 0),
    ) -> tuple[dict, bytearray]:
        """Send one request after building the modules that it needs; return the reply, of at most `bounds`."""
        late = "Nothing came back within {}"
        if timeout > self._budget.calls:
            timeout, late = self._budget.calls, f"The calls of this answer took more than {Budget.calls:g} s together"
        late += ", and a first call runs torch.compile: give it less to compile, or" if self._compiles else ":"
        connection = self.connection  # the server may have to start first, which is no part of the call
        limit, building = self._budget.time_limit(timeout), self._budget.build_limit()
        asked = request["do"]
        try:
            for _ in range(BUILDS_BOUND + 1):
                reply, received = connection.exchange(request, limit, late, payload, bounds)
                if "build" not in reply:
                    with self.connection.reading():
                        handled = reply.pop("handled", {}).items()
                        self.handled[asked] = {printable(kind): printable(text) for kind, text in handled}
                    return reply, received
                payload = b""
                request = self.modules.reply(reply["build"], building, connection)
            connection.end()
            raise WorkerDied(f"The code requested more than {BUILDS_BOUND} modules in one call: build fewer.")
        finally:
            self._budget.calls -= limit.spent


class Script(Session):
    """The process that runs the Python of a script. The process of `worker` repeats the calls that it records."""

    def __init__(self, server: Server, worker: Session, budget: Budget):
        super().__init__(server, untraced(worker.toolchain), budget, worker.modules)
        self._worker = worker

    def record(self, name: str, task: Task, case: Case, seed: int, timeout: float) -> Outcome | None:
        """Let the worker keep, as `name`, what the script does with inputs like those of `case`; or say why it cannot.

        Inputs that are not tensors are the case's own.
        """
        inputs = task.inputs(case, seed, self._worker.device)
        count, given = len(tensors_in(inputs)), [None if tensors_in(x) else x for x in inputs]
        del inputs
        bound = CONSTANTS_BOUND + task.sized(case.sizes).weight_bytes()
        request: dict[str, Any] = {"do": "record", "name": name, "task": task_to_json(task), "case": case.to_json()}
        request |= {"seed": other_seed(seed, "script"), "weights": other_seed(seed, "weights")}
        request |= {"given": given, "constants_bound": bound}
        reply, constants = self.ask(request, timeout, bounds=(RECORD_BOUND, bound))
        with self.connection.reading():
            if failure := failure_from_json(reply):
                return Outcome(failure=failure)
            try:
                record = checked(reply["record"], count, len(constants))
            except NotRun as error:
                text = f"an answer may not use PyTorch's operation {error}"
                return Outcome(library_calls=(printable(error, 100),), failure=Failure("NotRun", text))
            sources = [decoded(Source, source) for source in record["modules"]]
        try:
            modules = [self._worker.module(source) for source in sources]
        except NotEmulated:
            raise
        except BuildError as error:  # a source that cannot be traced
            return Outcome(failure=Failure("BuildError", str(error)))
        request = {"do": "replay", "name": name, "record": record, "modules": modules}
        failure, _ = self._worker.ask_for_failure(request, timeout, constants)
        return Outcome(failure=failure) if failure else None
