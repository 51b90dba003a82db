"""The process in which student code runs: a server, and the workers that it forks.

`python -m course.worker_process FD` is the server: it imports PyTorch once, makes no CUDA call, and forks a worker for
each request, in some ten milliseconds where a fresh import takes over a second. A worker makes its inputs from a seed,
calls the answer, and hands out headers as JSON and values as raw bytes. `worker.py` is the referee's end of both.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import glob
import importlib
import inspect
import json
import linecache
import math
import os
import re
import select
import signal
import socket
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from course import build, isolation
from course.arithmetic import NAMES, require_arithmetic
from course.build import folder_of, load_inline
from course.device import EMULATED
from course.isolation import Isolation
from course.measure import time_interleaved
from course.recording import ANSWER, NoValues, Recorder, Replay, tensors_in
from course.tasks import Case, Task, altering, other_seed
from course.toolchains import compiler, emulator, native, stand_in
from course.toolchains.base import BuildError, CourseError, Hazard, KernelError, Source, Toolchain
from course.toolchains.flags import refuse_flags
from course.worker import (
    DTYPES,
    FRAME,
    HEADER_BOUND,
    LEAVES_BOUND,
    MESSAGE_BOUND,
    Answer,
    AnswerError,
    source_from_json,
)

WATCH_SECONDS = 0.05  # between two looks at how much memory is taken
READY = b"ready"
FORK_BOUND = 1 << 14  # bytes of the message that asks for a worker
KEPT = (
    "Two calls gave the same memory, so the second result replaces the first: the wrapper must make a new tensor in "
    "each call."
)


def main(control: socket.socket) -> None:
    """Fork a worker for each message that the referee sends, and end it when the referee lets go of its leash.

    Over the leash goes the worker's process id once it is ready, or why it is not, and in the end its exit status, or
    minus the signal that had ended it.
    """
    # This import asks whether there is a GPU. To ask would spoil CUDA for every fork; and where there is nvcc but no
    # GPU, the answer is a warning on stderr, which nbgrader takes for a failed cell.
    available, torch.cuda.is_available = torch.cuda.is_available, lambda: True
    importlib.import_module("torch.utils.cpp_extension")
    torch.cuda.is_available = available
    isolation.set_dumpable(False)
    workers: dict[socket.socket, int] = {}  # by their leashes
    keepers: set[int] = set()
    with contextlib.suppress(ConnectionError):  # the referee is gone, in the middle of a request
        while True:
            ready, _, _ = select.select([control, *workers], [], [])
            for leash in workers.keys() & set(ready):
                with leash:
                    _say(leash, _end(workers.pop(leash)))
            if control not in ready:
                continue
            message, fds, _, _ = socket.recv_fds(control, FORK_BOUND, 3)
            if not message:
                break
            request = json.loads(message)
            leash, channel, output = socket.socket(fileno=fds[0]), *fds[1:]
            if request["isolation"]:
                confined = Isolation(**request["isolation"])
                own = [control, *workers]
                try:
                    keepers.add(
                        _forked_into_new_namespaces(confined, own, request["toolchain"], leash, channel, output)
                    )
                except Exception as error:  # the other workers go on
                    _say(leash, {"problem": f"{type(error).__name__}: {error}"})
                keepers -= {pid for pid in keepers if os.waitpid(pid, os.WNOHANG)[0]}
                leash.close()
            else:
                workers[leash] = _forked(
                    [control, leash, *workers], _Runner(request["toolchain"]).serve, channel, output
                )
                _say(leash, {"pid": workers[leash]})
            for fd in (channel, output):
                os.close(fd)
    for pid in workers.values():
        _end(pid)


def _forked(closed: Iterable[socket.socket], function: Callable, *arguments: Any) -> int:
    """The process id of a child that calls `function`, without these sockets, and ends with it."""
    if pid := os.fork():
        return pid
    try:
        for each in closed:
            each.close()
        function(*arguments)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _forked_into_new_namespaces(confined: Isolation, closed: Iterable[socket.socket], *arguments: Any) -> int:
    """The process id of a keeper, the first process of a worker's namespaces."""
    pids: list[int] = []
    problems: list[Exception] = []

    def fork() -> None:
        try:
            confined.enter()
            with warnings.catch_warnings():  # of the two threads one does nothing but wait for the other
                warnings.simplefilter("ignore", DeprecationWarning)
                pids.append(_forked(closed, _keep, confined, *arguments))
        except Exception as error:
            problems.append(error)

    # A thread leaves the server's namespaces and ends. A process in its place would be one more copy of PyTorch's.
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
    for problem in problems:
        raise problem
    return pids[0]


