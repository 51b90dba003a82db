"""Sets PyTorch's random state, default dtype and the meaning of "cuda" for a task; counts allocated bytes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

TORCH_STATE = threading.RLock()  # all threads share PyTorch's random state and default dtype


@contextlib.contextmanager
def seeded(seed: int, device: str | torch.device) -> Iterator[None]:
    """In the block, draw random numbers from `seed` and make tensors on `device`. Restore both states afterwards."""
    device = torch.device(device)
    devices = [torch.cuda.current_device()] if device.type == "cuda" else []
    with TORCH_STATE, torch.random.fork_rng(devices=devices), device, CudaMeans(device):
        # Not torch.manual_seed: for each kind of device that is missing, that records a deferred call and its stack.
        torch.default_generator.manual_seed(seed)
        if devices:
            torch.cuda.manual_seed(seed)
        yield


@contextlib.contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    with TORCH_STATE:
        before = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            yield
        finally:
            torch.set_default_dtype(before)


class CudaMeans(TorchFunctionMode):
    """Makes `.cuda()` and `device="cuda"` in a task file mean `device`, the device of the inputs."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(self, func: Any, types: Any, args: Sequence = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if self.device.type == "cuda":
            return func(*args, **kwargs)
        if func is torch.Tensor.cuda:
            func, args, kwargs = torch.Tensor.to, (args[0], self.device), {}
        elif any(device_type(x) == "cuda" for x in (*args, *kwargs.values())):
            args, kwargs = [self._meant(x) for x in args], {name: self._meant(x) for name, x in kwargs.items()}
        else:
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():  # an outer CudaMeans must not redirect the device again
            return func(*args, **kwargs)

    def _meant(self, x: Any) -> Any:
        return self.device if device_type(x) == "cuda" else x


def device_type(x: Any) -> str | None:
    """The type of the device that `x` names, such as "cuda". For other texts, the part before ":"; otherwise None."""
    if isinstance(x, torch.device):
        return x.type
    return x.partition(":")[0] if isinstance(x, str) else None


def random_state(device: torch.device) -> bytes:
    """The random state of `device`. It is empty for the meta device, which draws no random numbers."""
    if device.type == "meta":
        return b""
    state = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()
    return state.numpy().tobytes()


class Allocations(TorchDispatchMode):
    """While this mode is on, it counts the bytes of the tensors that are made."""

    bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            outputs = result if isinstance(result, tuple | list) else [result]
            self.bytes += sum(x.nbytes for x in outputs if isinstance(x, torch.Tensor))
        return result
