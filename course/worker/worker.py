"""The worker as the referee sees it: it loads an answer, calls it, and fetches what it returned."""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch

from course import build
from course.device import EMULATED
from course.errors import BuildError, CannotJudge, NotEmulated
from course.explain.limits import Demand
from course.tasks import Case, Task
from course.tasks.task import altering, other_seed
from course.toolchains.base import Source
from course.toolchains.emulator.library import preludes, runtime_folder
from course.toolchains.emulator.self_test import counting_problem
from course.worker.connection import Connection
from course.worker.messages import HEADER_BOUND, as_list, decoded, printable, without_folders
from course.worker.modules import BUILDS_BOUND, Budget, Modules, untraced
from course.worker.protocol import (
    RECORD_BOUND,
    Answer,
    AnswerError,
    Failure,
    Outcome,
    TensorInfo,
    WorkerDied,
    failure_from_json,
    outcome_from_json,
    task_to_json,
)
from course.worker.recording import CONSTANTS_BOUND, NotRun, checked, tensors_in
from course.worker.server import Process, Server, own_server


class Worker:
    """A process that runs answers, started on entry and killed on exit.

    The process can only load modules. Each module is built, and its symbols are listed, in a process that runs no
    student code. The Python of a script runs in another process, on inputs with other values. Its calls of PyTorch
    and of its modules are recorded there, and the worker repeats them with the inputs of the case (see `recording.py`).

    `toolchain` builds sources, and also determines the device of the inputs. By default it is the one that
    `course.build` chooses. `"traced"` is the emulator with every access to memory traced. A call may take `timeout`
    seconds, without builds. `server` starts the process, and `budget` is what the answer may still use, here and in
    other workers.

    Every method raises WorkerDied or TimedOut if the process is lost, ForeignSymbols if a module calls forbidden
    functions, and ServerLost or RefereeFailed for failures that are no answer's fault.
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

    def __enter__(self) -> "Worker":
        self._session = Session(self._server, self.toolchain, self._budget)
        return self

    def __exit__(self, *exc: object) -> None:
        for session in self._sessions:
            session.close()

    @property
    def _sessions(self) -> "list[Session]":
        return [*self._scripts.values(), self._session]

    @property
    def printed(self) -> str:
        """The first 64 KiB that the student's code wrote to stdout and stderr."""
        # A script's kernels print the same in its own process.
        sessions = self._sessions[:-1] or self._sessions
        return without_folders(b"".join(session.printed for session in sessions).decode("utf-8", "replace"))

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

        Raises BuildError, AnswerError if the Python of the answer does not run or does not define what the question
        asks for, and CourseError for failures of the machine.
        """
        session = self._session
        self._texts[name] = answer.source
        if answer.kind == "candidate":
            session = self._scripts[name] = Script(self._server, self._session, self._budget)
        session.load(name, answer, task, self.timeout)

    def run(self, name: str, task: Task, case: Case, seed: int, counting: bool = False, order: int = 0) -> Outcome:
        """Call the answer `name` on the inputs of `case` and `seed`. They and the outputs stay until the next run.

        With `counting`, a traced worker also counts the traffic, which takes two or three times as long. It runs blocks
        and threads in an `order` of its own if that is not 0: 1 is reversed, and a larger number mixes them.
        """
        problem = counting_problem() if counting else ""
        self._altered.clear()
        if name in self._scripts and (unrecorded := self._scripts[name].record(name, task, case, seed, self.timeout)):
            return self._with_code(name, unrecorded)
        request = {"do": "run", "name": name, "task": task_to_json(task), "case": case.to_json(), "seed": seed}
        request |= {"counting": counting and not problem, "order": order}
        reply, _ = self._session.ask(request, self.timeout)
        with self._session.connection.reading():
            outcome = outcome_from_json(reply)
        return self._with_code(name, replace(outcome, uncounted=problem or outcome.uncounted))

    def count(self, name: str, task: Task) -> Demand | Failure:
        """What a call of the traced answer `name` asks of a card at the task's sizes, by a sample of its blocks.

        The inputs have no values, so they may be larger than this machine's memory. DRAM's bytes and the operations are
        not counted. The failure is that of the call.
        """
        request = {"do": "count", "name": name, "task": task_to_json(task)}
        failure, reply = self._session.ask_for_failure(request, self.timeout)
        with self._session.connection.reading():
            return failure or decoded(Demand, reply["demand"])

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
        self._kind = "worker"  # or "script", which runs the Python of an answer
        self._connection: Connection[Process] | None = None
        # What the last load and the last record of a script have survived: see `Runner._handled`.
        self.handled: dict[str, dict[str, str]] = {}
        self._compiles = False  # whether torch.compile compiles while a call runs
        server.start()

    @property
    def connection(self) -> Connection[Process]:
        """The connection to the worker process, which is forked now if there is none."""
        if self._connection is None:
            self._connection = Connection(partial(self._server.fork, self.toolchain, self._kind))
        return self._connection

    def close(self) -> None:
        """End the process, if there is one."""
        if self._connection:
            self._connection.close()

    @property
    def printed(self) -> bytes:
        """The first 64 KiB that the student's code has written so far."""
        return bytes(self._connection.channel.printed) if self._connection else b""

    def load(self, name: str, answer: Answer, task: Task, timeout: float) -> None:
        """Let the worker keep `answer` as `name`. Raises BuildError, and AnswerError for any other failure."""
        self._compiles = "torch.compile" in answer.source
        if self.toolchain in EMULATED and answer.kind != "python":
            # Now: a machine's first build is no part of a call or a build.
            runtime_folder()
            preludes()
        request: dict[str, Any]
        if answer.kind == "cuda":
            module = self.modules.for_worker(self.modules.of_cell(answer), self.connection.running())
            request = {"do": "load_function", "name": name, "function": answer.function, "module": module}
        else:
            self._kind = "script"
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
            modules = [self.modules.for_worker(source, self._worker.connection.running()) for source in sources]
        except NotEmulated:
            raise
        except BuildError as error:  # a source that cannot be traced
            return Outcome(failure=Failure("BuildError", str(error)))
        request = {"do": "replay", "name": name, "record": record, "modules": modules}
        failure, _ = self._worker.ask_for_failure(request, timeout, constants)
        return Outcome(failure=failure) if failure else None
