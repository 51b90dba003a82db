"""What all toolchains share: their input (a source) and the interface that they implement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

INCLUDE = Path(__file__).with_name("shim") / "include"  # the shim for torch's headers
HEADERS = Path(__file__).parents[1] / "headers"  # the course's own, for the sources of students


@dataclass(frozen=True)
class Source:
    """Everything that decides what is built; part of a toolchain's cache key.

    Attributes
    ----------
    cuda
        The CUDA source, as `load_inline` takes it.
    cpp
        The C++ source with the prototypes; None if the prototypes must be derived from the CUDA source.
    functions
        Each bound function with its docstring; None if the source itself binds functions (`PYBIND11_MODULE`).
    cflags, cuda_cflags, ldflags
        Further flags for the C++ compiler, the CUDA compiler and the linker.
    include_paths
        Further folders in which headers are searched.
    """

    cuda: str
    cpp: str | None = None
    functions: tuple[tuple[str, str], ...] | None = None
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
    instead: Unit | None = None


class Toolchain(Protocol):
    """Builds a source and loads what was built.

    Attributes
    ----------
    name
        What `load_inline(toolchain=...)` calls it; also the folder of the build cache that holds its modules.
    """

    name: str

    def missing(self) -> str | None:
        """Say why this toolchain is unavailable here.

        Returns
        -------
        str or None
            One sentence with the reason and how to fix it; None if the toolchain works.
        """

    def version(self) -> str:
        """Name everything that decides the result of a build in addition to the source; part of the build's cache key.

        Returns
        -------
        str
            The versions of compiler and PyTorch, the architecture, and a hash of the course's own sources.
        """

    def build(self, source: Source, folder: Path) -> None:
        """Build a source.

        Parameters
        ----------
        source
            What is to be built.
        folder
            An empty folder, for the module and the compiler's log. It may be renamed afterwards.

        Raises
        ------
        BuildError
            If the source does not compile or link.
        """

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        """Load what `build` left in a folder.

        Parameters
        ----------
        source
            What was built.
        folder
            Where it was built, or where that folder was moved.

        Returns
        -------
        dict
            The bound functions by name.

        Raises
        ------
        BuildError
            If the module does not import.
        """
