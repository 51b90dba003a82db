"""What the referee builds for a worker: in a process in which no student code runs, and with its symbols looked at.

A worker asks for a module in the middle of a request (`build_requests.py` is that end), and can only load it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.toolchains.base import Source
from course.toolchains.cache import cache_root
from course.toolchains.guard.modules import refused_symbols
from course.toolchains.nvcc import architecture_here
from course.worker.budget import Budget
from course.worker.connection import Connection
from course.worker.protocol import (
    Failure,
    ForeignSymbols,
    RefereeFailed,
    TimedOut,
    WorkerDied,
    failure_from_json,
    source_from_json,
)
from course.worker.server import own_server

FAILED_BUILD = 24 << 20  # bytes that a failed build takes of an answer's budget for modules
BUILDS_BOUND = 16  # modules that one request has built
# Bounds for what is built for one request. PyTorch's own load_inline, which builds in the worker, takes over half a
# minute on two cores, and several at once take minutes.
BUILD_SECONDS = {"torch": 600.0, "nvcc": 120.0, "emulator": 120.0, "traced": 120.0}


class Builder:
    """Builds what the worker of one `toolchain` asks for, within the `budget` of its answer.

    `confine` is the command that restrains compilers.
    """

    def __init__(self, toolchain: str, confine: Sequence[str], budget: Budget):
        self._toolchain, self._confine, self._budget = toolchain, confine, budget
        self._folders: dict[tuple[str, Source], str] = {}  # where each was built, by the toolchain
        self._shown: dict[str, str] = {}  # where the process finds what was built

    @property
    def sources(self) -> list[Source]:
        """What was built."""
        return list(dict.fromkeys(source for _, source in self._folders))

    def share(self, other: Builder) -> None:
        """Let `other`, of the same toolchain, find what this one has built, and this one what `other` builds."""
        other._folders = self._folders

    def seconds(self) -> float:
        """What the builds of one request may take."""
        return min(BUILD_SECONDS[self._toolchain], self._budget.builds)

    def reply(self, wanted: Any, seconds: float, worker: Connection) -> dict:
        """Build what `worker` wants within `seconds`; the reply says where it is, or what is wrong with it."""
        with worker.reading():
            toolchain, source = wanted["toolchain"], source_from_json(wanted["source"])
            if toolchain not in (self._toolchain, "traced"):
                raise ValueError("no toolchain of this worker")
        folder = self._folders.get((toolchain, source))
        if folder is None:
            if self._budget.modules < 0:
                return {"error": "Too many builds of this answer have failed: build fewer modules."}
            architecture = architecture_here() if toolchain == "nvcc" else None
            try:
                reply = build_apart(toolchain, source, self._confine, architecture, seconds)
            except TimedOut:
                text = "The build was stopped, since it takes too long: look for a template that repeats itself."
                return {"error": text}
            failure = failure_from_json(reply.get("failure"))
            # The cache keeps the objects of a failed build too.
            module = 0 if failure else (Path(reply["folder"]) / "module.so").stat().st_size
            self._budget.modules -= FAILED_BUILD if failure else module
            if failure:
                return {"error": _build_sentence(failure)}
            if names := refused_symbols(reply["symbols"], self._toolchain):
                worker.end()  # it waits for a module that it will not get
                raise ForeignSymbols(names)
            folder = reply["folder"]
            if self._budget.modules < 0:
                most, failed = Budget.modules >> 20, FAILED_BUILD >> 20
                text = f"The modules of an answer may take {most} MiB together, with {failed} MiB for each failed build"
                return {"error": f"{text}: make its arrays smaller, or build less."}
            self._folders[toolchain, source] = folder
        if folder not in self._shown:
            assert worker.process is not None  # it has just asked
            self._shown[folder] = worker.process.shown(folder)
        return {"folder": self._shown[folder]}


def build_apart(
    toolchain: str, source: Source, confine: Sequence[str], architecture: str | None, seconds: float
) -> dict:
    """Build in a process of this one's own server, in which no student code runs; nvcc builds for `architecture`.

    `confine` is the command that restrains compilers, `seconds` what they may take. The reply has the `folder` and the
    undefined `symbols`, or a `failure`. Raises TimedOut; RefereeFailed where that process has died twice.
    """
    request: dict[str, Any] = {
        "do": "build",
        "toolchain": toolchain,
        "source": asdict(source),
        "cache": str(cache_root().absolute()),
        "architecture": architecture,
        "confine": list(confine),
    }
    lost: WorkerDied | None = None
    for _ in range(2):
        try:
            with contextlib.closing(Connection(own_server(), toolchain)) as process:
                return process.exchange(request, time.monotonic() + seconds, "Nothing was built in time:")[0]
        except WorkerDied as error:
            lost = error
    raise RefereeFailed(f"The referee's own process, which builds, was lost twice. {lost}") from lost


def _build_sentence(failure: Failure) -> str:
    """Why nothing was built, for the answer. Raises CourseError for what is no source's fault."""
    if failure.type in ("BuildError", "RecursionError", "MemoryError", "UnicodeEncodeError"):
        return failure.message if failure.type == "BuildError" else str(failure)
    if failure.type in ("CourseError", "ToolchainMissing"):
        raise CourseError(failure.message)
    raise RefereeFailed(f"The build failed in a way that no source explains: {failure}.")
