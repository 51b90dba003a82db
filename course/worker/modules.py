"""The referee's builds for one worker, within the budget of its answer.

The symbols of a module are checked before a worker may load it. A `%%cuda` cell is built before the worker gets any
request. A script requests a module when it calls `load_inline` (`inside/load_inline.py`).
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
from course.worker.builders import build_apart
from course.worker.connection import Connection
from course.worker.message_fields import SOURCE_BOUND, TOO_LONG, decoded
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
NO_OPERATORS = "no-operators:"  # begins the error of shim/include/torch/library.h
BUILDS_BOUND = 16  # most modules that are built for one request


class Modules:
    """The modules that are built for a worker of `toolchain`, and for its script, within the `budget` of its answer.

    `confine` is the command that confines compilers. A method that builds raises BuildError for the answer's own
    errors, ForeignSymbols for a module that must not be loaded, and RefereeFailed or CourseError.
    """

    def __init__(self, toolchain: str, confine: Sequence[str], budget: Budget):
        self._toolchain, self._confine, self._budget = toolchain, confine, budget
        self._folders: dict[tuple[str, Source], str] = {}  # where each was built, by toolchain and source
        self._failed: dict[Source, str] = {}  # why a source that a worker has asked for was not built
        self._shown: dict[tuple[Process, str], str] = {}  # where a process sees one of these folders

    @property
    def sources(self) -> list[Source]:
        """The sources that were built for the worker."""
        return [source for toolchain, source in self._folders if toolchain == self._toolchain]

    def of_cell(self, answer: Answer) -> Source:
        """Build a `%%cuda` cell, and return its source. Raises AnswerError if it does not define the function."""
        cell, limit = Source(answer.source, cuda_cflags=answer.cuda_cflags), self._budget.build_limit()
        source = self._built(self._toolchain, cell, limit, answer.function)
        functions = [name for name, _ in source.functions or ()]
        if answer.function not in functions:
            raise AnswerError(unreadable(answer.source) or _missing_function(answer.function, functions))
        return source

    def for_worker(self, source: Source, process: Process) -> dict:
        """What `process` needs to load the module of `source`, which is built if necessary."""
        folder = self._folder(self._toolchain, source, self._budget.build_limit(), process)
        return {"source": asdict(source), "folder": folder}

    def reply(self, wanted: Any, limit: TimeLimit, worker: Connection[Process]) -> dict:
        """Build what `worker` requests within `limit`; the reply says where the module is, or what is wrong."""
        with worker.reading():
            toolchain, source = wanted["toolchain"], decoded(Source, wanted["source"])
            if toolchain not in (self._toolchain, untraced(self._toolchain), "traced"):
                raise ValueError("no toolchain of this worker")
        if source in self._failed:  # a script builds again whenever its model is made
            return {"error": self._failed[source]}
        try:
            return {"folder": self._folder(toolchain, source, limit, worker.running())}
        except (ForeignSymbols, NotEmulated):
            worker.end()  # it would wait for a module in vain
            raise
        except BuildError as error:
            self._failed[source] = str(error)
            return {"error": str(error)}

    def _folder(self, toolchain: str, source: Source, limit: TimeLimit, process: Process) -> str:
        """Where `process` sees the module of `source`, which is built if necessary."""
        folder = self._folders.get((toolchain, source))
        if folder is None or not Path(folder, "module.so").exists():  # the cache may have been deleted meanwhile
            self._built(toolchain, source, limit)
            folder = self._folders[toolchain, source]
        if (process, folder) not in self._shown:
            self._shown[process, folder] = process.shown(folder)
        return self._shown[process, folder]

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
        failure = failure_from_json(reply)
        if failure:  # the cache keeps the objects of a failed build too
            self._budget.modules -= FAILED_BUILD
            raise _build_error(failure)
        whole = decoded(Source, reply["source"])
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


def untraced(toolchain: str) -> str:
    """The toolchain of the script in a worker of `toolchain`, which traces only what it repeats of the script."""
    return "emulator" if toolchain == "traced" else toolchain


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
            "The answer could not be judged, since the judge registers no operators (TORCH_LIBRARY): name the "
            "functions in load_inline's functions=[...] instead, and call them as functions of the module."
        )
    if failure.type in ("BuildError", "RecursionError", "MemoryError", "UnicodeEncodeError"):
        return BuildError(failure.message if failure.type == "BuildError" else str(failure))
    if failure.type == "NotEmulated":
        return NotEmulated(f"The answer could not be judged, since the emulator cannot run it. {failure.message}")
    if failure.type in ("CourseError", "ToolchainMissing"):
        return CourseError(failure.message)
    return RefereeFailed(f"The build failed in a way that no source explains: {failure}.")
