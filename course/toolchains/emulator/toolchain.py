"""The toolchain without a GPU: clang, the shim headers, and a library that stands in for the device."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from course.errors import BuildError, NotEmulated
from course.prepare import platform_problem
from course.toolchains.base import Source, Unit
from course.toolchains.cache import content_hash
from course.toolchains.emulator import clang, library
from course.toolchains.emulator.instrument import instrumented
from course.toolchains.emulator.library import FLAGS, FROM_IR, INCLUDE_FOLDERS, TO_IR, TRACED_FLAGS, prelude
from course.toolchains.emulator.translate import translate
from course.toolchains.emulator.variables import on_device, plain_name, variables
from course.toolchains.shim import units as shim

# A part of a module's key: the Python code that translates a source to C++, links it, and refuses sources. All code
# that refuses a source must be here. Otherwise the cache would still have a module that an older rule accepted.
MAKERS = tuple(
    library.HERE / f"{name}.py"
    for name in ("clang", "instrument", "library", "nvcc_rules", "ptx", "toolchain", "translate", "variables")
)
MAX_STATIC_SHARED = 48 * 1024  # bytes that a block may declare; more needs dynamic shared memory
INSTRUMENT = library.HERE / "instrument.py"  # decides what objects contain
# The units' numbers in places of the code: see `instrumented`.
UNITS = ("cuda.cpp", "main.cpp", "shim.cpp")


class Emulator:
    """`Toolchain` that builds CUDA C++ with clang and runs it on the CPU.

    If each access to memory is `traced`, modules are built with hooks (see `instrumented`), run several times slower,
    and report races, uninitialised reads and the like. This is a separate toolchain, `traced`, in no list.
    """

    def __init__(self, traced: bool = False):
        self.name, self.traced = "traced" if traced else "emulator", traced
        self.flags = TRACED_FLAGS if traced else FLAGS

    def missing(self) -> str | None:
        return platform_problem() or clang.missing()

    def version(self) -> str:
        made_by = content_hash(*shim.MAKERS, *MAKERS, *shim.COMPILED, *INCLUDE_FOLDERS)
        return f"{made_by} {_versions()}"

    def units(self, source: Source) -> list[Unit]:
        """The units that are made of `source`: the CUDA unit, then the C++ unit. Raises BuildError."""
        translated = dataclasses.replace(source, cuda=translate(source.cuda))
        include = [f"-I{path}" for path in (*INCLUDE_FOLDERS, *source.include_paths)]
        macros = library.meaningful(source.cuda_cflags)
        # What a macro decided in the precompiled header cannot be changed any more.
        undefines = any(flag.startswith("-U") for flag in macros)
        header = ("-include", "prelude.h") if undefines else ("-include-pch", str(prelude(self.flags)))
        start = (*clang.clang(), *TO_IR, "-MD")
        compile_cuda = (*start, *self.flags, *header, *include, *macros)
        # Derived prototypes have nothing to trace, and nothing in them differs between C++ and CUDA.
        own = ("-include-pch", str(prelude(FLAGS))) if source.cpp is None else ()
        compile_cpp = (*start, *(self.flags if source.cpp else FLAGS), *own, *include)
        compile_cpp += tuple(library.meaningful(source.cflags))
        # The macro that changes the emulator's headers is undefined where a source could look at it.
        cuda, main = shim.cuda_text(translated, "#undef COURSE_TRACED\n"), shim.cpp_text(source)
        return [
            Unit(UNITS[0], cuda, compile_cuda, INCLUDE_FOLDERS),
            Unit(UNITS[1], f"#undef COURSE_TRACED\n{main}", compile_cpp, INCLUDE_FOLDERS),
        ]

    def build(self, source: Source, folder: Path) -> None:
        if source.ldflags:
            raise NotEmulated(
                f"the emulator links no other library: leave {source.ldflags[0]} out of extra_ldflags, or use another"
                " toolchain."
            )
        units, shown = self.units(source), shim.shown_sources(source)
        # In a traced build, this unit is traced as well, since a kernel can call its functions.
        compile_own = (*clang.clang(), *TO_IR, *self.flags, *(f"-I{path}" for path in INCLUDE_FOLDERS))
        own = shim.own_unit(compile_own, *INCLUDE_FOLDERS)
        compilers = shim.Compilers(
            f"{_versions()} {content_hash(INSTRUMENT)}", (clang.folder(), prelude(self.flags).parent)
        )

        def instrument(unit: Unit, work: Path) -> Sequence[str]:
            traced = "-DCOURSE_TRACED" in unit.command
            ir = (work / "unit.o").rename(work / "written.ll")  # not every file system lets a compiler replace a file
            text = instrumented(ir.read_text(), UNITS.index(unit.file), source.cuda, traced)
            (work / "unit.ll").write_text(text)
            return (*clang.clang(), *FROM_IR, "-O1" if traced else "-O2", "unit.ll", "-c", "-o", "unit.o")

        shim.build((*units, own), library.module_linker(), folder, shown, compilers, instrument)
        if "__shared__" in source.cuda:
            _check_static_shared(folder / "module.so", source.cuda)

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        from course.toolchains.emulator import calls  # imports PyTorch, which a builder does not need

        return calls.load(folder / "module.so", source.cuda, self.traced)


def _versions() -> str:
    return f"ziglang {clang.VERSION} {shim.torch_version()} {library.variables()}"


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