def _keep(confined: Isolation, toolchain: str, leash: socket.socket, channel: int, output: int) -> None:
    """Hold a worker in the namespaces of which this is the first process: nothing of it survives this one."""
    worker = 0
    try:
        confined.furnish()
        ready, there = os.pipe()
        worker = _forked([leash], _work, toolchain, confined, (ready, there), channel, output)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one signal that Python would take from the worker
        for fd in (there, channel, output):
            os.close(fd)
        said = os.read(ready, MESSAGE_BOUND)
        problem = "" if said == READY else said.decode() or "its process ended"
        os.close(ready)
    except OSError as error:
        problem = str(error)
    _say(leash, {"problem": problem} if problem else {"pid": worker})
    while not problem and not select.select([leash], [], [], WATCH_SECONDS)[0]:
        if _memory() > confined.memory:
            _kill_others()  # the referee sees that the channel is closed
    if not problem:
        _say(leash, _end(worker, all_others=True))


def _say(leash: socket.socket, what: dict | int) -> None:
    with contextlib.suppress(ConnectionError):  # the referee may have let go of this worker, or be gone
        leash.send(json.dumps(what).encode())


def _work(toolchain: str, confined: Isolation, pipe: tuple[int, int], channel: int, output: int) -> None:
    """What a keeper's worker does. Over the pipe it says that it is ready, or why it cannot be."""
    ready, there = pipe
    os.close(ready)
    try:
        confined.lock()
    except Exception as error:
        os.write(there, f"{type(error).__name__}: {error}".encode())
        return
    os.write(there, READY)
    os.close(there)
    _Runner(toolchain).serve(channel, output)


