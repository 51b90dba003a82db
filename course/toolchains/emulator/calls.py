"""Calls of a module in the emulator: with arguments between red zones, faults as hazards, and counted traffic."""

import contextlib
import ctypes
import dataclasses
import functools
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from course.errors import Hazard, KernelError
from course.explain.counts import Access, Layout, Touched, Traffic, Work
from course.explain.hazards import hazard_of, hazards_and_remarks
from course.explain.limits import Demand
from course.toolchains import native
from course.toolchains.emulator.library import runtime
from course.toolchains.emulator.traced import TracedModule, reported

STOPPED = 6  # course_invoke's status if the wrapper ended with emulator::Stopped
TIME_LIMIT = 10.0  # s that a call may take
BLANK_LIMIT = 5.0  # s, of a call whose tensors are blank
REORDERED_LIMIT = 1.0  # s, of a call in another order: a block that waits for an earlier one never ends

_one_at_a_time = threading.Lock()  # the runtime emulates one device
_order: ContextVar[int] = ContextVar("order", default=0)


def load(path: Path, source: str, traced: bool) -> dict[str, Callable]:
    """The functions of the module at `path`, which was built from a CUDA source; `traced` says whether for tracing.

    Raises BuildError if the module does not import.
    """
    runtime()
    library = native.Library(path, os.RTLD_DEEPBIND)
    if traced:
        return library.functions(functools.partial(TracedFunction, _traced_module(path, source)))
    return library.functions(functools.partial(EmulatedFunction, source))


@functools.lru_cache(maxsize=32)  # reading the module's file takes longer than most calls
def _traced_module(path: Path, source: str) -> TracedModule:
    return TracedModule(path, native.Library(path, os.RTLD_DEEPBIND).library, source)


class EmulatedFunction(native.NativeFunction):
    """A bound function whose arguments lie between red zones while it runs, and whose faults become KernelError."""

    def __init__(self, source: str, *args: Any):
        super().__init__(*args)
        self.source = source

    def __call__(self, *values: Any) -> Any:
        with _one_at_a_time:
            return self._run(native.Call(self, values))

    def _run(self, call: native.Call) -> Any:
        try:
            self._begin()
            runtime().emulator_order(ctypes.c_int64(_order.get()))
            self._guard_arguments(call)
            call.status = runtime().emulator_call(
                self.library.course_invoke, ctypes.c_int64(self.index), call.packing.values, ctypes.byref(call.result),
                ctypes.byref(call.value), ctypes.byref(call.error),
                ctypes.c_double(self._time_limit()),
            )  # fmt: skip
            if hazards := self._hazards(call):
                raise KernelError(_message(call, hazards), hazards)
            self._unguard_results(call)
            return call.returned()
        finally:
            runtime().emulator_finish()
            call.free()

    def _guard_arguments(self, call: native.Call) -> None:
        names = self.tensor_names(len(call.packing.handles))
        guarded = [(v, n) for v, n in zip(call.packing.handles, names, strict=True) if not v.on_host]
        count = len(guarded)
        copies = (ctypes.c_void_p * count)()
        failed = runtime().emulator_guard(
            ctypes.c_int64(count), (ctypes.c_void_p * count)(*(value.pointer for value, _ in guarded)),
            (ctypes.c_char_p * count)(*(name.encode() for _, name in guarded)), copies,
        )  # fmt: skip
        for (value, _), copy in zip(guarded, copies, strict=True):
            if copy:
                native.release(value.pointer)
                value.pointer = copy
        if failed:
            raise KernelError(
                f"the emulator could not copy {guarded[failed - 1][1]}: there is not enough memory, or it begins in the"
                " middle of an element of another argument"
            )

    def _unguard_results(self, call: native.Call) -> None:
        results = native.tensors_in(call.value)
        for number, value in enumerate(results, 1):
            out, counts = ctypes.c_void_p(), (ctypes.c_int64(number), ctypes.c_int64(len(results)))
            if runtime().emulator_unguard(ctypes.c_void_p(value.pointer), *counts, ctypes.byref(out)):
                hazards = (hazard_of(reported(runtime())[-1], self.source),)
                raise KernelError(_message(call, hazards), hazards)
            native.release(value.pointer)
            value.pointer = out.value

    def tensor_names(self, count: int) -> list[str]:
        """The names of the tensors among the arguments, for messages."""
        return [f"input tensor {position + 1}" for position in range(count)]

    def _time_limit(self) -> float:
        return REORDERED_LIMIT if _order.get() else TIME_LIMIT

    def _begin(self) -> None:
        """Called before the arguments are prepared."""

    def _hazards(self, call: native.Call) -> tuple[Hazard, ...]:
        """What went wrong in the call."""
        return tuple(hazard_of(report, self.source) for report in reported(runtime()))


