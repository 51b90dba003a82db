"""`load_inline` in a worker: it asks the referee to build, and loads what that has built (see `building.py`)."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from course import build
from course.build import folder_of, load_inline
from course.errors import BuildError, CourseError
from course.toolchains import compiler
from course.toolchains.base import Source, Toolchain
from course.toolchains.guard.flags import refuse_flags
from course.toolchains.stand_in import units as stand_in
from course.worker.channel import RequestStream
from course.worker.protocol import HEADER_BOUND, source_from_json
from course.worker.recording import Recorder


class BuildRequests:
    """The `load_inline` of a worker, with its own toolchain. While `recorder` is set, it has the calls of functions."""

    def __init__(self, toolchain: str):
        self.recorder: Recorder | None = None
        self._toolchain = toolchain
        self._original = torch.utils.cpp_extension.load_inline
        self._asking = threading.Lock()  # of a script's threads one at a time

    def install(self, referee: RequestStream) -> None:
        """Replace PyTorch's `load_inline` and the course's, and have the course's build at `referee`'s."""
        self._referee = referee
        self.replace_load_inline()
        build.load_inline = self.load_inline  # the course's own, whatever toolchain a script asks it for
        if self._toolchain != "torch":  # which imports what it builds, and earns no marks
            build.folder_of = self._ask
            build.usable_toolchain = build.known_toolchain  # the referee has the compiler, which need not be seen here

    def replace_load_inline(self) -> None:
        """Put this worker's toolchain in the place of PyTorch's `load_inline`, for scripts that import that."""
        signature = inspect.signature(self._original)

        @functools.wraps(self._original)
        def as_there(*args: Any, **kwargs: Any) -> build.Module:
            signature.bind(*args, **kwargs)  # without cpp_sources, say, a TypeError here as in PyTorch
            return self.load_inline(*args, **kwargs)

        torch.utils.cpp_extension.load_inline = as_there

    def load_inline(self, *args: Any, **kwargs: Any) -> build.Module:
        """`load_inline` with this worker's toolchain."""
        with self._with_original():
            module = load_inline(*args, **kwargs | {"toolchain": self._toolchain})
        for function in module._functions.values():
            function._call = functools.partial(self._call, function, function._call)
        return module

    def load(self, source: Source) -> dict[str, Callable]:
        """The functions of the module that is built from `source`, whose calls are not recorded."""
        chosen = build.usable_toolchain(self._toolchain)
        with self._with_original():
            return chosen.load(source, build.folder_of(chosen, source))

    def _call(self, function: build.Function, call: Callable, *arguments: Any) -> Any:
        """What `function`, whose own call is `call`, does in this process: of a script that is recorded, a step."""
        if self.recorder is None:
            return call(*arguments)
        return self.recorder.call(function.name, function.built_from, call, arguments)

    @contextlib.contextmanager
    def _with_original(self) -> Iterator[None]:
        """PyTorch's own `load_inline` in its place, which the toolchain `torch` calls."""
        before = torch.utils.cpp_extension.load_inline
        torch.utils.cpp_extension.load_inline = self._original
        try:
            yield
        finally:
            torch.utils.cpp_extension.load_inline = before

    def _ask(self, toolchain: Toolchain, source: Source) -> Path:
        """`build.folder_of` of a worker: the referee builds, and lists the symbols, where the answer cannot meddle."""
        request = {"build": {"toolchain": toolchain.name, "source": asdict(source)}}
        if len(json.dumps(request)) > HEADER_BOUND:
            raise BuildError(f"The source is longer than {HEADER_BOUND >> 10} KiB.")
        with self._asking:
            self._referee.send(request)
            reply = self._referee.receive()
        if reply is None:
            raise BuildError("the judge has gone")
        if "folder" not in reply:
            raise BuildError(reply["error"])
        return Path(reply["folder"])


def build_for_another(toolchain: str, source: dict, cache: str, architecture: str | None, confine: list[str]) -> dict:
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
