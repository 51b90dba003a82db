"""The referee's builds for one worker, within the budget of its answer.

The symbols of a module are checked before a worker may load it. A `%%cuda` cell is built before the worker gets any
request. A script requests a module when it calls `load_inline` (`worker_load_inline.py` is the worker's end).
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course.device import EMULATED
from course.errors import BuildError, CannotJudge, CourseError, NotEmulated
from course.toolchains import native
from course.toolchains.base import Source
from course.toolchains.compiler import unreadable
from course.toolchains.emulator.library import runtime
from course.toolchains.guard.symbols import refused_symbols
from course.toolchains.time_limit import TimeLimit
from course.worker.budget import Budget
from course.worker.builder_pool import build_apart
from course.worker.connection import Connection
from course.worker.message_fields import SOURCE_BOUND, TOO_LONG, source_from_json
from course.worker.protocol import (
    Answer,
    AnswerError,
    Failure,
    ForeignSymbols,
    RefereeFailed,
    TimedOut,
    failure_from_json,
)
from course.worker.server import Process

FAILED_BUILD = 24 << 20  # bytes that a failed build takes from an answer's budget for modules
NO_OPERATORS = "registers no operators (TORCH_LIBRARY)"  # in the error of shim/include/torch/library.h
BUILDS_BOUND = 16  # most modules that are built for one request
# Bounds for the builds of one request, in seconds of `TimeLimit`. PyTorch's own load_inline, which builds in the
# worker, takes over half a minute on two cores, and several at once take minutes.
BUILD_SECONDS = {"torch": 600.0, "nvcc": 120.0, "emulator": 120.0, "traced": 120.0}


class Modules:
    """The modules that are built for the worker of one `toolchain`, within the `budget` of its answer.

    `confine` is the command that confines compilers. A method that builds raises BuildError for the answer's own
    errors, ForeignSymbols for a module that must not be loaded, and RefereeFailed or CourseError.
    """

    def __init__(self, toolchain: str, confine: Sequence[str], budget: Budget):
        self._toolchain, self._confine, self._budget = toolchain, confine, budget
        self._folders: dict[tuple[str, Source], str] = {}  # where each was built, by toolchain and source
        self._failed: dict[Source, str] = {}  # why a source that a worker has asked for was not built
        self._shown: dict[str, str] = {}  # where the process sees each of these folders

    @property
    def sources(self) -> list[Source]:
        """The sources that were built."""
        return list(dict.fromkeys(source for _, source in self._folders))

    def share(self, other: Modules) -> None:
        """Share the builds with `other`, of the same toolchain, so that each finds what the other builds."""
        other._folders = self._folders

    def seconds(self) -> float:
        """The time limit for the builds of one request, in seconds."""
        return min(BUILD_SECONDS[self._toolchain], self._budget.builds)

    def of_cell(self, answer: Answer) -> Source:
        """Build a `%%cuda` cell, and return its source. Raises AnswerError if it does not define the function."""
        cell, limit = Source(answer.source, cuda_cflags=answer.cuda_cflags), TimeLimit(self.seconds())
        source = self._built(self._toolchain, cell, limit, answer.function)
        functions = [name for name, _ in source.functions or ()]
        if answer.function not in functions:
            raise AnswerError(unreadable(answer.source) or _missing_function(answer.function, functions))
        return source

    def for_worker(self, source: Source, process: Process) -> dict:
        """What `process` needs to load the module of `source`, which is built if necessary."""
        if self._toolchain == "torch":  # PyTorch builds where it loads
            return {"source": asdict(source), "folder": None}
        if not self._is_built(self._toolchain, source):
            self._built(self._toolchain, source, TimeLimit(self.seconds()))
        return {"source": asdict(source), "folder": self._shown_to(process, self._folders[self._toolchain, source])}

    def reply(self, wanted: Any, limit: TimeLimit, worker: Connection[Process]) -> dict:
        """Build what `worker` requests within `limit`; the reply says where the module is, or what is wrong."""
        with worker.reading():
            toolchain, source = wanted["toolchain"], source_from_json(wanted["source"])
            if toolchain not in {self._toolchain, "traced"} - {"torch"}:
                raise ValueError("no toolchain of this worker")
        if source in self._failed:  # a script builds again whenever its model is made
            return {"error": self._failed[source]}
        try:
            if not self._is_built(toolchain, source):
                self._built(toolchain, source, limit)
        except (ForeignSymbols, NotEmulated):
            worker.end()  # it would wait for a module in vain
            raise
        except BuildError as error:
            self._failed[source] = str(error)
            return {"error": str(error)}
        return {"folder": self._shown_to(worker.running(), self._folders[toolchain, source])}

    def _is_built(self, toolchain: str, source: Source) -> bool:
        folder = self._folders.get((toolchain, source))
        return folder is not None and Path(folder, "module.so").exists()  # the cache may have been deleted meanwhile

    def _shown_to(self, process: Process, folder: str) -> str:
        if folder not in self._shown:
            self._shown[folder] = process.shown(folder)
        return self._shown[folder]

    def _built(self, toolchain: str, source: Source, limit: TimeLimit, cell_function: str | None = None) -> Source:
        """Build `source`, or with a `cell_function` the cell with its text. Returns the builder's whole source."""
        if self._budget.modules < 0:
            raise BuildError("Too many builds of this answer have failed: build fewer modules.")
        if len(json.dumps(asdict(source))) > SOURCE_BOUND:
            raise BuildError(TOO_LONG)
        spent_before = limit.spent
        try:
            reply = build_apart(toolchain, source, self._confine, limit, cell_function=cell_function)
        except TimedOut:
            raise BuildError(
                "The build was stopped, since it takes too long: look for a template that instantiates itself."
            ) from None
        finally:
            self._budget.builds -= limit.spent - spent_before
        failure = failure_from_json(reply.get("failure"))
        if failure:  # the cache keeps the objects of a failed build too
            self._budget.modules -= FAILED_BUILD
            raise _build_error(failure)
        whole = source_from_json(reply["source"])
        if "folder" not in reply:
            return whole
        self._budget.modules -= (Path(reply["folder"]) / "module.so").stat().st_size
        if names := refused_symbols(reply["symbols"], _libraries(self._toolchain)):
            raise ForeignSymbols(names)
        if self._budget.modules < 0:
            most, failed = Budget.modules >> 20, FAILED_BUILD >> 20
            raise BuildError(
                f"The modules of an answer may have {most} MiB together, and each failed build counts as {failed} MiB: "
                "make the arrays of the modules smaller, or build fewer modules."
            )
        self._folders[toolchain, whole] = reply["folder"]
        return whole