def _memory() -> int:
    """Bytes of memory that the processes of this namespace take, except what is mapped from files."""
    total = 0
    for path in glob.glob("/proc/[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has ended
            total += sum(
                int(kib) << 10 for kib in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", Path(path).read_text(), re.M)
            )
    return total


def _kill_others() -> None:
    """Kill every other process of this namespace."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _end(worker: int, all_others: bool = False) -> int:
    """Kill the worker with its process group, or with `all_others` of this namespace; its own exit status."""
    # A worker that has ended already keeps its status: killing it changes nothing.
    for kill in (os.kill, os.killpg):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(worker, signal.SIGKILL)
    if all_others:
        _kill_others()
    status = -signal.SIGKILL
    with contextlib.suppress(ChildProcessError):  # none is left
        for _ in range(1000):
            done, code = os.waitpid(-1 if all_others else worker, os.WNOHANG)
            if done == worker:
                status = os.waitstatus_to_exitcode(code)
            if not done:
                time.sleep(0.01)
    return status


class _Runner:
    """A worker: one student's code, called on request."""

    def __init__(self, toolchain: str):
        self.toolchain = toolchain
        self.emulated = toolchain in EMULATED
        self.original = torch.utils.cpp_extension.load_inline
        self.device = "cpu" if self.emulated else "cuda"
        self.answers: dict[str, Callable[[Task, int], Callable]] = {}
        self.logged: set[str] = set()
        self.asking = threading.Lock()  # of a script's threads one at a time
        self.calls: dict[str, Callable] = {}
        self.held: dict[str, list[torch.Tensor]] = {"inputs": [], "outputs": []}
        self.inputs: list[Any] = []
        self.recorder: Recorder | None = None
        self.modules: dict[Source, dict[str, Callable]] = {}  # of records

    def serve(self, channel_fd: int, output_fd: int) -> None:
        """Answer requests until the channel closes, or the device is lost."""
        isolation.set_dumpable(True)  # which CUDA may need
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a worker does not outlive its parent
        os.setsid()
        os.dup2(output_fd, 1)
        os.dup2(output_fd, 2)
        os.close(output_fd)
        os.environ["COURSE_TOOLCHAIN"] = self.toolchain
        self._replace_load_inline()
        build.load_inline = self._built  # the course's own, whatever toolchain a script asks it for
        if self.toolchain != "torch":  # which imports what it builds, and earns no marks
            build.folder_of = self._asked_for
            build.usable_toolchain = build.known_toolchain  # the referee has the compiler, which need not be seen here
        self.channel = socket.socket(fileno=channel_fd)
        self.reader = self.channel.makefile("rb")
        with self.channel, self.reader:
            while request := self._receive():
                payload: Any = b""
                try:
                    reply = getattr(self, "do_" + request.pop("do"))(**request)
                    if isinstance(reply, tuple):
                        reply, payload = reply
                except BaseException as error:  # a student's sys.exit() too
                    reply = {"failure": self._describe_error(error)}
                for stream in (sys.stdout, sys.stderr):
                    with contextlib.suppress(Exception):
                        stream.flush()
                self._send(reply, payload)
                if (reply.get("failure") or {}).get("fatal"):
                    os._exit(0)
        os._exit(0)

    def _receive(self) -> dict | None:
        """What the referee sends next, with what bytes it brings as `payload`; None where it has closed the channel."""
        frame = self.reader.read(FRAME.size)
        if not frame:
            return None
        header, size = FRAME.unpack(frame)
        request = json.loads(self.reader.read(header))
        self.number = request.pop("number")  # which the reply repeats
        return {**request, "payload": self.reader.read(size)} if size else request

    def _send(self, reply: dict, payload: Any = b"") -> None:
        header = json.dumps({**reply, "number": self.number}).encode()
        self.channel.sendall(FRAME.pack(len(header), len(payload)) + header)
        self.channel.sendall(payload)

    def do_build(self, toolchain: str, source: dict, cache: str, architecture: str | None, confine: list[str]) -> dict:
        """Build for another worker, as the referee asks: no student code runs in this one."""
        os.environ["COURSE_CACHE"], compiler.confine = cache, tuple(confine)
        chosen = build.toolchain_for(toolchain, architecture)
        source_ = source_from_json(source)
        refuse_flags(source_)
        try:
            folder = folder_of(chosen, source_)
        except OSError as error:
            raise CourseError(f"The build failed on this machine: {error}.") from error
        return {"folder": str(folder), "symbols": stand_in.symbols(folder)}

    def _asked_for(self, toolchain: Toolchain, source: Source) -> Path:
        """`build.folder_of` of a worker: the referee builds, and lists the symbols, where the answer cannot meddle."""
        request = {"build": {"toolchain": toolchain.name, "source": asdict(source)}}
        if len(json.dumps(request)) > HEADER_BOUND:
            raise BuildError(f"The source is longer than {HEADER_BOUND >> 10} KiB.")
        with self.asking:
            self._send(request)
            reply = self._receive()
        if reply is None:
            raise BuildError("the judge has gone")
        if "folder" not in reply:
            raise BuildError(reply["error"])
        return Path(reply["folder"])

    def do_load(self, name: str, answer: dict, task: dict, arithmetic: bool) -> dict:
        answer, task = Answer(**answer), Task(**task)
        names: Mapping[str, Any] = {}
        if arithmetic and answer.kind != "cuda":
            require_arithmetic(answer.source)  # while nothing of the student's has run in this process
            names = NAMES
        with self._modes():
            if answer.kind == "cuda":
                # All of them, as the magic does: the cell's own build is then found in the cache.
                functions = build.bindable_functions(answer.source)
                if answer.function not in functions:
                    raise AnswerError(_missing_function(answer.function, functions))
                flags = list(answer.cuda_cflags)
                module = self._built(answer.function, None, answer.source, functions=functions, extra_cuda_cflags=flags)
                call = getattr(module, answer.function)
                self.answers[name] = lambda task, seed: call
            elif answer.kind == "python":
                value = _executed(answer.source, {"torch": torch, **names}).get(answer.function, _executed)
                if value is _executed:
                    raise AnswerError(f"The cell does not define {answer.function}.")
                if isinstance(value, type) and issubclass(value, torch.nn.Module):
                    self.answers[name] = functools.partial(self._model, value)
                else:
                    self.answers[name] = lambda task, seed: value if callable(value) else lambda *inputs: value
            elif answer.kind == "model":
                self.answers[name] = lambda task, seed: self._model(task.module.Model, task, seed)
            else:
                sys.modules["model"] = task.module
                try:
                    script = _executed(answer.source, names)
                except BuildError as error:  # whose lines are not those of the script
                    raise BuildError(f"In the source that load_inline was given, {error}") from error
                if not callable(script.get("ModelNew")):
                    raise AnswerError("The script does not define ModelNew, the class that is judged.")
                task.model(script["ModelNew"], 0, self.device)  # builds what __init__ builds, while there is time
                self.answers[name] = lambda task, weights: task.model(script["ModelNew"], weights, self.device)
        if answer.kind == "cuda":
            self.logged.add(name)
        return {}

    def _model(self, kind: type, task: Task, seed: int) -> torch.nn.Module:
        """A model of the class `kind` with the weights that the reference has, for inputs from `seed`."""
        return task.model(kind, other_seed(seed, "weights"), self.device)

    def _replace_load_inline(self) -> None:
        """Put this worker's toolchain in the place of PyTorch's `load_inline`, for scripts that import that."""
        signature = inspect.signature(self.original)

        @functools.wraps(self.original)
        def as_there(*args: Any, **kwargs: Any) -> build.Module:
            signature.bind(*args, **kwargs)  # without cpp_sources, say, a TypeError here as in PyTorch
            return self._built(*args, **kwargs)

        torch.utils.cpp_extension.load_inline = as_there

    def _built(self, *args: Any, **kwargs: Any) -> build.Module:
        """`load_inline` with this worker's toolchain."""
        with _load_inline_is(self.original):  # which the toolchain `torch` calls
            module = load_inline(*args, **kwargs | {"toolchain": self.toolchain})
        for function in module._functions.values():
            function._call = functools.partial(self._call, function, function._call)
        return module

    def _call(self, function: build.Function, call: Callable, *arguments: Any) -> Any:
        """What `function`, whose own call is `call`, does in this process: of a script that is recorded, a step."""
        if self.recorder is None:
            return call(*arguments)
        return self.recorder.call(function.name, function.built_from, call, arguments)

    def _prepare(self, task: dict, case: dict, seed: int) -> Task:
        """Make the inputs of `case` in place of those of the last run; the task at the case's sizes."""
        case = Case.from_json(case)
        task = Task(**task).sized(case.sizes)
        self.inputs.clear()
        self.calls.clear()
        self.held = {"inputs": [], "outputs": []}
        self.inputs = task.inputs(case, seed, self.device)
        if self.emulated and case.change.startswith("host:"):
            index = int(case.change.removeprefix("host:"))
            self.inputs[index] = native.on_host(self.inputs[index])
        return task

    def do_run(self, name: str, task: dict, case: dict, seed: int, counting: bool) -> dict:
        kept = self._keeps_its_result(name)
        task = self._prepare(task, case, seed)
        library = _LibraryCalls(getattr(task.module, "LIBRARY", ()))
        reply: dict[str, Any] = {}
        watched = self.emulated and name in self.logged
        launched, to_host = (emulator.launches(), emulator.to_host_bytes()) if watched else (0, 0)
        counts = emulator.counting() if counting else contextlib.nullcontext(emulator.Counted())
        with _filled_outputs(), self._modes(), torch.no_grad(), counts as counted:
            try:
                self.calls[name] = self.answers[name](task, seed)
                with library if name in self.logged else contextlib.nullcontext():
                    result = self.calls[name](*self.inputs)
                self._synchronize()
                reply["result"] = self._describe(result)
                if kept:
                    raise KernelError(KEPT, (Hazard("kept-output", KEPT),))
                if watched and emulator.launches() == launched and not library.calls:
                    self._refuse_without_kernel()
            except BaseException as error:
                reply["failure"] = self._describe_error(error)
        reply["inputs"] = [self._describe(x, "inputs") if isinstance(x, torch.Tensor) else None for x in self.inputs]
        reply["library_calls"] = sorted(set(library.calls))
        reply["traffic"] = [asdict(line) for line in counted.traffic] if counted.whole else []
        reply["sectors_touched"] = sum(launch.read + launch.written for launch in counted.touched)
        reply["uncounted"] = _uncounted(counted, library)
        reply["to_host"] = emulator.to_host_bytes() - to_host if watched else 0
        return reply

    def _keeps_its_result(self, name: str) -> bool:
        """Whether two calls of `name` gave the same memory: its last result is alive without us, and a new one there.

        Lets go of the last outputs.
        """
        inputs = {x.untyped_storage().data_ptr() for x in self.inputs if isinstance(x, torch.Tensor)}
        storages = [x.untyped_storage() for x in self.held["outputs"] if x.numel()]
        last = [(x.data_ptr(), StorageWeakRef(x)) for x in storages if x.data_ptr() not in inputs]
        storages.clear()
        self.held["outputs"].clear()
        alive = {place for place, storage in last if not storage.expired()}
        if not alive or name not in self.logged & self.calls.keys():
            return False
        with self._modes(), torch.no_grad(), contextlib.suppress(Exception):
            self._describe(self.calls[name](*self.inputs))
            self._synchronize()
        return any(x.untyped_storage().data_ptr() in alive for x in self.held["outputs"])

    def _refuse_without_kernel(self) -> None:
        """Raise KernelError where the result has elements, which no kernel made, and does not come of empty inputs.

        An empty sum is 0: a wrapper may well return `torch::zeros` where K is 0.
        """
        sizes = [x.numel() for x in self.inputs if isinstance(x, torch.Tensor)]
        if any(output.numel() for output in self.held["outputs"]) and (any(sizes) or not sizes):
            text = (
                "No kernel was launched: the values are the wrapper's own work, or what lay in the new tensor; "
                "launch a kernel that computes them."
            )
            raise KernelError(text, (Hazard("library-call", text),))

    def do_record(
        self, name: str, task: dict, case: dict, seed: int, weights: int, given: list[Any], constants_bound: int
    ) -> tuple[dict, bytearray]:
        """The record of a call of the script `name` on inputs from `seed`; those without a tensor are `given`.

        `weights` is the seed of those of its model, `constants_bound` the bytes of tensors that it may make itself. The
        memory is free for the worker afterwards.
        """
        try:
            task = self._prepare(task, case, seed)
            inputs = [x if tensors_in(x) else other for x, other in zip(self.inputs, given, strict=True)]
            return self._recorded(name, task, weights, inputs, Recorder(inputs, constants_bound))
        finally:
            self.recorder = None
            self.inputs.clear()
            if not self.emulated:
                torch.cuda.empty_cache()

    def _recorded(
        self, name: str, task: Task, weights: int, inputs: list[Any], recorder: Recorder
    ) -> tuple[dict, bytearray]:
        with self._modes(), torch.no_grad():
            call = self.answers[name](task, weights)
            self.recorder = recorder
            with NoValues(recorder), recorder:
                result = call(*inputs)
            self._synchronize()
            return {"record": recorder.record(result)}, recorder.constants

    def do_replay(self, name: str, record: dict, payload: bytes = b"") -> dict:
        """Keep what `record` and its constants, the payload, say under `name`, as `do_load` keeps an answer."""
        chosen = build.usable_toolchain(self.toolchain)
        sources = [source_from_json(source) for source in record["modules"]]
        for source in sources:
            if source not in self.modules:
                with _load_inline_is(self.original):  # which the toolchain `torch` calls
                    self.modules[source] = chosen.load(source, build.folder_of(chosen, source))
        replay = Replay(record, payload, [self.modules[source] for source in sources])
        self.answers[name] = lambda task, seed: replay
        self.logged.add(name)
        return {}

    def do_fetch(self, where: str, index: int, start: int, stop: int) -> tuple[dict, memoryview]:
        held = self.held[where]
        if not held[index].is_contiguous():
            held[index] = held[index].contiguous()
        return {}, held[index].view(-1)[start:stop].view(torch.uint8).cpu().numpy().data

    def do_repeat(self, name: str, count: int, seed: int) -> dict:
        self._spoil_outputs()
        result = None
        with self._modes(), torch.no_grad():
            for _ in altering(self.inputs, seed, count):
                result = None  # its memory is what the next call gets
                result = self.calls[name](*self.inputs)
            self._synchronize()
        self._describe(result)
        return {}

    def _spoil_outputs(self) -> None:
        """Let go of the last outputs, their values gone: a later call that writes nothing must not find them right."""
        own = {x.untyped_storage().data_ptr() for x in self.inputs if isinstance(x, torch.Tensor)}
        for x in self.held["outputs"]:
            if x.untyped_storage().data_ptr() not in own:
                with contextlib.suppress(RuntimeError):  # of an expanded tensor, which holds one value many times
                    x.fill_(math.nan if x.is_floating_point() else 0)
        self.held["outputs"].clear()

    def do_time(self, names: list[str], rounds: int, task: dict, case: dict, seed: int) -> dict:
        task = self._prepare(task, case, seed)
        with self._modes(), torch.no_grad():
            calls = {name: functools.partial(self.answers[name](task, seed), *self.inputs) for name in names}
            return {"times": time_interleaved(calls, rounds)}

    @contextlib.contextmanager
    def _modes(self) -> Iterator[None]:
        """Under the emulator the CPU plays the GPU for Python code too."""
        with _CudaMeansCpu() if self.emulated else contextlib.nullcontext():
            yield

    def _synchronize(self) -> None:
        """Wait for the device. Raises KernelError for what went wrong there, launches that never started among it."""
        if self.emulated:
            return
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            text = str(error).partition("\n")[0]
            kind = "out-of-bounds" if "illegal memory" in text else "misaligned" if "misaligned" in text else "crash"
            raise KernelError(text, (Hazard(kind, f"The device reported: {text}."),)) from error
        if code := _last_cuda_error():
            text = (
                f"A launch failed with CUDA error {code}, and the wrapper did not notice: put "
                "C10_CUDA_KERNEL_LAUNCH_CHECK() after the launch."
            )
            raise KernelError(text, (Hazard("bad-launch", text),))

    def _describe(self, value: Any, where: str = "outputs", depth: int = 0) -> Any:
        """`value` as JSON; tensors are kept in `held` and described."""
        held = self.held[where]
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            device = "host" if self.emulated and native.is_on_host(value) else value.device.type
            value = value.detach().resolve_conj().resolve_neg()
            held.append(value)
            dtype = str(value.dtype).removeprefix("torch.")
            if dtype in DTYPES and len(held) <= LEAVES_BOUND:
                shape, strides = list(value.shape), list(value.stride())
                index = len(held) - 1
                return dict(index=index, shape=shape, strides=strides, dtype=dtype, device=device)
        if isinstance(value, tuple | list) and len(value) <= LEAVES_BOUND and depth < 4:
            return [self._describe(item, where, depth + 1) for item in value]
        if isinstance(value, dict) and len(value) <= LEAVES_BOUND and depth < 4:
            return {"dict": {str(key): self._describe(item, where, depth + 1) for key, item in value.items()}}
        if value is None or type(value) in (float, bool) or (type(value) is int and abs(value) < 1 << 64):
            return value
        if type(value) is str and len(value) <= MESSAGE_BOUND:
            return value
        return {"class": type(value).__name__}

    def _describe_error(self, error: BaseException) -> dict:
        """`error` as JSON. On a GPU whose context an error has spoiled, `fatal` says so."""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == ANSWER]
        line = lines[-1] if lines else getattr(error, "line_of_answer", None)
        if isinstance(error, SyntaxError) and error.filename == ANSWER:
            line = error.lineno
        hazards = [asdict(hazard) for hazard in getattr(error, "hazards", ())]
        fatal = False
        if not self.emulated and torch.cuda.is_initialized():
            try:
                torch.cuda.synchronize()
            except RuntimeError:
                fatal = True
        message = re.sub(r"\nCUDA kernel errors might be asynchronously.*", "", str(error), flags=re.DOTALL).strip()
        name = type(error).__name__
        return dict(type=name, message=message[:MESSAGE_BOUND], line=line, hazards=hazards, fatal=fatal)


