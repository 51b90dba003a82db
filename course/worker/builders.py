"""Starts, uses and ends the processes that build modules, which run `builder_process.py`."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course.toolchains.base import Source
from course.toolchains.cache import cache_root
from course.toolchains.nvcc import architecture_here
from course.toolchains.time_limit import TimeLimit, processor_seconds
from course.worker.connection import Connection
from course.worker.protocol import RefereeFailed, WorkerDied
from course.worker.server import python, python_path

PROGRAM = "course.worker.builder_process"


class BuilderProcess:
    """A builder's process. `Connection` starts it with `channel` and `output`, and ends it."""

    def __init__(self, channel: int, output: int):
        self.environment = _environment()
        self._process = subprocess.Popen(
            python(PROGRAM, channel), pass_fds=[channel], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            env=self.environment, start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def processor_seconds(self) -> float:
        """The processor time of the process, its forks and their compilers."""
        return processor_seconds(self.pid)

    def end(self) -> int:
        """Kill the process, its fork that builds, and the compilers; return its status, or minus the signal."""
        while members := _members(self.pid):  # a compiler may start one more meanwhile
            for each in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        return self._process.wait()


def _members(session: int) -> list[int]:
    """The processes of a session that have not ended. Compilers have their own process groups."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            state, _, _, its_session = path.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(path.parent.name))
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
    toolchain: str,
    source: Source,
    confine: Sequence[str],
    limit: TimeLimit,
    cell_function: str | None = None,
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
