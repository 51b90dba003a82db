"""What all toolchains share: their input (a source) and the interface that they implement."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

INCLUDE = Path(__file__).with_name("shim") / "include"  # the shim for torch's headers
HEADERS = Path(__file__).parents[1] / "headers"  # the course's own, for the sources of students


@dataclass(frozen=True)
class Source:
    """Everything that decides what is built; part of a toolchain's cache key."""

    cuda: str  # as `load_inline` takes it
    cpp: str | None = None  # with the prototypes; None if they must be derived from the CUDA source
    functions: tuple[tuple[str, str], ...] | None = None  # with docstrings; None if the source has a PYBIND11_MODULE
    cflags: tuple[str, ...] = ()
    cuda_cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    include_paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unit:
    """One translation unit: its file's name, its text, and the command that compiles it, without `-o`.

    `reads` has the course's own files and folders that the compiler also reads, and `kept` names the part of the build
    cache for its object. If the compiler finds errors, `instead` is compiled, and its errors are shown.
    """

    file: str
    text: str
    command: tuple[str, ...]
    reads: tuple[Path, ...]
    kept: str = "objects"
    instead: "Unit | None" = None


class Toolchain(Protocol):
    """Builds a source and loads what was built."""

    name: str  # what `load_inline(toolchain=...)` calls it, and the build cache the folder for its modules

    def missing(self) -> str | None:
        """Why this toolchain is unavailable here, with the fix, in one sentence; None if it works."""

    def version(self) -> str:
        """Everything that decides the result of a build in addition to the source; part of the build's cache key."""

    def build(self, source: Source, folder: Path) -> None:
        """Build `source` in an empty folder, which may be renamed afterwards. Raises BuildError."""

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        """The functions, by name, of the `source` that was built in `folder`. Raises BuildError."""
