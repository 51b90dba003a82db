"""What a worker does: one method for each request of the referee, and the loop that serves them.

A worker makes its inputs from a seed, calls the answer, and replies with headers in JSON and values as raw bytes.
"""

import contextlib
import ctypes
import functools
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from course.errors import Hazard, KernelError
from course.measure import time_interleaved
from course.tasks import Case, Task
from course.tasks.task import altering
from course.toolchains import native
from course.toolchains.emulator import calls
from course.toolchains.emulator.library import launches, to_host_bytes
from course.worker.inside import isolation
from course.worker.inside.engine import Engine, LibraryCalls, filled_outputs
from course.worker.inside.load_inline import WorkerBuilder
from course.worker.inside.loading import LoadedAnswers
from course.worker.inside.results import HeldTensors, describe_error
from course.worker.messages import MESSAGE_BOUND, RequestStream
from course.worker.protocol import LAUNCHES_BOUND, Answer
from course.worker.recording import NoValues, Recorder, tensors_in

SAMPLED_ACCESSES = 4_000_000  # a launch with more is counted on a sample, which takes a second or two
KEPT_OUTPUT = (
    "Two calls returned the same memory, so the second result replaces the first: the wrapper must make a new tensor "
    "in each call."
)


class Runner:
    """A worker: one student's code, called on request. A request `{"do": "run", ...}` is a call of `do_run`."""

    def __init__(self, toolchain: str):
        self.toolchain = toolchain
        self.engine = Engine(toolchain)
        self.builder = WorkerBuilder(toolchain)
        self.answers = LoadedAnswers(self.engine, self.builder)
        self.held = HeldTensors(self.engine)
        self.calls: dict[str, Callable] = {}  # what the last run called
        self.inputs: list[Any] = []

    def serve(self, channel: int, output: int) -> None:
        """Answer requests until the channel closes, or the device is lost. Then the process ends."""
        isolation.set_dumpable(True)  # which CUDA may need
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: a worker does not outlive its parent
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        os.environ["COURSE_TOOLCHAIN"] = self.toolchain
        with RequestStream(channel) as referee, self.builder.installed():
            self.builder.referee = referee
            while request := referee.receive():
                payload: Any = b""
                raised: BaseException | None = None
                self.builder.failed.clear()
                self.engine.lacking.clear()
                try:
                    reply = getattr(self, "do_" + request.pop("do"))(**request)
                    if isinstance(reply, tuple):
                        reply, payload = reply
                except BaseException as error:  # even a student's sys.exit()
                    reply, raised = {"failure": describe_error(error, self.engine)}, error
                reply["handled"] = self._handled(raised)
                for stream in (sys.stdout, sys.stderr):
                    with contextlib.suppress(Exception):
                        stream.flush()
                referee.send(reply, payload)
                if (reply.get("failure") or {}).get("fatal"):
                    os._exit(0)
        os._exit(0)

    def _handled(self, raised: BaseException | None) -> dict[str, str]:
        """The first failed build or call, and the first name that the emulator lacks, except for the error `raised`."""
        failed = [
            f"{name} failed, and the script went on without its kernel: {error}"[:MESSAGE_BOUND]
            for name, error in self.builder.failed
            if error is not raised
        ]
        missing = [str(error) for error in self.engine.lacking if error is not raised]
        return {"failed": next(iter(failed), ""), "lacking": next(iter(missing), "")}

    def do_load(self, name: str, answer: dict, task: dict) -> dict:
        self.answers.load(name, Answer(**answer), Task(**task))
        return {}

    def do_load_function(self, name: str, function: str, module: dict) -> dict:
        self.answers.load_function(name, function, module)
        return {}

    def do_run(self, name: str, task: dict, case: dict, seed: int, counting: bool, order: int = 0) -> dict:
        kept = self._keeps_its_result(name)
        task = self.prepare(task, case, seed)
        library = LibraryCalls(getattr(task.module, "LIBRARY", ()))
        reply: dict[str, Any] = {}
        logged = name in self.answers.logged
        watched = self.engine.emulated and logged
        launched, to_host = (launches(), to_host_bytes()) if watched else (0, 0)
        counts = calls.counting() if counting else contextlib.nullcontext(calls.Counted())
        with filled_outputs(), self.engine.modes(), torch.no_grad(), calls.reordered(order), counts as counted:
            try:
                self.calls[name] = self.answers.make(name, task, seed)
                with library if logged else contextlib.nullcontext():
                    result = self.calls[name](*self.inputs)
                self.engine.synchronize()
                reply["result"] = self.held.describe(result)
                if kept:
                    raise KernelError(KEPT_OUTPUT, (Hazard("kept-output", KEPT_OUTPUT),))
                if watched and launches() == launched and not library.calls:
                    self._refuse_without_kernel()
            except BaseException as error:
                reply["failure"] = describe_error(error, self.engine)
        inputs = [self.held.describe(x, "inputs") if isinstance(x, torch.Tensor) else {} for x in self.inputs]
        reply["inputs"] = [each if "index" in each else None for each in inputs]
        reply["library_calls"] = sorted(set(library.calls))
        reply["traffic"] = [asdict(line) for line in counted.traffic] if counted.whole else []
        reply["sectors_touched"] = sum(launch.read + launch.written for launch in counted.touched)
        reply["work"] = [asdict(launch) for launch in counted.work[:LAUNCHES_BOUND]]
        reply["remarks"] = counted.remarks[:LAUNCHES_BOUND]
        reply["uncounted"] = why_uncounted(counted, library)
        reply["to_host"] = to_host_bytes() - to_host if watched else 0
        return reply

    def do_count(self, name: str, task: dict) -> dict:
        """What a call of `name` asks of a card at the task's sizes, counted on a sample of its blocks: a Demand."""
        task = Task(**task)
        try:
            inputs = [
                torch.empty_strided(x.shape, x.stride(), dtype=x.dtype) if isinstance(x, torch.Tensor) else x
                for x in task.inputs(Case(), 0, "meta")
            ]
            with calls.counting(SAMPLED_ACCESSES, blank=True) as counted, self.engine.modes(), torch.no_grad():
                self.answers.make(name, task, 0)(*inputs)
        except BaseException as error:
            return {"failure": describe_error(error, self.engine)}
        if not (counted.whole and counted.blocks):
            return {"failure": describe_error(KernelError("no launch could be counted"), self.engine)}
        return {"demand": asdict(counted.demand)}

    def do_record(self, name: str, task: dict, case: dict, seed: int, **script: Any) -> tuple[dict, bytearray]:
        """The record of a call of the script `name` on inputs from `seed`: see `_recorded`.

        Afterwards the memory is free for the worker.
        """
        try:
            return self._recorded(name, self.prepare(task, case, seed), **script)
        finally:
            self.builder.recorder = None
            self.inputs.clear()
            if not self.engine.emulated:
                torch.cuda.empty_cache()

    def do_replay(self, name: str, record: dict, modules: list[dict], payload: bytes = b"") -> dict:
        """Keep `record`, whose constants are the payload, under `name`, as `do_load` keeps an answer."""
        self.answers.load_record(name, record, payload, modules)
        return {}

    def do_fetch(self, where: str, index: int, start: int, stop: int) -> tuple[dict, memoryview]:
        return {}, self.held.values(where, index, start, stop)

    def do_repeat(self, name: str, count: int, seed: int) -> dict:
        self.held.spoil_outputs(self.inputs)
        result = None
        with self.engine.modes(), torch.no_grad():
            for _ in altering(self.inputs, seed, count):
                result = None  # the next call gets its memory
                result = self.calls[name](*self.inputs)
            self.engine.synchronize()
        self.held.describe(result)
        return {}

    def do_time(self, names: list[str], rounds: int, task: dict, case: dict, seed: int) -> dict:
        task = self.prepare(task, case, seed)
        with torch.no_grad():
            calls = {name: functools.partial(self.answers.make(name, task, seed), *self.inputs) for name in names}
            return {"times": time_interleaved(calls, rounds)}

    def prepare(self, task: dict, case: dict, seed: int) -> Task:
        """Make the inputs of `case`, instead of those of the last run; return the task with the case's sizes."""
        case = Case.from_json(case)
        task = Task(**task).sized(case.sizes)
        self.inputs.clear()
        self.calls.clear()
        self.held.clear()
        self.inputs = task.inputs(case, seed, self.engine.device)
        if self.engine.emulated and case.change.startswith("host:"):
            index = int(case.change.removeprefix("host:"))
            self.inputs[index] = native.on_host(self.inputs[index])
        return task

    def _recorded(
        self, name: str, task: Task, weights: int, given: list[Any], constants_bound: int
    ) -> tuple[dict, bytearray]:
        """The record of a call on the prepared inputs; inputs that are not tensors are replaced by `given`.

        `weights` is the seed of the model's weights, and `constants_bound` the bytes of tensors that it may make.
        """
        inputs = [x if tensors_in(x) else other for x, other in zip(self.inputs, given, strict=True)]
        recorder = Recorder(inputs, constants_bound, self.engine.modes)
        with self.engine.modes(), torch.no_grad():
            call = self.answers.make(name, task, weights)
            self.builder.recorder = recorder
            with NoValues(recorder), recorder:
                result = call(*inputs)
            self.engine.synchronize()
            return {"record": recorder.record(result)}, recorder.constants

    def _keeps_its_result(self, name: str) -> bool:
        """Whether two calls of `name` return the same memory: the answer keeps its last result and returns it again.

        Drops the last outputs.
        """
        inputs = {x.untyped_storage().data_ptr() for x in self.inputs if isinstance(x, torch.Tensor)}
        storages = [x.untyped_storage() for x in self.held.outputs if x.numel()]
        last = [(x.data_ptr(), StorageWeakRef(x)) for x in storages if x.data_ptr() not in inputs]
        storages.clear()
        self.held.outputs.clear()
        alive = {place for place, storage in last if not storage.expired()}
        if not alive or name not in self.answers.logged & self.calls.keys():
            return False
        with self.engine.modes(), torch.no_grad(), contextlib.suppress(Exception):
            self.held.describe(self.calls[name](*self.inputs))
            self.engine.synchronize()
        return any(x.untyped_storage().data_ptr() in alive for x in self.held.outputs)

    def _refuse_without_kernel(self) -> None:
        """Raise KernelError if the result has elements that no kernel made, unless the inputs are empty.

        An empty sum is 0, so a wrapper may return `torch::zeros` where K is 0.
        """
        sizes = [x.numel() for x in self.inputs if isinstance(x, torch.Tensor)]
        if any(output.numel() for output in self.held.outputs) and (any(sizes) or not sizes):
            text = (
                "No kernel was launched: the values are the wrapper's own work, or old data in the new tensor. "
                "Launch a kernel that computes them."
            )
            raise KernelError(text, (Hazard("library-call", text),))


def why_uncounted(counted: calls.Counted, library: LibraryCalls) -> str:
    """Why the counted traffic is incomplete, "" if it is complete."""
    if not counted.whole:
        return (
            "A kernel does too much between two barriers to count its traffic: look for a loop that runs more "
            "often than the sizes require."
        )
    if library.permitted:
        return f"PyTorch did a part of the work ({', '.join(sorted(set(library.permitted)))}), which cannot be counted."
    if counted.copied or library.copies:
        how = ", ".join(sorted(set(library.copies))) or "cudaMemcpy"
        return (
            f"Tensors were copied outside of a kernel ({how}), which cannot be counted: let the kernel read its inputs "
            "and write its output where they are."
        )
    return ""
