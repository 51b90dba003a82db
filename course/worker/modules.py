"""The referee's builds for one worker, within the budget of its answer, in processes that run `builder_process.py`.

The symbols of a module are checked before a worker may load it. A `%%cuda` cell is built before the worker gets any
request. A script requests a module when it calls `load_inline` (`inside/load_inline.py`).
"""

import atexit
import contextlib
import ctypes
import glob
import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from course.device import EMULATED
from course.errors import BuildError, CourseError, NotEmulated
from course.toolchains import native
from course.toolchains.base import Source
from course.toolchains.cache import cache_root
from course.toolchains.compiler import unbound, unreadable
from course.toolchains.emulator.library import runtime
from course.toolchains.guard.symbols import refused_symbols
from course.toolchains.nvcc import architecture_here
from course.toolchains.time_limit import TimeLimit, processor_seconds
from course.worker.connection import Connection
from course.worker.messages import SOURCE_BOUND, TOO_LONG, decoded
from course.worker.protocol import (
    Answer,
    AnswerError,
    Failure,
    ForeignSymbols,
    RefereeFailed,
    TimedOut,
    WorkerDied,
    failure_from_json,
)
from course.worker.server import Process, python, python_path

BUILDER = "course.worker.builder_process"  # the program of a builder
FAILED_BUILD = 24 << 20  # bytes that a failed build takes from an answer's budget for modules
BUILDS_BOUND = 16  # most modules that are built for one request


@dataclass
class Budget:
    """What one answer may still use for its cases, traces and modules together; seconds are those of `TimeLimit`."""

    calls: float = 120.0  # s, without the builds for them
    builds: float = 300.0  # s
    modules: int = 96 << 20  # bytes
    one_build: float = 120.0  # s of the builds for one request, which is not used up
    patience: int = 10
    unwatched: float = 1.0

    def time_limit(self, seconds: float) -> TimeLimit:
        """A limit of at most `seconds`."""
        return TimeLimit(seconds, self.patience, self.unwatched)

    def build_limit(self) -> TimeLimit:
        """A limit for the builds of one request."""
        return self.time_limit(min(self.one_build, self.builds))


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
            raise AnswerError(unreadable(answer.source) or _missing_function(answer, functions))
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
        # With the objects and the log, which the cache keeps as well.
        self._budget.modules -= sum(file.stat().st_size for file in Path(reply["folder"]).iterdir())
        # A module could call the functions of the libraries that the worker has loaded.
        libraries = [ctypes.CDLL(None), native.torch_library(), *([runtime()] if self._toolchain in EMULATED else ())]
        if names := refused_symbols(reply["symbols"], libraries):
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


def _missing_function(answer: Answer, functions: Sequence[str]) -> str:
    if why := unbound(answer.source, answer.function):
        return f"{answer.function} cannot be called: {why}"
    there = f"it has {', '.join(functions)}" if functions else "it has no function that takes or returns a tensor"
    return f"The source does not define {answer.function}: {there}."


def _build_error(failure: Failure) -> CourseError:
    """Why nothing was built: a BuildError for the answer, or another error for a failure that no source causes."""
    if failure.type in ("BuildError", "RecursionError", "MemoryError", "UnicodeEncodeError"):
        return BuildError(failure.message if failure.type == "BuildError" else str(failure))
    if failure.type == "NotEmulated":
        return NotEmulated(f"The answer could not be judged, since the emulator cannot run it. {failure.message}")
    if failure.type in ("CourseError", "ToolchainMissing"):
        return CourseError(failure.message)
    return RefereeFailed(f"The build failed in a way that no source explains: {failure}.")


class BuilderProcess(subprocess.Popen):
    """A builder's process. `Connection` starts it with `channel` and `output`, and ends it."""

    def __init__(self, channel: int, output: int):
        self.environment = _environment()
        super().__init__(
            python(BUILDER, channel), pass_fds=[channel], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env=self.environment, start_new_session=True,
        )  # fmt: skip

    def processor_seconds(self) -> float:
        """The processor time of the process, its forks and their compilers."""
        return processor_seconds(self.pid)

    def end(self) -> int:
        """Kill the process, its fork that builds, and the compilers; return its status, or minus the signal."""
        while members := _members(self.pid):  # a compiler may start one more meanwhile
            for each in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        return self.wait()


def _members(session: int) -> list[int]:
    """The processes of a session that have not ended. Compilers have their own process groups."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):  # unlike Path.glob, it ignores a process that ends meanwhile
        with contextlib.suppress(OSError):
            state, _, _, its_session = Path(path).read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(Path(path).parent.name))
    return found


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": python_path(), "COURSE_CACHE": str(cache_root().absolute())}


# Builders that wait for the next module. Starting a builder takes longer than finding a module in the cache.
_idle: list[Connection[BuilderProcess]] = []
os.register_at_fork(after_in_child=_idle.clear)  # a fork of this process needs its own


def _builder(new: bool) -> Connection[BuilderProcess]:
    """A builder that nobody else uses, with this process's environment; with `new`, a builder that has just started."""
    with contextlib.suppress(IndexError):  # there is none left
        while not new:
            builder = _idle.pop()
            if builder.running().environment == _environment():
                return builder
            builder.close()
    return Connection(BuilderProcess)


@atexit.register
def _close_idle() -> None:
    for builder in _idle:
        builder.close()


def build_apart(
    toolchain: str, source: Source, confine: Sequence[str], limit: TimeLimit, cell_function: str | None = None
) -> dict:
    """Let a builder build, as `builder_process.built` describes. nvcc builds for this machine.

    The build may take `limit`. The reply is that of `builder_process.main`. Raises TimedOut, and RefereeFailed if the
    builder has died twice.
    """
    request: dict[str, Any] = {"toolchain": toolchain, "source": asdict(source), "cell_function": cell_function}
    request |= {"architecture": architecture_here() if toolchain == "nvcc" else None, "confine": list(confine)}
    lost: WorkerDied | None = None
    for again in (False, True):
        builder = _builder(new=again)
        try:
            reply, _ = builder.exchange(request, limit, "Nothing was built within {}:")
        except WorkerDied as error:
            builder.close()
            lost = error
        except BaseException:
            builder.close()
            raise
        else:
            _idle.append(builder)
            return reply
    raise RefereeFailed(f"The referee's own builder process was lost twice. {lost}") from lost
