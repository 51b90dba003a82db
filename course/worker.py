"""The referee's handle of a process that runs student code; `worker_process.py` is what runs there.

Headers come as JSON and values as raw bytes: nothing is ever unpickled. What a worker says is taken as coming from the
student: sizes are bounded, dtypes known, waits timed.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import json
import math
import os
import secrets
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from course import build
from course.device import EMULATED
from course.isolation import Isolation
from course.recording import CONSTANTS_BOUND, NotRun, checked, tensors_in
from course.tasks import Case, Task, altering, other_seed
from course.toolchains import emulator, native
from course.toolchains.base import HAZARDS, BuildError, CourseError, Hazard, Source
from course.toolchains.cache import cache_root
from course.toolchains.emulator.traced import Traffic
from course.toolchains.nvcc import architecture_here
from course.toolchains.symbols import foreign_symbols

KINDS = ("cuda", "candidate", "python", "model")
FRAME = struct.Struct("<QQ")  # bytes of the JSON header, bytes of the payload
HEADER_BOUND = 1 << 20
RECORD_BOUND = 8 << 20  # of the header that has a record
PRINTED_BOUND = 1 << 16  # bytes that are kept of what the code writes
WRITTEN_BOUND = 64 << 20  # bytes that it may write
MESSAGE_BOUND = 4000
LEAVES_BOUND = 64  # values in one result, tuples flattened
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.complex128),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
    )
}
PROGRAM = "course.worker_process"  # of the server
FAILED_BUILD = 24 << 20  # bytes that a failed build takes of an answer's budget for modules
REPLY_BOUND = 1 << 12  # bytes of what a worker's keeper says
START_SECONDS = 120.0  # until a worker is ready: a server that starts imports PyTorch first
END_SECONDS = 30.0  # until a worker that is to end has ended
BUILDS_BOUND = 16  # modules that one request has built
# What is built for one request may take so long. PyTorch's own load_inline, which builds in the worker, takes over half
# a minute on two cores, several at once take minutes.
BUILD_SECONDS = {"torch": 600.0, "nvcc": 120.0, "emulator": 120.0, "traced": 120.0}


@dataclass(frozen=True)
class Answer:
    """The text of one solution cell, judged without any other.

    `kind` is `cuda` (the body of a `%%cuda` cell; `function` is the wrapper to call), `candidate` (a KernelBench script
    with `ModelNew`; `function` is not used), `python` (code that binds `function` to a function, to a class of models,
    or to a literal, which then is the result) or `model` (no answer of a student's, but the task's own Model).
    `cuda_cflags` are the `extra_cuda_cflags` of a `cuda` answer that `load_inline` has built, and not the magic.
    """

    kind: str
    source: str
    function: str = ""
    cuda_cflags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuda_cflags", tuple(self.cuda_cflags))  # which JSON makes a list
        if self.kind not in KINDS:
            raise CourseError(f"An answer cannot be of the kind {self.kind!r}; it can be {', '.join(KINDS)}.")

    @classmethod
    def of_cell(cls, text: str, function: str) -> Answer:
        """The answer that is the whole text of one notebook cell; `function` is the name its question asks for."""
        first, _, rest = text.lstrip().partition("\n")
        for kind in ("cuda", "candidate"):
            if first.split()[:1] == [f"%%{kind}"]:
                return cls(kind, "\n" + rest, function)  # so that line numbers are those of the cell, magic and all
        return cls("python", text, function)


class WorkerLost(CourseError):
    """The worker is gone, and with it the answers it had loaded."""


class WorkerDied(WorkerLost):
    """The process ended before it replied. `signal` names the signal that ended it, "" where it ended by itself."""

    def __init__(self, message: str, signal: str = ""):
        super().__init__(message)
        self.signal = signal


class TimedOut(WorkerLost):
    """The process did not reply in time, and was killed."""


class ServerLost(CourseError):
    """The server that starts workers has ended, which no answer can help."""


class RefereeFailed(CourseError):
    """What the referee itself needs failed beside this answer, the second time too: of the answer that says nothing."""


class ForeignSymbols(WorkerLost):
    """A module that the answer needs takes functions from elsewhere that no kernel or wrapper needs, its `names`."""

    def __init__(self, names: Sequence[str]):
        super().__init__(f"The answer calls {', '.join(names)}, and was stopped before that could run.")
        self.names = tuple(names)


class AnswerError(CourseError):
    """The answer's own Python code does not run, or does not define what the question asks for."""