def _libraries(toolchain: str) -> list[ctypes.CDLL]:
    """The libraries that a worker of `toolchain` has loaded: a module could call their functions."""
    return [ctypes.CDLL(None), native.torch_library(), *([runtime()] if toolchain in EMULATED else ())]


def _missing_function(name: str, functions: Sequence[str]) -> str:
    there = f"it has {', '.join(functions)}" if functions else "it has no function that takes or returns a tensor"
    return f"The source does not define {name}: {there}."


def _build_error(failure: Failure) -> CourseError:
    """Why nothing was built: a BuildError for the answer, or another error for a failure that no source causes."""
    if NO_OPERATORS in failure.message:
        return CannotJudge(
            f"The answer could not be judged, since the judge {NO_OPERATORS}: name the functions in load_inline's "
            "functions=[...] instead, and call them as functions of the module."
        )
    if failure.type in ("BuildError", "RecursionError", "MemoryError", "UnicodeEncodeError"):
        return BuildError(failure.message if failure.type == "BuildError" else str(failure))
    if failure.type == "NotEmulated":
        return NotEmulated(f"The answer could not be judged, since the emulator cannot run it. {failure.message}")
    if failure.type in ("CourseError", "ToolchainMissing"):
        return CourseError(failure.message)
    return RefereeFailed(f"The build failed in a way that no source explains: {failure}.")
