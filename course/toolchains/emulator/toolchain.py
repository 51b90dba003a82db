"""The toolchain without a GPU: g++, the shim headers, and a library that stands in for the device."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

from course.device import platform_problem
from course.errors import BuildError, NotEmulated
from course.toolchains.base import Source, Unit
from course.toolchains.cache import content_hash
from course.toolchains.emulator import library
from course.toolchains.emulator.library import FLAGS, INCLUDE_FOLDERS, TRACED_FLAGS, gxx, prelude_folder, system_folders
from course.toolchains.emulator.translate import translate
from course.toolchains.emulator.variables import on_device, plain_name, variables
from course.toolchains.guard.symbols import stubs
from course.toolchains.guard.traceable import headers_first, traceable_unit
from course.toolchains.shim import units as shim

# A part of a module's key: the Python code that translates a source to C++, links it, and refuses sources. All code
# that refuses a source must be here. Otherwise the cache would still have a module that an older rule accepted.
MAKERS = tuple(library.HERE / f"{name}.py" for name in ("library", "nvcc_rules", "toolchain", "translate", "variables"))
MAX_STATIC_SHARED = 48 * 1024  # bytes that a block may declare; more needs dynamic shared memory
# The header comes first, since it is precompiled. The macros are undefined here, since it cannot undefine them.
PRELUDE = '#include "prelude.h"\n#undef COURSE_TRACED\n#undef __SANITIZE_THREAD__\n'
# Functions without instrumentation: the tracer has its own functions for these.
_WRAPPED = tuple(
    f"-Wl,--wrap={name}"
    for name in ("memcpy", "memmove", "memset", "__memcpy_chk", "__memmove_chk", "__memset_chk", "malloc", "_Znwm",
                 "_Znam", "frexp", "frexpf", "modf", "modff", "sincos", "sincosf", "printf")
)  # fmt: skip


class Emulator:
    """`Toolchain` that builds CUDA C++ with g++ and runs it on the CPU.

    If each access to memory is `traced`, modules are built with g++'s instrumentation, run several times slower, and
    report races, uninitialised reads and the like. This is a separate toolchain, `traced`, which is not in any list.
    """

    def __init__(self, traced: bool = False):
        self.name, self.traced = "traced" if traced else "emulator", traced
        self.flags = TRACED_FLAGS if traced else FLAGS

    def missing(self) -> str | None:
        if problem := platform_problem():
            return problem
        if shutil.which("g++") is None:
            return f"g++ was not found: {library.GXX_FIX}"
        return None

    def version(self) -> str:
        made_by = content_hash(*shim.MAKERS, *MAKERS, *shim.COMPILED, *INCLUDE_FOLDERS)
        return f"{made_by} {_versions()}"

    def units(self, source: Source) -> list[Unit]:
        """The units that are made of `source`: the CUDA unit, then the C++ unit. Raises BuildError."""
        translated = dataclasses.replace(source, cuda=translate(source.cuda))
        include = [f"-I{path}" for path in (*INCLUDE_FOLDERS, *source.include_paths)]
        compile_cuda = (
            gxx(),
            "-MD",
            *self.flags,
            f"-I{prelude_folder(self.flags)}",
            *include,
            *library.meaningful(source.cuda_cflags),
        )
        # Derived prototypes have nothing to trace.
        flags = (*self.flags, "-UCOURSE_TRACED") if source.cpp else FLAGS
        compile_cpp = (gxx(), "-MD", *flags, *include, *library.meaningful(source.cflags))
        reads = INCLUDE_FOLDERS
        cuda, main = shim.cuda_text(translated, PRELUDE), f'#include "library_calls.h"\n{shim.cpp_text(source)}'
        seen = (*INCLUDE_FOLDERS, *system_folders())
        return [
            Unit("cuda.cpp", headers_first(cuda, source.cuda, seen, source.include_paths), compile_cuda, reads),
            Unit("main.cpp", headers_first(main, source.cpp or "", seen, source.include_paths), compile_cpp, reads),
        ]

    def build(self, source: Source, folder: Path) -> None:
        if source.ldflags:
            raise NotEmulated(
                f"the emulator links no other library: leave {source.ldflags[0]} out of extra_ldflags, or use another"
                " toolchain."
            )
        units, shown = self.units(source), shim.shown_sources(source)
        known = (*system_folders(), prelude_folder(self.flags))
        if self.traced:
            units = [
                traceable_unit(unit, label, folder, shown, known) for unit, label in zip(units, shown, strict=True)
            ]
        # In a traced build, this unit is traced as well, since a kernel can call its functions.
        own = shim.own_unit((gxx(), *self.flags, *(f"-I{path}" for path in INCLUDE_FOLDERS)), *INCLUDE_FOLDERS)
        link = (gxx(), "-shared", *(_WRAPPED if self.traced else ()))
        more = (stubs,) if self.traced else ()
        shim.build((*units, own), link, folder, shown, shim.Compilers(_versions(), known), *more)
        if "__shared__" in source.cuda:
            _check_static_shared(folder / "module.so", source.cuda)

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        from course.toolchains.emulator import calls  # imports PyTorch, which a builder does not need

        return calls.load(folder / "module.so", source.cuda, self.traced)


def _versions() -> str:
    return f"{library.gxx_version()} {shim.torch_version()} {library.variables()}"


def _check_static_shared(library: Path, source: str) -> None:
    """Refuse more static shared memory than a block may have, as ptxas does."""
    used: dict[str, int] = {}
    for variable in variables(library):
        if variable.function and not variable.guard and on_device(variable.function, source):
            used[variable.function] = used.get(variable.function, 0) + variable.size
    for function, size in used.items():
        if size > MAX_STATIC_SHARED:
            raise BuildError(
                f"the kernel '{plain_name(function)}' declares {size} bytes of __shared__ arrays; a block has"
                f" {MAX_STATIC_SHARED} (48 KB): use smaller arrays"
            )
