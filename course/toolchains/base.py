"""What every toolchain shares: the source it is given, the errors it raises, the interface it fills."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

INCLUDE = Path(__file__).parents[1] / "include"  # the stand-in for torch's headers
# The kinds of a verdict's hazards, in a learner's words. Feedback on hidden cases tells them, so no other text may pass
# for one.
HAZARDS = {
    "out-of-bounds": "memory used that belongs to no tensor",
    "misaligned": "a vector access at an address that is no multiple of its size",
    "race": "threads that use the same element in no fixed order, one of them changing it",
    "divergent-barrier": "a __syncthreads() that some threads of a block do not reach",
    "divergent-warp": "an operation of a warp that some of its lanes do not reach",
    "uninitialised-read": "memory read that nobody has written",
    "unwritten-output": "elements of the output that nobody writes",
    "modified-input": "an input that is changed",
    "kept-output": "a result whose memory the next call uses again",
    "host-access": "the GPU's memory used by the wrapper itself",
    "bad-launch": "a launch that CUDA refuses",
    "library-call": "a library, or the CPU, doing the kernel's work",
    "timeout": "code that does not end in time",
    "crash": "code that ends the process it runs in",
}


@dataclass(frozen=True)
class Hazard:
    """Something a kernel did that the hardware forbids or leaves undefined.

    `kind` is one of HAZARDS; `detail` is one sentence for the learner; `where` lists `{"line": int, "block": [x, y, z],
    "thread": [x, y, z]}`, empty where not traced.
    """

    kind: str
    detail: str
    kernel: str = ""
    where: tuple[Mapping, ...] = ()


class CourseError(Exception):
    """An error whose text is one clear sentence for the learner: notebooks show it without a stack trace."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in place of a stack trace."""
        return [f"{type(self).__name__}: {self}"]


class BuildError(CourseError):
    """The source does not build. The text is the shortened compiler output; `log` holds the path of the full one."""

    def __init__(self, message: str, log: Path | None = None):
        super().__init__(message)
        self.log = log


class ToolchainMissing(CourseError):
    """The toolchain cannot work on this machine. The text says why, and what to do about it."""


class KernelError(RuntimeError):
    """A call of a built function went wrong on the device. `hazards` says what was seen, in order."""

    def __init__(self, message: str, hazards: tuple[Hazard, ...] = ()):
        super().__init__(message)
        self.hazards = hazards


@dataclass(frozen=True)
class Source:
    """Everything that decides what is built; a toolchain's cache key is made of it.

    `cpp` is None where the prototypes are to be derived; `functions` maps each bound name to its docstring,
    None where the source binds them itself (`PYBIND11_MODULE`).
    """

    cuda: str
    cpp: str | None = None
    functions: tuple[tuple[str, str], ...] | None = None
    cflags: tuple[str, ...] = ()
    cuda_cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()
    options: tuple[tuple[str, object], ...] = ()


class Toolchain(Protocol):
    """Source in, module out."""

    name: str

    def missing(self) -> str | None:
        """One sentence that says why this toolchain cannot work here and the mend, or None where it works."""

    def version(self) -> str:
        """What, beside the source, decides the result: compiler, architecture, PyTorch, the stand-in headers."""

    def build(self, source: Source, folder: Path) -> None:
        """Build `source` into `folder`. Raises BuildError."""

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        """The bound functions of what `build` left in `folder`. Raises BuildError where it does not import."""