@contextlib.contextmanager
def reordered(order: int) -> Iterator[None]:
    """Run blocks, and threads between barriers, in another order: 1 is reversed, and a larger number mixes them.

    0 is the order in which they are counted.
    """
    before = _order.set(order)
    try:
        yield
    finally:
        _order.reset(before)


@dataclasses.dataclass
class Counted:
    """What some traced calls requested from memory. The first three are the arguments of `counting`."""

    max_accesses: int = 0
    in_full: bool = False
    blank: bool = False
    remarks: list[str] = dataclasses.field(default_factory=list)  # sentences about the calls that are no hazards
    traffic: list[Traffic] = dataclasses.field(default_factory=list)  # of all calls
    touched: list[Touched] = dataclasses.field(default_factory=list)  # by each launch
    work: list[Work] = dataclasses.field(default_factory=list)  # of each launch
    blocks: int = 0  # of all launches
    busiest_block: int = 0  # the most cycles of the L1 cache for one block
    # For the last call, if `in_full`: at most 100 000 accesses, layouts by the array's name, and how many are left out.
    accesses: tuple[Access, ...] = ()
    layouts: Mapping[str, Layout] = dataclasses.field(default_factory=dict)
    left_out: int = 0
    sampled: str | None = None  # a sentence with the last call's launches that were counted on a sample of their blocks
    whole: bool = True  # whether every call was counted to its end
    copied: int = 0  # bytes that the host or PyTorch copied into tensors, which are not counted as requests

    @property
    def demand(self) -> Demand:
        """What the calls ask of a card, as far as their traffic was counted."""
        touched = sum(launch.read + launch.written for launch in self.touched)
        return Demand.of(self.traffic, self.blocks, self.busiest_block, touched)


_counts = threading.RLock()  # a process has only one count at a time
_counted: ContextVar[Counted | None] = ContextVar("counted", default=None)  # to which each call adds its counts


@contextlib.contextmanager
def counting(max_accesses: int = 0, in_full: bool = False, blank: bool = False) -> Iterator[Counted]:
    """Count the traffic of the traced calls that this process makes inside the `with` block.

    A launch with more than `max_accesses` is counted on a sample of its blocks; 0 is no limit. With `in_full`, the
    accesses of one block are kept as well, which takes several times as long. The tensors of a `blank` call have no
    values and only take memory where they are touched. So a sample can be counted at a size that would not fit.
    """
    with _counts:
        counted = Counted(max_accesses, in_full, blank)
        before = _counted.set(counted)
        try:
            yield counted
        finally:
            _counted.reset(before)


class TracedFunction(EmulatedFunction):
    """A function of a traced module."""

    def __init__(self, module: TracedModule, *args: Any):
        super().__init__(module.source, *args)
        self.module = module

    def tensor_names(self, count: int) -> list[str]:
        names = self.module.tensor_parameters(self.name)
        return names if len(names) == count else super().tensor_names(count)

    def _time_limit(self) -> float:
        counted = _counted.get()
        return BLANK_LIMIT if counted and counted.blank else super()._time_limit()

    def _begin(self) -> None:
        counted = _counted.get() or Counted()
        self.module.begin(runtime(), counted is _counted.get(), counted.max_accesses, counted.blank)

    def _hazards(self, call: native.Call) -> tuple[Hazard, ...]:
        counted = _counted.get()
        is_blank = counted is not None and counted.blank
        results = native.tensors_in(call.value) if call.status == 0 and not is_blank else []
        for number, value in enumerate(results, 1):
            pointer, counts = ctypes.c_void_p(value.pointer), (ctypes.c_int64(number), ctypes.c_int64(len(results)))
            runtime().emulator_check_written(pointer, *counts)
        reports = self.module.reported(runtime())
        hazards, remarks = hazards_and_remarks(reports, self.source)
        if counted:
            counted.remarks += remarks
            counted.traffic += self.module.traffic(runtime())
            counted.touched += self.module.touched(runtime())
            counted.work += self.module.work(runtime())
            for blocks, busiest_block in self.module.launched(runtime()):
                counted.blocks += blocks
                counted.busiest_block = max(counted.busiest_block, busiest_block)
            counted.sampled = self.module.sampled(runtime())
            counted.whole &= runtime().emulator_counted_all()
            counted.copied += runtime().emulator_copied_bytes()
            if counted.in_full:
                counted.accesses, counted.layouts, counted.left_out = self.module.accesses(runtime())
        if is_blank and not call.status:  # what values would show, nobody looks at
            return tuple(hazard for hazard in hazards if hazard.kind == "bad-launch")
        return hazards


def _message(call: native.Call, hazards: tuple[Hazard, ...]) -> str:
    details = "\n".join(f"{hazard.kind}: {hazard.detail}" for hazard in hazards)
    thrown = call.message()
    return details if not thrown or call.status == STOPPED else f"{thrown}\n{details}"
