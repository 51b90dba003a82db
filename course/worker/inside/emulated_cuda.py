"""The public names of `torch.cuda` that an answer has under the emulator, as on a machine with one GPU.

Any other name raises CannotJudge. The emulator runs everything at once and in order, so there is nothing to wait for.
"""

import contextlib
import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from course.errors import CannotJudge
from course.toolchains.emulator.library import runtime

GPU = torch.device("cuda", 0)
CudaError = torch.cuda.CudaError
_real = dict(vars(torch.cuda))


def missing(lacking: list[CannotJudge], name: str) -> Any:
    """The `__getattr__` of `torch.cuda`, for names that are not here. PyTorch itself still finds all of them.

    Each error that an answer gets is added to `lacking`.
    """
    if name not in _real:
        raise AttributeError(f"module 'torch.cuda' has no attribute {name!r}")
    if name.startswith("_") or sys._getframe(1).f_globals.get("__name__", "").startswith("torch."):
        return _real[name]
    text = f"The answer could not be judged, since the emulator has no torch.cuda.{name}: leave it out, or use a GPU"
    lacking.append(CannotJudge(text))
    raise lacking[-1]


class Event(torch.cpu.Event):
    """An event. The time between two of them is the emulator's, which says nothing about a GPU."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self._is_timed, self._recorded = enable_timing, 0.0

    def record(self, stream: Any = None) -> None:
        self._recorded = time.perf_counter()

    def elapsed_time(self, end_event: "Event") -> float:
        if not (self._is_timed and end_event._is_timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not (self._recorded and end_event._recorded):
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return 1e3 * (end_event._recorded - self._recorded)


class Stream(torch.cpu.Stream):
    """A stream, which is also the context of itself. PyTorch has streams for the CPU, on which nothing has to wait."""

    def __init__(self, device: Any = None, priority: int = 0, **options: Any) -> None:
        self.device, self.device_index, self.priority, self.cuda_stream = GPU, GPU.index, priority, 0
        self._context = torch.cpu.StreamContext(self)

    def __enter__(self) -> "Stream":
        self._context.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._context.__exit__(*exc)

    def synchronize(self) -> None: ...

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:  # type: ignore[override]
        event = event or Event()
        event.record(self)
        return event


def _always(value: Any) -> Callable[..., Any]:
    """A function that returns `value` for all arguments."""
    return lambda *args, **options: value


# The compiler of PyTorch refuses one function for two names.
init, synchronize, empty_cache, set_device = (_always(None) for _ in range(4))
is_available, is_initialized = _always(True), _always(True)
device_count, current_device = _always(1), _always(GPU.index)
default_stream = _always(Stream())


class StreamContext(torch.cpu.StreamContext):
    """A context in which `stream` is the current stream."""


def stream(stream: Stream | None) -> StreamContext:
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    current = torch.cpu.current_stream()
    return current if isinstance(current, Stream) else default_stream()


def set_stream(stream: Stream | None) -> None:
    torch.cpu.StreamContext(stream).__enter__()


class device(contextlib.nullcontext):
    """A context in which the only GPU is the current one."""

    def __init__(self, device: Any = None) -> None:
        super().__init__(device)


device_of = device


class _Properties(ctypes.Structure):
    """`cudaDeviceProp` of the emulator's `cuda_runtime_api.h`, with PyTorch's names."""

    _fields_ = (
        ("_name", ctypes.c_char * 256),
        ("total_memory", ctypes.c_size_t),
        ("shared_memory_per_block", ctypes.c_size_t),
        ("shared_memory_per_block_optin", ctypes.c_size_t),
        ("warp_size", ctypes.c_int),
        ("max_threads_per_block", ctypes.c_int),
        ("_max_threads_dim", ctypes.c_int * 3),
        ("_max_grid_size", ctypes.c_int * 3),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("multi_processor_count", ctypes.c_int),
        ("L2_cache_size", ctypes.c_int),
        ("regs_per_multiprocessor", ctypes.c_int),
        ("max_threads_per_multi_processor", ctypes.c_int),
        ("shared_memory_per_multiprocessor", ctypes.c_size_t),
        ("_constant_memory", ctypes.c_size_t),
        ("_cooperative_launch", ctypes.c_int),
    )

    @property
    def name(self) -> str:
        return self._name.decode()


def get_device_properties(device: Any = None) -> _Properties:
    found = _Properties()
    runtime().emulator_cudaGetDeviceProperties(ctypes.byref(found), GPU.index)
    return found


def get_device_name(device: Any = None) -> str:
    return get_device_properties().name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    return get_device_properties().major, get_device_properties().minor


def mem_get_info(device: Any = None) -> tuple[int, int]:  # a task's reference asks how much fits
    return get_device_properties().total_memory, get_device_properties().total_memory


def manual_seed(seed: int) -> None:
    torch.default_generator.manual_seed(seed)  # from which the emulated GPU draws too


manual_seed_all = manual_seed


def get_rng_state(device: Any = None) -> torch.Tensor:
    return torch.get_rng_state()


def set_rng_state(new_state: torch.Tensor, device: Any = None) -> None:
    torch.set_rng_state(new_state)
