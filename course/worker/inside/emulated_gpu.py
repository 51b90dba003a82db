"""The emulated GPU as an answer's Python sees it: on which device tensors are, and what stands in for `torch.cuda`."""

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from course.errors import CannotJudge
from course.tasks.task import device_type
from course.toolchains import native
from course.worker.inside import emulated_cuda
from course.worker.inside.emulated_cuda import GPU
from course.worker.recording import tensors_in

HOST = torch.device("cpu")
_PLACES = {  # what a tensor says of its place, given whether it is on the host
    torch.Tensor.device.__get__: lambda on_host: HOST if on_host else GPU,
    torch.Tensor.is_cuda.__get__: lambda on_host: not on_host,  # type: ignore[attr-defined]
    torch.Tensor.is_cpu.__get__: lambda on_host: on_host,  # type: ignore[attr-defined]
    torch.Tensor.get_device: lambda on_host: -1 if on_host else GPU.index,
}


@contextlib.contextmanager
def emulated_gpu(lacking: list[CannotJudge]) -> Iterator[None]:
    """A context in which the Python code of an answer finds one GPU. Nothing else should run in it.

    An error is added to `lacking` for each name of `torch.cuda` that the answer asks for in vain.
    """
    names, real = vars(torch.cuda), dict(vars(torch.cuda))
    if "__getattr__" in real:  # only the mode is off, as it is while PyTorch runs an operator
        with _TensorsOnGpu():
            yield
        return
    for name in torch.cuda.__all__:
        names.pop(name, None)
    names |= {name: value for name, value in vars(emulated_cuda).items() if name in torch.cuda.__all__}
    names["__getattr__"] = functools.partial(emulated_cuda.missing, lacking)
    torch.Tensor.record_stream = lambda tensor, stream: None  # type: ignore[assignment, method-assign]
    try:
        with _TensorsOnGpu():
            yield
    finally:
        del names["__getattr__"], torch.Tensor.record_stream
        names |= real


class _TensorsOnGpu(TorchFunctionMode):
    """Makes CUDA mean the CPU, where the emulator's tensors are, and keeps apart the tensors that are on the host.

    A tensor is on the host if it would be with a GPU: if it was made or moved there, or computed from such tensors.
    All other tensors report that they are on the GPU.
    """

    def __torch_function__(self, func: Any, types: Any, args: Sequence = (), kwargs: dict | None = None) -> Any:
        if func in _PLACES and not args[0].is_meta:
            return _PLACES[func](native.is_on_host(args[0]))
        if func is torch.Tensor.pin_memory:  # which changes only how fast a copy to a GPU is
            return args[0]
        kwargs = {name: value for name, value in (kwargs or {}).items() if name != "pin_memory"}
        given = {_storage(x): x for x in _tensors_in((*args, *kwargs.values()))}
        place = _place(func, args, kwargs)
        on_host = place == "cpu" if place else all(map(native.is_on_host, given.values()))
        if place == "cuda":
            func, args, kwargs = _on_the_cpu(func, args, kwargs)
        result = func(*args, **kwargs)
        for made in _tensors_in((result,)):
            source = given.get(_storage(made))
            if place and source is not None and native.is_on_host(source) != on_host:
                source, result = None, (made := made.clone())
            if source is None and on_host:
                native.mark_on_host(made)
        return result


def _place(func: Any, args: Sequence, kwargs: Mapping[str, Any]) -> str | None:
    """The type of the device that a call of `func` asks for; None for the device of its arguments."""
    if func in (torch.Tensor.cpu, torch.Tensor.cuda):
        return "cpu" if func is torch.Tensor.cpu else "cuda"
    named = kwargs.get("device")
    if named is None and func is torch.Tensor.to:
        named = args[1] if len(args) > 1 else None
        if isinstance(named, torch.Tensor):
            return "cpu" if native.is_on_host(named) else "cuda"
    elif named is None and func in _device._device_constructors():
        named = _device.CURRENT_DEVICE or (None if _tensors_in(args) else HOST)
    return "cuda" if type(named) is int else device_type(named)


def _on_the_cpu(func: Any, args: Sequence, kwargs: dict[str, Any]) -> tuple[Any, Sequence, dict[str, Any]]:
    """A call that asks for the GPU, as one that asks for the CPU."""
    if func is torch.Tensor.cuda:
        return torch.Tensor.to, (args[0], HOST), {}
    if "device" in kwargs or func in _device._device_constructors():
        return func, args, {**kwargs, "device": HOST}
    if func is torch.Tensor.to and not isinstance(args[1], torch.Tensor):
        return func, (args[0], HOST, *args[2:]), kwargs
    return func, args, kwargs


def _tensors_in(value: Any) -> list[torch.Tensor]:
    """The tensors that have memory."""
    return [each for each in tensors_in(value) if each.layout == torch.strided and not each.is_meta]


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata
