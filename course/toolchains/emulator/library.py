"""The library that stands in for the device, and the precompiled headers: built at their first use, then cached."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from pathlib import Path

from course.errors import BuildError, CourseError, ToolchainMissing
from course.progress import progress
from course.toolchains import compiler
from course.toolchains.cache import cached, content_hash
from course.toolchains.emulator.gxx import FLAGS, HERE, INCLUDE_FOLDERS, TRACED_FLAGS, gxx, gxx_version

RUNTIME = HERE / "runtime"
# The g++ of some distributions fortifies longjmp, which then refuses to leave a thread's stack.
RUNTIME_FLAGS = ("-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", "-o", "libemulator.so")
FIRST_BUILD_SECONDS = 600.0  # on the clock, for each part: it takes 20 s of an idle machine
_INCLUDE = tuple(f"-I{folder}" for folder in INCLUDE_FOLDERS)


@functools.cache
def runtime_folder() -> Path:
    """The folder with the emulator's runtime library, built at its first use. Raises CourseError if that fails."""
    command = (gxx(), *_INCLUDE, *RUNTIME_FLAGS, str(RUNTIME / "runtime.cpp"))
    key = f"{RUNTIME_FLAGS} {content_hash(RUNTIME, *INCLUDE_FOLDERS)} {gxx_version()}"
    return _made("runtime", key, command)


@functools.cache
def prelude_folder(flags: tuple[str, ...]) -> Path:
    """The folder with the header that precedes every source, precompiled with `flags`. Raises CourseError."""
    header = ("-x", "c++-header", str(HERE / "include" / "prelude.h"), "-o", "prelude.h.gch")
    key = f"{flags} {content_hash(*INCLUDE_FOLDERS)} {gxx_version()}"
    return _made("prelude", key, (gxx(), *flags, *_INCLUDE, *header))


def _made(kind: str, key: str, command: Sequence[str]) -> Path:
    """The folder with what `command` makes, once on each machine."""

    def build(folder: Path) -> None:
        with progress("Preparing the emulator, which is done once on each machine"):
            compiler.run(command, folder, {}, clock_seconds=FIRST_BUILD_SECONDS)

    try:
        return cached(kind, key, build)
    except BuildError as error:  # no source causes it
        text = f"The emulator could not be prepared, which is done once on each machine. {error}"
        if isinstance(error.__cause__, TimeoutError):
            raise CourseError(f"{text} This machine is very busy, or its disk is slow: try again.") from error
        raise ToolchainMissing(text) from error


def precompile_headers() -> list[Path]:
    """Precompile the header that every source begins with, for both builds, and return the folders.

    Raises CourseError if this fails.
    """
    return [prelude_folder(flags) for flags in (FLAGS, TRACED_FLAGS)]


@functools.cache
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library, loaded into this process."""
    from course.toolchains import native  # imports PyTorch, which a builder does not need

    native.torch_library()
    library = ctypes.CDLL(str(runtime_folder() / "libemulator.so"), mode=ctypes.RTLD_GLOBAL)
    results = {
        ctypes.c_bool: ("counted_all",),
        ctypes.c_int64: (
            *("guard", "launches", "copied_bytes", "to_host_bytes"),
            *("reports", "traffic", "arrays", "layouts", "accesses", "launched"),  # rows of a table
        ),
        ctypes.c_void_p: ("trace",),
    }
    for kind, names in results.items():
        for name in names:
            getattr(library, f"emulator_{name}").restype = kind
    return library


def launches() -> int:
    """How many kernels have run in this process."""
    return runtime().emulator_launches()


def to_host_bytes() -> int:
    """How many bytes the wrappers of traced modules have copied to the host in this process."""
    return runtime().emulator_to_host_bytes()