@dataclass(frozen=True)
class Failure:
    """An exception of the answer: its class, its text, its line in the answer where that is known, hazards seen.

    `fatal` says that the device is lost for this process, which has ended.
    """

    type: str
    message: str
    line: int | None = None
    hazards: tuple[Hazard, ...] = ()
    fatal: bool = False

    def __str__(self) -> str:
        where = f" (line {self.line} of the answer)" if self.line else ""
        return f"{self.type}: {self.message.removesuffix(f' (<answer>, line {self.line})')}{where}"


@dataclass(frozen=True)
class TensorInfo:
    """A tensor that the worker holds: `Worker.fetch` brings its values. Strides count elements; device is a type."""

    where: str
    index: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: str

    @property
    def numel(self) -> int:
        return math.prod(self.shape)


@dataclass(frozen=True)
class Other:
    """A result that is neither a tensor nor plain data: the name of its class."""

    name: str


@dataclass(frozen=True)
class Outcome:
    """What a call gave: `result` is a TensorInfo, a number, bool, str, None, an Other, or a tuple or dict of these.

    `inputs` are the inputs as the call left them, None for those that are no tensors. `library_calls` names the PyTorch
    operations that computed something on the answer's behalf. `failure` is the exception, if one was raised. `traffic`
    is what the kernels asked of memory, where that was counted, and `sectors_touched` what DRAM must move for it: for
    each launch the sectors that it read and that it wrote. `uncounted` says why that is not all, "" where it is.
    `to_host` are the bytes that the wrapper had copied from a tensor to the host, where the call was traced.
    """

    result: Any = None
    inputs: tuple[TensorInfo | None, ...] = ()
    library_calls: tuple[str, ...] = ()
    failure: Failure | None = None
    traffic: tuple[Traffic, ...] = ()
    sectors_touched: int = 0
    uncounted: str = ""
    to_host: int = 0


@dataclass
class Budget:
    """What one answer may use in all: its cases, its traces and its modules take from it.

    `calls` and `builds` are seconds on the wall, `modules` bytes of built modules, `constants` bytes of the tensors
    that a candidate's script makes itself, beside the weights of the task's Model.
    """

    calls: float = 120.0
    builds: float = 300.0
    modules: int = 96 << 20
    constants: int = 512 << 20


