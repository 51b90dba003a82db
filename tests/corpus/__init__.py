"""Wrappers as students write them, one per file, and the outcome of each with PyTorch's own headers.

A file is one source for `load_inline`. Its first line says what it shows. The comment lines after that are

    call: EXPRESSION              a call of its functions; before each, the inputs are made anew
    gives: EXPRESSION             the result in PyTorch's Python, whose values, type, strides and place must be the same
    raises: KIND: TEXT            or the error that the call raises, and how the error's text begins
    warns: TEXT                   and the warning that the call gives besides its value
    refused: PATTERN              or the error of a source that does not build or cannot be imported
    lacking in NAME, ...: PATTERN these toolchains lack what it needs, and their error names one that has it
    functions: NAME, ...          what is bound, unless it is what the calls name; `none` if the source binds it
    cpp_sources: TEXT             the prototypes, unless they are derived
    since: VERSION                the first PyTorch that builds it

The inputs: A and B are matrices (3, 4), x and y have 1000 elements, I holds the indices 2, 0, 1; all but I are float32.
`host(tensor)` is the tensor on the host.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from course.text.cuda import CudaText
from course.toolchains.base import Source
from course.toolchains.native import is_on_host, on_host
from tests import heads

FOLDER = Path(__file__).parent
KEYS = {"call", "gives", "raises", "warns", "refused", "functions", "cpp_sources", "since"}


@dataclass
class Call:
    """One call, and its outcome."""

    expression: str
    gives: str = ""
    raises: str = ""
    warns: str = ""


@dataclass
class Wrapper:
    """One file of the corpus; `name` is the file's, `functions` None where the source binds them itself."""

    name: str
    source: str
    calls: list[Call] = field(default_factory=list)
    refused: str = ""
    lacking: dict[str, str] = field(default_factory=dict)
    functions: list[str] | None = None
    cpp_sources: str | None = None
    since: str = "0"

    def refused_by(self, toolchain: str) -> str:
        """The pattern of the error with which `toolchain` refuses the wrapper; empty where the wrapper builds."""
        return self.refused or self.lacking.get(toolchain, "")

    @property
    def joins(self) -> bool:
        """Whether the wrapper can be built as one source with others."""
        return self.functions is not None and self.cpp_sources is None


def wrappers() -> list[Wrapper]:
    """Every wrapper that the installed PyTorch can be asked to build, in the order of the file names."""
    everything = [read(path) for path in sorted(FOLDER.glob("*.cu"))]
    return [wrapper for wrapper in everything if torch.__version__ >= tuple(map(int, wrapper.since.split(".")))]


def read(path: Path) -> Wrapper:
    """Read one file. Raises ValueError for a file whose head has another form."""
    file = heads.read(path)
    wrapper = Wrapper(file.name, file.source)
    for key, value in file.lines:
        if key == "call":
            wrapper.calls.append(Call(value))
        elif key in ("gives", "raises", "warns"):
            setattr(wrapper.calls[-1], key, value)
        elif key.startswith("lacking in "):
            wrapper.lacking = dict.fromkeys(heads.names(key.removeprefix("lacking in ")), value)
        elif key == "functions":
            wrapper.functions = [] if value == "none" else list(heads.names(value))
        elif key in KEYS:
            setattr(wrapper, key, value)
        else:
            raise ValueError(f"{path}: its head has a line {key!r}.")
    if wrapper.functions is None:
        called = {name for call in wrapper.calls for name in re.findall(r"\w+", call.expression)}
        defined = [
            function for function in CudaText.of(file.source).functions if "__global__" not in function.qualifiers
        ]
        names = [f.name for f in defined if not f.scope]
        wrapper.functions = [name for name in names if name in called or not wrapper.calls]
    wrapper.functions = wrapper.functions or None
    if not wrapper.refused and not all(call.gives or call.raises for call in wrapper.calls):
        raise ValueError(f"{path}: its head must say what each call gives or raises.")
    return wrapper


def batches(some: Iterable[Wrapper]) -> list[list[Wrapper]]:
    """The wrappers that are built as one source: all have the same includes, so none depends on another's."""
    groups: dict[tuple, list[Wrapper]] = {}
    for wrapper in some:
        includes = tuple(sorted(re.findall(r"^#include.*", wrapper.source, re.MULTILINE)))
        groups.setdefault(includes if wrapper.joins else (wrapper.name,), []).append(wrapper)
    return list(groups.values())


def arguments(batch: list[Wrapper]) -> dict[str, Any]:
    """What `load_inline` is given for a batch."""
    first = batch[0]
    functions = [name for wrapper in batch for name in wrapper.functions or ()] or None
    source = "\n".join(wrapper.source for wrapper in batch)
    return {"cuda_sources": source, "cpp_sources": first.cpp_sources, "functions": functions}


def source_of(batch: list[Wrapper]) -> Source:
    """A batch as the source for a toolchain's own `build`."""
    given = arguments(batch)
    named = None if given["functions"] is None else tuple((name, "") for name in given["functions"])
    return Source(given["cuda_sources"], given["cpp_sources"], named)


@dataclass
class Machine:
    """Where calls are made: how a tensor gets onto the device or the host, and whether it is on the host."""

    device: Callable[[torch.Tensor], torch.Tensor] = lambda tensor: tensor
    host: Callable[[torch.Tensor], torch.Tensor] = on_host
    is_on_host: Callable[[torch.Tensor], bool] = is_on_host


EMULATED = Machine()
GPU = Machine(lambda tensor: tensor.cuda(), lambda tensor: tensor.cpu(), lambda tensor: not tensor.is_cuda)


def mismatch(call: Call, functions: Mapping[str, Any], machine: Machine) -> str:
    """The difference from what `call` expects, in one line; empty if there is none."""
    expected = call.raises or _facts(eval(call.gives, _names(EMULATED)), EMULATED)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            got = _facts(eval(call.expression, {**_names(machine), **functions}), machine)
        except Exception as error:
            kind = next(each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins")
            got = f"{kind}: {error}"
    texts = [str(each.message) for each in warned]
    if call.raises and isinstance(got, str) and got.startswith(call.raises):
        return ""
    if got != expected:
        return f"{call.expression} gives {got}, not {expected}"
    if [text.startswith(call.warns) for text in texts] != ([True] if call.warns else []):
        return f"{call.expression} warns {texts}, not {call.warns!r}"
    return ""


def _names(machine: Machine) -> dict[str, Any]:
    x = torch.arange(1000.0) / 8 - 60
    A = torch.arange(12.0).view(3, 4) / 2 - 2
    inputs = {"A": A, "B": A.flip(0) * 0.5, "x": x, "y": x.flip(0) * 0.25, "I": torch.tensor([2, 0, 1])}
    return {"torch": torch, "host": machine.host} | {name: machine.device(each) for name, each in inputs.items()}


def _facts(value: Any, machine: Machine) -> Any:
    if isinstance(value, torch.Tensor):
        strides = value.stride() if value.numel() else None
        place = "host" if machine.is_on_host(value) else "device"
        return f"{value.dtype} {tuple(value.shape)} {strides} {place} {value.tolist()}"
    if isinstance(value, (list, tuple)):
        return type(value), [_facts(each, machine) for each in value]
    return type(value).__name__, value