def _uncounted(counted: emulator.Counted, library: _LibraryCalls) -> str:
    """Why the traffic that was counted is not all there was, "" where it is."""
    if not counted.whole:
        return (
            "A kernel does too much between two barriers for its traffic to be counted: look for a loop that runs more "
            "often than the sizes ask for."
        )
    if library.permitted:
        return f"PyTorch did a part of the work ({', '.join(sorted(set(library.permitted)))}), which no request counts."
    if counted.copied or library.copies:
        how = ", ".join(sorted(set(library.copies))) or "cudaMemcpy"
        return (
            f"Tensors were copied outside of a kernel ({how}), which no request counts: let the kernel read its inputs "
            "and write its output where they are."
        )
    return ""


@contextlib.contextmanager
def _load_inline_is(function: Callable) -> Iterator[None]:
    before = torch.utils.cpp_extension.load_inline
    torch.utils.cpp_extension.load_inline = function
    try:
        yield
    finally:
        torch.utils.cpp_extension.load_inline = before


def _missing_function(name: str, functions: Sequence[str]) -> str:
    there = f"it has {', '.join(functions)}" if functions else "it has no function that takes or returns a tensor"
    return f"The source does not define {name}: {there}."


def _executed(source: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """The names that `source` binds, run as a module of its own; tracebacks and `inspect` find its lines."""
    linecache.cache[ANSWER] = (len(source), None, source.splitlines(keepends=True), ANSWER)
    module = types.ModuleType("answer")
    module.__dict__.update(names)
    sys.modules["answer"] = module
    exec(compile(source, ANSWER, "exec"), module.__dict__)
    return module.__dict__


@contextlib.contextmanager
def _filled_outputs() -> Iterator[None]:
    """New tensors hold NaN until they are written, so that a gap shows (integers: their largest value, or -1)."""
    # "warn" is use_deterministic_algorithms(True, warn_only=True) without its import of the whole of torch._inductor.
    torch.set_deterministic_debug_mode("warn")
    native.Call.fill_empty = True
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        native.Call.fill_empty = False
        torch.set_deterministic_debug_mode("default")


def _last_cuda_error() -> int:
    """The error that the last launch left behind, 0 where there is none: PyTorch offers no call that asks."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcudart.so" in line}
    return max((ctypes.CDLL(path).cudaGetLastError() for path in paths), default=0)


class _CudaMeansCpu(TorchFunctionMode):
    """Makes `.cuda()`, `.to("cuda")` and `device="cuda"` mean the CPU, on which the emulator's tensors lie."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func == torch.Tensor.is_cuda.__get__:  # type: ignore[attr-defined]
            return not native.is_on_host(args[0])
        moves = func in (torch.Tensor.cuda, torch.Tensor.cpu, torch.Tensor.to)
        wanted = {_device_type(x) for x in [*args, *(kwargs or {}).values()]}
        if func is torch.Tensor.cuda:  # a tensor that `on_host` has marked is another Python object from here on
            return args[0].view_as(args[0]) if native.is_on_host(args[0]) else args[0]
        args = [torch.device("cpu") if _device_type(x) == "cuda" else x for x in args]
        kwargs = {key: torch.device("cpu") if _device_type(x) == "cuda" else x for key, x in (kwargs or {}).items()}
        result = func(*args, **kwargs)
        return native.on_host(result) if moves and (func is torch.Tensor.cpu or "cpu" in wanted) else result


def _device_type(x: Any) -> str | None:
    """`cuda` or `cpu` where `x` names a device, else None."""
    if isinstance(x, torch.device):
        return x.type
    return x.partition(":")[0] if isinstance(x, str) else None


class _LibraryCalls(TorchDispatchMode):
    """Notes every PyTorch operation that computes, and those that copy; to allocate, view or fill is for a wrapper.

    Those that compute are `calls`, or, where the task lets an answer call them (its `library`), `permitted`.
    """

    ALLOWED = frozenset(
        (
            *("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_"),
            *("zeros", "zeros_like", "new_zeros", "zero_", "ones", "ones_like", "new_ones", "fill_", "scalar_tensor"),
            *("full", "full_like", "new_full", "lift_fresh", "_reshape_alias", "_unsafe_view", "_local_scalar_dense"),
            *("is_same_size", "is_pinned", "record_stream"),
        )
    )
    COPIES = frozenset(("clone", "copy_", "_to_copy", "contiguous", "_reshape_copy", "_pin_memory"))

    def __init__(self, library: Collection[str]) -> None:
        super().__init__()
        self.library = library
        self.calls: list[str] = []
        self.copies: list[str] = []
        self.permitted: list[str] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and skipping it imports it first: 0.7 s

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.overloadpacket.__name__
        if name in self.COPIES:
            self.copies.append(name)
        elif name in self.library:
            self.permitted.append(name)
        elif not func.is_view and name not in self.ALLOWED:
            self.calls.append(name)
        return func(*args, **(kwargs or {}))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