class Worker:
    """A process that runs answers, started on entry and killed on exit.

    `toolchain` decides how sources are built and on which device inputs lie (default: what `course.build` chooses);
    `"traced"` is the emulator with every access to memory looked at. `timeout` is the longest a call may take, in
    seconds, without what is built meanwhile. `server` starts the process (default: this process's own). `budget` is
    what its answer may still use, here and in other workers (default: one of its own). Every method raises WorkerDied
    or TimedOut when the process is lost, ForeignSymbols before a module is loaded that calls what it must not, and
    ServerLost or RefereeFailed for what is no answer's fault; `printed` holds what the student's code wrote to stdout
    and stderr, its first 64 KiB.

    The process asks for each module that it needs, and can only load it: it is built, and its symbols are listed, in a
    process in which no student code runs.

    The Python of a candidate runs in another process, which has inputs of other values: what it asks there of PyTorch
    and of its modules is recorded, and the worker does the same with the inputs of the case (see `recording.py`).
    """

    def __init__(
        self,
        toolchain: str | None = None,
        timeout: float = 30.0,
        server: Server | None = None,
        budget: Budget | None = None,
    ):
        self.toolchain = toolchain or build.default_toolchain()
        self.device = "cpu" if self.toolchain in EMULATED else "cuda"
        self.timeout = timeout
        self._server = server or _server()
        self._printed = bytearray()
        self._altered: list[tuple[int, int]] = []  # seeds and counts of the calls that were repeated
        self._written = 0
        self._budget = budget or Budget()
        self._folders: dict[tuple[str, Source], str] = {}  # where each was built, by the toolchain
        self._shown: dict[str, str] = {}  # where the process finds what was built
        self._scripts: dict[str, Worker] = {}  # by the name of the candidate
        self._compiles = False  # while a call runs, by torch.compile

    def __enter__(self) -> Worker:
        self._channel, there = socket.socketpair()
        self._output, write_end = os.pipe()
        try:
            self._process: Process | None = self._server.fork(self.toolchain, there.fileno(), write_end)
        except BaseException:
            self._channel.close()
            os.close(self._output)
            raise
        finally:
            there.close()
            os.close(write_end)
        os.set_blocking(self._output, False)
        self._channel.setblocking(False)
        return self

    def __exit__(self, *exc: object) -> None:
        for script in self._scripts.values():
            script.__exit__(*exc)
        self._channel.close()
        self._reap()
        os.close(self._output)

    @property
    def printed(self) -> str:
        # What a script's kernels print they print in its process too.
        printed = b"".join(script._printed for script in self._scripts.values()) if self._scripts else self._printed
        return printed.decode("utf-8", "replace")

    @property
    def sources(self) -> list[Source]:
        """What was built for the answers that were loaded."""
        return list(dict.fromkeys(source for _, source in self._folders))

    def load(self, name: str, answer: Answer, task: Task) -> None:
        """Build `answer` and keep it under `name`.

        Raises BuildError and AnswerError for what is wrong with the answer, CourseError for what is wrong with the
        machine.
        """
        process = self._script(name) if answer.kind == "candidate" else self
        process._load(name, answer, task)

    def _script(self, name: str) -> Worker:
        """A process of its own for the Python of the candidate `name`."""
        # A trace is made of the record: that script need not be traced, and its modules are built already.
        toolchain = "emulator" if self.toolchain == "traced" else self.toolchain
        script = Worker(toolchain, self.timeout, self._server, self._budget).__enter__()
        if script.toolchain == self.toolchain:
            script._folders = self._folders
        self._scripts[name] = script
        return script

    def _load(self, name: str, answer: Answer, task: Task) -> None:
        self._compiles = "torch.compile" in answer.source
        request: dict[str, Any] = {"do": "load", "name": name, "answer": asdict(answer), "task": _task_json(task)}
        request["arithmetic"] = task.asks_for_a_value
        if self.toolchain in EMULATED and answer.kind != "python":
            emulator.runtime_folder()  # not in the time of a call
        builds_there = self.toolchain == "torch" and answer.kind != "python"
        reply, _ = self._ask(request, BUILD_SECONDS["torch"] if builds_there else self.timeout)
        with self._reading():
            failure = _failure(reply.get("failure"))
        if failure:
            if failure.type == "BuildError":
                raise BuildError(failure.message)
            # Whatever type a worker reports, student code may have chosen it: nothing here is the machine's fault.
            raise AnswerError(_load_sentence(failure))

    def run(self, name: str, task: Task, case: Case, seed: int, counting: bool = False) -> Outcome:
        """Call the answer `name` on the inputs of `case`. Inputs and outputs stay in the worker until the next run.

        `counting`, for a traced worker alone, has the traffic counted, which takes two or three times as long.
        """
        problem = emulator.counting_problem() if counting else ""
        self._altered.clear()
        if name in self._scripts and (unrecorded := self._record(name, task, case, seed)):
            return unrecorded
        request = {"do": "run", "name": name, "task": _task_json(task), "case": case.to_json(), "seed": seed}
        reply, _ = self._ask({**request, "counting": counting and not problem}, self.timeout)
        with self._reading():
            return Outcome(
                _result(reply.get("result"), "outputs"),
                tuple(x if isinstance(x := _result(i, "inputs"), TensorInfo) else None for i in _list(reply["inputs"])),
                tuple(_text(call) for call in _list(reply["library_calls"])),
                _failure(reply.get("failure")),
                tuple(_traffic(line) for line in _list(reply["traffic"])),
                _count(reply["sectors_touched"]),
                problem or _text(reply["uncounted"]),
                _count(reply["to_host"]),
            )

    def _record(self, name: str, task: Task, case: Case, seed: int) -> Outcome | None:
        """Have the worker keep, as `name`, what that script does with inputs like those of `case`; or why it cannot.

        Those that are no tensors are the case's own.
        """
        script = self._scripts[name]
        inputs = task.inputs(case, seed, self.device)
        count, given = len(tensors_in(inputs)), [None if tensors_in(x) else x for x in inputs]
        del inputs
        weights = task.sized(case.sizes).weight_bytes()
        bound = CONSTANTS_BOUND + weights
        request: dict[str, Any] = {"do": "record", "name": name, "task": _task_json(task), "case": case.to_json()}
        request |= {"given": given, "constants_bound": bound}
        seeds = {"seed": other_seed(seed, "script"), "weights": other_seed(seed, "weights")}
        reply, constants = script._ask({**request, **seeds}, self.timeout, bounds=(RECORD_BOUND, bound))
        with script._reading():
            if failure := _failure(reply.get("failure")):
                return Outcome(failure=failure)
            try:
                record = checked(reply["record"], count, len(constants))
            except NotRun as error:
                text = f"PyTorch's {error} is no operation that an answer may use"
                return Outcome(library_calls=(_text(error, 100),), failure=Failure("NotRun", text))
            record["modules"] = [asdict(source_from_json(source)) for source in record["modules"]]
        self._budget.constants -= max(0, len(constants) - weights)
        if self._budget.constants < 0:
            text = (
                f"the tensors that a script makes take {Budget.constants >> 20} MiB at most in all its calls together"
            )
            return Outcome(failure=Failure("CourseError", text))
        reply, _ = self._ask({"do": "replay", "name": name, "record": record}, self.timeout, payload=constants)
        with self._reading():
            failure = _failure(reply.get("failure"))
        return Outcome(failure=failure) if failure else None

    def fetch(self, info: TensorInfo, start: int = 0, stop: int | None = None) -> torch.Tensor:
        """Elements `start` to `stop` of a tensor of the last run, in row-major order, as a flat tensor on the CPU."""
        stop = info.numel if stop is None else min(stop, info.numel)
        size = max(0, stop - start) * info.dtype.itemsize
        if not size:
            return torch.empty(0, dtype=info.dtype)
        request = {"do": "fetch", "where": info.where, "index": info.index, "start": start, "stop": stop}
        _, payload = self._ask(request, self.timeout, bounds=(HEADER_BOUND, size))
        if len(payload) != size:
            raise self._nonsense()
        return torch.frombuffer(payload, dtype=info.dtype)

    def repeat(self, name: str, count: int) -> None:
        """Call `name` `count` times on the inputs of the last run, unfilled outputs, and wait for the device.

        Before each call the inputs are changed at places that no answer knows: see `inputs`. The last call's result
        replaces the outputs that `fetch` brings. The caller holds the clock.
        """
        seed = secrets.randbits(32)
        self._altered.append((seed, count))
        self._done({"do": "repeat", "name": name, "count": count, "seed": seed})

    def inputs(self, task: Task, case: Case, seed: int) -> list[Any]:
        """What the inputs of the last run, which had these arguments, must be by now, made in this process."""
        inputs = task.inputs(case, seed, self.device)
        for places, count in self._altered:
            for _ in altering(inputs, places, count):
                pass
        return inputs

    def time(self, names: Sequence[str], task: Task, case: Case, seed: int, rounds: int) -> dict[str, list[float]]:
        """Milliseconds of `rounds` calls of each of `names` on the inputs of `case`: see `time_interleaved`."""
        for name in self._scripts.keys() & set(names):
            if unrecorded := self._record(name, task, case, seed):
                raise AnswerError(f"The answer failed when it was called again: {unrecorded.failure}.")
        request = {"do": "time", "names": list(names), "rounds": rounds}
        reply = self._done({**request, "task": _task_json(task), "case": case.to_json(), "seed": seed})
        with self._reading():
            return {name: [float(x) for x in _list(reply["times"][name])] for name in names}

    def _done(self, request: dict) -> dict:
        reply, _ = self._ask(request, self.timeout)
        with self._reading():
            failure = _failure(reply.get("failure"))
        if failure:
            raise AnswerError(f"The answer failed when it was called again: {failure}.")
        return reply

    def _ask(
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
        start = time.monotonic()
        building, seconds = 0.0, min(BUILD_SECONDS[self.toolchain], self._budget.builds)
        try:
            for _ in range(BUILDS_BOUND + 1):
                reply, received = self._exchange(request, start + timeout + building, late, payload, bounds)
                if "build" not in reply:
                    return reply, received
                payload = b""
                begun = time.monotonic()
                request = self._built(reply["build"], seconds - building)
                building += time.monotonic() - begun
            self._reap()
            raise WorkerDied(f"The code had more than {BUILDS_BOUND} modules built in one call: build fewer.")
        finally:
            self._budget.calls -= time.monotonic() - start - building
            self._budget.builds -= building

    def _built(self, wanted: Any, seconds: float) -> dict:
        """Build what the worker wants within `seconds`; the reply says where it lies, or what is wrong with it."""
        with self._reading():
            toolchain, source = wanted["toolchain"], source_from_json(wanted["source"])
            if toolchain not in (self.toolchain, "traced"):
                raise ValueError("no toolchain of this worker")
        folder = self._folders.get((toolchain, source))
        if folder is None:
            if self._budget.modules < 0:
                return {"error": "Too many builds of this answer have failed: build fewer modules."}
            architecture = architecture_here() if toolchain == "nvcc" else None
            try:
                reply = build_apart(toolchain, source, self._server.confine, architecture, seconds)
            except TimedOut:
                text = "The build was stopped, since it takes too long: look for a template that repeats itself."
                return {"error": text}
            failure = _failure(reply.get("failure"))
            # Of a build that fails objects are kept too.
            module = 0 if failure else (Path(reply["folder"]) / "module.so").stat().st_size
            self._budget.modules -= FAILED_BUILD if failure else module
            if failure:
                return {"error": _build_sentence(failure)}
            # One that no library has cannot be called: the worker says that the module does not load.
            if names := [name for name in foreign_symbols(reply["symbols"]) if _is_there(name, self.toolchain)]:
                self._reap()  # it waits for a module that it will not get
                raise ForeignSymbols(names)
            folder = reply["folder"]
            if self._budget.modules < 0:
                text = (
                    f"The modules of an answer may take {Budget.modules >> 20} MiB together, with {FAILED_BUILD >> 20}"
                )
                return {"error": f"{text} MiB for each failed build: make its arrays smaller, or build less."}
            self._folders[toolchain, source] = folder
        if folder not in self._shown:
            assert self._process is not None  # it has just asked
            self._shown[folder] = self._process.shown(folder)
        return {"folder": self._shown[folder]}

    def _exchange(
        self,
        request: dict,
        deadline: float,
        late: str,
        payload: bytes | bytearray = b"",
        bounds: tuple[int, int] = (HEADER_BOUND, 0),
    ) -> tuple[dict, bytearray]:
        """One frame there and one back; anything else than a well-formed one in time loses the worker.

        A reply repeats a random number of its request, and nothing follows it: what student code sent ahead of the
        request, or sends beside the reply, is no reply. `late` begins the sentence for a reply that does not come.
        """
        if not self._process:
            raise WorkerDied("The worker has ended already.")
        number = secrets.token_hex(16)
        try:
            data = json.dumps({**request, "number": number}).encode()
            if self._pending():
                raise self._nonsense()
            self._send(FRAME.pack(len(data), len(payload)) + data, deadline)
            self._send(payload, deadline)
            header, size = FRAME.unpack(self._receive(FRAME.size, deadline))
            if header > bounds[0] or size > bounds[1]:
                raise self._nonsense()
            reply = json.loads(self._receive(header, deadline))
            if not isinstance(reply, dict) or reply.pop("number", None) != number:
                raise self._nonsense()
            received = self._receive(size, deadline)
            if self._pending():
                raise self._nonsense()
            return reply, received
        except (ValueError, RecursionError) as error:
            raise self._nonsense() from error
        except TimeoutError as error:
            self._reap()
            compiling = ", and a first call compiles what torch.compile was given: give it less, or" * self._compiles
            raise TimedOut(f"{late}{compiling or ':'} look for a loop that never ends.") from error
        except OSError as error:
            raise self._died() from error
        finally:
            self._drain()

    def _pending(self) -> bool:
        """Whether the process has sent something that nobody asked for."""
        try:
            return bool(self._channel.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return False

    def _send(self, data: bytes | bytearray, deadline: float) -> None:
        left = memoryview(data)
        while left:
            self._wait(selectors.EVENT_WRITE, deadline)
            with contextlib.suppress(BlockingIOError):
                left = left[self._channel.send(left) :]

    def _receive(self, size: int, deadline: float) -> bytearray:
        data = bytearray(size)
        left = memoryview(data)
        while left:
            self._wait(selectors.EVENT_READ, deadline)
            with contextlib.suppress(BlockingIOError):
                count = self._channel.recv_into(left)
                if not count:
                    raise ConnectionResetError
                left = left[count:]
        return data

    def _wait(self, events: int, deadline: float) -> None:
        """Until the channel is ready; meanwhile the student's output is read, so that no print ever blocks."""
        # Not epoll, whose watches are counted for the user: an answer might leave none.
        with selectors.PollSelector() as selector:
            selector.register(self._channel, events)
            selector.register(self._output, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                ready = [key.fileobj for key, _ in selector.select(left)]
                if self._output in ready and not self._drain():
                    selector.unregister(self._output)  # the student's code closed it
                if self._channel in ready:
                    return

    def _drain(self) -> bool:
        """Take what the student's code has written, at most a pipe's worth; False at its end."""
        try:
            data = os.read(self._output, 1 << 16)
        except BlockingIOError:
            return True
        self._printed += data[: PRINTED_BOUND - len(self._printed)]
        self._written += len(data)
        if self._written > WRITTEN_BOUND and self._process:
            self._reap()
            raise WorkerDied(f"The code printed more than {WRITTEN_BOUND >> 20} MiB, and was stopped: print less.")
        return bool(data)

    def _died(self) -> WorkerDied:
        status = self._reap()
        if status is None:  # the server or the keeper has ended, not only the worker
            raise ServerLost("The process that runs answers was lost with its server: run it again.")
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            meaning = {
                "SIGSEGV": ": an address was used that is not its own",
                "SIGABRT": ": abort() was called",
                "SIGKILL": ", as happens where too much memory is used",
            }
            text = f"The process that ran the code was ended by {name}{meaning.get(name, '')}."
            return WorkerDied(text, name)
        return WorkerDied(f"The process that ran the code ended by itself with exit status {status}: look for exit().")

    def _nonsense(self) -> WorkerDied:
        self._reap()
        return WorkerDied("The process that ran the code sent something that is no reply, and was stopped.")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """While a reply is taken apart: one that lacks something, or has something else there, loses the worker."""
        try:
            yield
        except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise self._nonsense() from error

    def _reap(self) -> int | None:
        """Kill the process, and say how it ended, as `Process.end` does."""
        process, self._process = self._process, None
        return process.end() if process else 0


class Process:
    """A worker's process as its referee holds it, by the leash to its keeper; `pid` is its number in its namespace."""

    def __init__(self, leash: socket.socket, pid: int):
        self.leash, self.pid = leash, pid

    def shown(self, folder: str) -> str:
        """Where this process finds what was built into `folder`."""
        return folder

    def end(self) -> int | None:
        """Kill the process, and say how it ended: its exit status, or minus the signal; None where nobody knows."""
        with self.leash, contextlib.suppress(OSError, ValueError):  # no text at all, where the keeper is gone
            self.leash.settimeout(END_SECONDS)
            self.leash.shutdown(socket.SHUT_WR)
            return int(json.loads(self.leash.recv(REPLY_BOUND)))
        return None


class Server:
    """The referee's end of a server, which forks a worker in some ten milliseconds; started at the first, and again
    where it has ended. A class of its own can put its workers, and the compilers of what they need, under restraint.
    """

    confine: tuple[str, ...] = ()  # stands before each compiler's command; {folder} is the one that it may write

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen | None = None

    def popen(self, fd: int) -> subprocess.Popen:
        """The server's process, which inherits `fd`, its end of the control channel."""
        return subprocess.Popen(
            self.command(fd), pass_fds=[fd], stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": self.path()},
            start_new_session=True,  # Ctrl-C in a terminal is for the referee
        )  # fmt: skip

    @staticmethod
    def command(fd: int) -> list[str]:
        """What runs a server."""
        # -P keeps a torch.py or course/ beside the notebook from being imported in their place.
        return [sys.executable, "-P", "-m", PROGRAM, str(fd)]

    @staticmethod
    def path() -> str:
        """The `PYTHONPATH` with which it finds the course."""
        return os.pathsep.join(filter(None, (str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH"))))

    def fork(self, toolchain: str, channel: int, output: int) -> Process:
        """A new worker, which owns the two descriptors: its channel and what it writes to stdout and stderr.

        Raises ServerLost where the server does not start, CourseError where it cannot isolate the worker.
        """
        return Process(*self._forked(toolchain, (channel, output), None))

    def _forked(self, toolchain: str, fds: tuple[int, int], isolation: Isolation | None) -> tuple[socket.socket, int]:
        """The leash and the process id of a new worker."""
        request = json.dumps({"toolchain": toolchain, "isolation": isolation and asdict(isolation)}).encode()
        for started_again in (False, True):
            leash, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                with there, self.lock:
                    self._start()
                    socket.send_fds(self.control, [request], [there.fileno(), *fds])
                leash.settimeout(START_SECONDS)
                reply = json.loads(leash.recv(REPLY_BOUND))
                if "problem" in reply:
                    raise CourseError(f"A process in which an answer runs cannot be isolated: {reply['problem']}.")
                return leash, int(reply["pid"])
            except (OSError, ValueError) as error:  # an empty reply, at the end of the server, is no JSON
                leash.close()
                with self.lock:
                    self._close_if_it_ended(hangs=isinstance(error, TimeoutError))
                if started_again:  # that it had ended may not have been known yet
                    raise ServerLost("The process that judges does not answer: run it again.") from error
            except BaseException:
                leash.close()
                raise
        raise AssertionError("unreachable")

    def _runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the server now, so that the first worker need not wait for the import of PyTorch."""
        with self.lock:
            self._start()

    def _start(self) -> None:
        if self._runs():
            return
        self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self.process = self.popen(there.fileno())
        atexit.register(self.close)

    def _close_if_it_ended(self, hangs: bool) -> None:
        """Forget a server that has ended, or end one that hangs: others may be at work with one that runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.process is not None and not hangs:
                self.process.wait(1)  # it may be about to end
        if hangs or not self._runs():
            self.close()

    def close(self) -> None:
        """End the server, and with it its workers."""
        atexit.unregister(self.close)
        if self.process is None:
            return
        self.control.close()  # at the end of its input the server ends
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


_servers: dict[int, Server] = {}  # by process id: a process forked from this one needs a server of its own


def _server() -> Server:
    """This process's own server."""
    return _servers.setdefault(os.getpid(), Server())


def build_apart(
    toolchain: str, source: Source, confine: Sequence[str], architecture: str | None, seconds: float
) -> dict:
    """Build in a process of this one's own server, in which no student code runs; nvcc builds for `architecture`.

    `confine` is the command that restrains compilers, `seconds` what they may take. The reply has the `folder` and the
    undefined `symbols`, or a `failure`. Raises TimedOut; RefereeFailed where that process has died twice.
    """
    request: dict[str, Any] = {
        "do": "build",
        "toolchain": toolchain,
        "source": asdict(source),
        "cache": str(cache_root().absolute()),
        "architecture": architecture,
        "confine": list(confine),
    }
    lost: WorkerDied | None = None
    for _ in range(2):
        try:
            with Worker(toolchain) as process:
                return process._exchange(request, time.monotonic() + seconds, "Nothing was built in time")[0]
        except WorkerDied as error:
            lost = error
    raise RefereeFailed(f"The referee's own process, which builds, was lost twice. {lost}") from lost


def warm() -> None:
    """Start the server now, so that the first judgement need not wait for the import of PyTorch."""
    _server().start()


def inside_worker() -> bool:
    """Whether this very process is a worker."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec is not None and spec.name == PROGRAM


def _task_json(task: Task) -> dict:
    return {"name": task.name, "source": task.source, "path": task.path, "sizes": task.sizes}


def source_from_json(data: Any) -> Source:
    """The source that a worker wants built, every field checked as `_result` does it."""

    def texts(name: str) -> tuple[str, ...]:
        return tuple(_string(each) for each in _list(data[name]))

    functions = data["functions"]
    return Source(
        cuda=_string(data["cuda"]),
        cpp=None if data["cpp"] is None else _string(data["cpp"]),
        functions=None if functions is None else tuple((_string(name), _string(doc)) for name, doc in functions),
        cflags=texts("cflags"),
        cuda_cflags=texts("cuda_cflags"),
        ldflags=texts("ldflags"),
        include_paths=texts("include_paths"),
        options=tuple((_string(name), value is True) for name, value in _list(data["options"])),
    )


def _string(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError("not a text")
    return data


def _load_sentence(failure: Failure) -> str:
    return failure.message if failure.type == "AnswerError" else f"The code of the answer does not run: {failure}."


def _is_there(symbol: str, toolchain: str) -> bool:
    """Whether a library that a worker has loaded defines `symbol`."""
    libraries = [ctypes.CDLL(None), native.torch_library()]
    if toolchain in EMULATED:
        libraries.append(emulator.runtime())
    return any(hasattr(library, symbol) for library in libraries)


def _build_sentence(failure: Failure) -> str:
    """Why nothing was built, for the answer. Raises CourseError for what is no source's fault."""
    if failure.type in ("BuildError", "RecursionError", "MemoryError", "UnicodeEncodeError"):
        return failure.message if failure.type == "BuildError" else str(failure)
    if failure.type in ("CourseError", "ToolchainMissing"):
        raise CourseError(failure.message)
    raise RefereeFailed(f"The build failed in a way that no source explains: {failure}.")


def _list(data: Any) -> list:
    if not isinstance(data, list):
        raise TypeError("not a list")
    return data


def _text(data: Any, bound: int = MESSAGE_BOUND) -> str:
    """`data` as text that can be printed and stored: half of a surrogate pair cannot."""
    return str(data)[:bound].encode(errors="backslashreplace").decode()


def _result(data: Any, where: str) -> Any:
    """The result that a worker describes, every field checked; raises what `Worker._reading` takes for nonsense."""
    if isinstance(data, list):
        return tuple(_result(item, where) for item in data)
    if type(data) is int and abs(data) >= 1 << 64:
        raise ValueError("no number that a worker sends")
    if not isinstance(data, dict):
        return data
    if "dict" in data:
        return {str(key): _result(item, where) for key, item in data["dict"].items()}
    if "class" in data:
        return Other(_text(data["class"], 100))
    shape, strides = (tuple(_count(n) for n in _list(data[key])) for key in ("shape", "strides"))
    dtype = DTYPES.get(data["dtype"])
    if dtype is None or len(shape) > 16 or len(strides) != len(shape):
        raise ValueError("no tensor")
    return TensorInfo(where, _count(data["index"]), shape, strides, dtype, str(data["device"])[:20])


def _count(number: Any) -> int:
    if type(number) is not int or not 0 <= number < 1 << 48:
        raise ValueError("no count")
    return number


def _traffic(data: Any) -> Traffic:
    """A line's traffic, every field checked, as `_result` does it."""
    texts = ("kernel", "space", "op")
    checked: dict[str, Any] = {
        key: _text(value, 200) if key in texts else _count(value) for key, value in dict(data).items()
    }
    line = Traffic(**checked)
    if not (line.bytes_each and line.requests and line.units and line.ideal and line.lanes):
        raise ValueError("a line that asks for nothing")
    return line


def _places(data: Any) -> tuple[dict, ...]:
    """The places of a hazard, those that are well-formed."""
    places = []
    for place in data[:20] if isinstance(data, list) else []:
        numbers: dict[str, Any] = (
            {key: place.get(key) for key in ("line", "block", "thread")} if isinstance(place, dict) else {}
        )
        if type(numbers.get("line")) is int and all(
            isinstance(numbers[key], list) and len(numbers[key]) == 3 and all(type(n) is int for n in numbers[key])
            for key in ("block", "thread")
        ):
            places.append(numbers)
    return tuple(places)


def _failure(data: Any) -> Failure | None:
    if not isinstance(data, dict):
        return None
    hazards = tuple(
        Hazard(
            kind if (kind := h.get("kind")) in HAZARDS else "crash",
            _text(h.get("detail", "")),
            _text(h.get("kernel", "")),
            _places(h.get("where")),
        )
        for h in _list(data.get("hazards", []))[:20]
    )
    line = data.get("line")
    return Failure(
        _text(data.get("type"), 100),
        _text(data.get("message")),
        line if type(line) is int else None,
        hazards,
        data.get("fatal") is True,
    )
