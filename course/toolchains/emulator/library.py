"""What the emulator builds once: the C++ library, the library that stands in for the device, and the headers."""

import ctypes
import functools
import os
import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from course.errors import BuildError, CourseError, ToolchainMissing
from course.explain.reports import Reason, SubjectKind, names_in_cpp
from course.progress import progress
from course.toolchains import compiler
from course.toolchains.base import HEADERS, INCLUDE
from course.toolchains.cache import cached, content_hash
from course.toolchains.emulator import clang
from course.toolchains.guard.symbols import VALUES
from course.toolchains.shim import units as shim

HERE = Path(__file__).parent
# -fsanitize=return: a function that ends without its return statement stops there and does not run into other code.
# -fno-strict-aliasing: kernels read floats through float4 pointers. -fno-finite-loops: an endless loop must not be
# optimised away. -fno-builtin: a loop that copies must not become a call of memcpy. The __CUDA_NO_* definitions are
# PyTorch's. -ffp-contract, -fsigned-char: on ARM as on x86-64, whose processors also stop at a division by zero.
_OF_ARM = (
    ("-fsanitize=integer-divide-by-zero", "-fsanitize-trap=integer-divide-by-zero")
    if platform.machine() == "aarch64"
    else ()
)
# -Werror: what nvcc refuses, and clang only warns of. Crash reports would be copies of the source outside of the build.
MESSAGES = (
    "-Wno-everything", "-Werror=unicode-whitespace", "-Werror=return-mismatch", "-Werror=non-pod-varargs",
    "-Werror=invalid-constexpr", "-ferror-limit=50", "-fno-caret-diagnostics", "-fno-color-diagnostics",
    "-fno-diagnostics-show-option", "-fno-crash-diagnostics",
)  # fmt: skip
_COMMON = (
    shim.STANDARD, *MESSAGES, "-fPIC", "-fvisibility=hidden",
    "-fno-strict-aliasing", "-fno-finite-loops", "-fsanitize=return", "-fno-delete-null-pointer-checks", "-fwrapv",
    "-fno-builtin", "-fno-math-errno", "-fno-stack-protector", "-ffp-contract=off", "-fsigned-char",
    "-g1", *_OF_ARM,
    "-DCOURSE_EMULATOR", "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
)  # fmt: skip
FLAGS = (*_COMMON, "-O2", "-Xclang", "-disable-llvm-passes", "-fsanitize-trap=return")
# __OPTIMIZE__: a source cannot tell it from the other build. -fstrict-flex-arrays: every index of an array is checked.
TRACED_FLAGS = (
    *_COMMON, "-O0", "-Xclang", "-disable-O0-optnone", "-D__OPTIMIZE__=1", "-U__NO_INLINE__", "-DCOURSE_TRACED",
    "-fsanitize=array-bounds", "-fstrict-flex-arrays=3", "-fno-sanitize-recover=all",
)  # fmt: skip
# A unit is compiled in two steps, and `instrumented` changes the IR between them.
TO_IR, FROM_IR = ("-S", "-emit-llvm"), ("-fPIC", "-Wno-everything")
USERS_FOLDERS = ("CPATH", "CPLUS_INCLUDE_PATH")  # variables with the user's own folders of headers
INCLUDE_FOLDERS = (HERE / "include", INCLUDE, HEADERS)
RUNTIME = HERE / "runtime"
RUNTIME_FLAGS = (
    "-std=c++17", "-O2", "-fPIC", "-Wno-everything", f'-DEMULATOR_MATH="{VALUES}"',
    f"-DEMULATOR_REASONS={names_in_cpp(Reason)}", f"-DEMULATOR_SUBJECT_KINDS={names_in_cpp(SubjectKind)}",
)  # fmt: skip
FIRST_BUILD_SECONDS = 600.0  # on the clock, for each part: all take 40 s of two idle cores
_INCLUDE = tuple(f"-I{folder}" for folder in INCLUDE_FOLDERS)


def variables(*names: str) -> str:
    """The values of USERS_FOLDERS and further environment variables, for the key of a build that depends on them."""
    return str([os.environ.get(name) for name in (*USERS_FOLDERS, *names)])


def meaningful(flags: Sequence[str]) -> list[str]:
    """The flags that change the meaning of the source; others (`-O3`, `--use_fast_math`, ...) change nothing here."""
    return [flag for flag in flags if flag.startswith(("-D", "-U", "-I"))]


@functools.cache
def cxx_library() -> Path:
    """The C++ library of all modules and of the runtime, built at its first use. Raises CourseError if that fails."""
    units = clang.cxx_units()
    compile_each = [
        ((*clang.clang(), *clang.cxx_flags(), "-xc++", name, "-c", "-o", f"{name}.o"), {name: text})
        for name, text in units.items()
    ]
    link = (*clang.linker(), "-soname", clang.CXX_LIBRARY, "-s", *(f"{name}.o" for name in units), *clang.c_library())
    folder = _made("cxx", f"{compile_each} {link}", compile_each, (*link, "-o", clang.CXX_LIBRARY))
    return folder / clang.CXX_LIBRARY


@functools.cache
def runtime_folder() -> Path:
    """The folder with the emulator's runtime library, built at its first use. Raises CourseError if that fails."""
    command = (*clang.clang(), *_INCLUDE, *RUNTIME_FLAGS, str(RUNTIME / "runtime.cpp"), "-c", "-o", "runtime.o")
    key = f"{command} {clang.linker()} {content_hash(RUNTIME, *INCLUDE_FOLDERS)}"
    return _made("runtime", key, [(command, {})], (*module_linker(), "runtime.o", "-o", "libemulator.so"))


def module_linker() -> tuple[str, ...]:
    """The command that links objects with the C and C++ libraries."""
    return (*clang.linker(), str(cxx_library()), *clang.c_library())


@functools.cache
def prelude(flags: tuple[str, ...]) -> Path:
    """The header that precedes every source, precompiled with `flags`. Raises CourseError."""
    source = ("-xc++-header", str(HERE / "include" / "prelude.h"), "-o", "prelude.pch")
    # The key has what the headers contain. Their times may change without it, for example by an update.
    command = (*clang.clang(), *flags, "-Xclang", "-fno-pch-timestamp", *_INCLUDE, *source)
    return _made("prelude", f"{command} {content_hash(*INCLUDE_FOLDERS)}", [(command, {})]) / "prelude.pch"


def _made(
    kind: str,
    key: str,
    compile_each: Sequence[tuple[Sequence[str], Mapping[str, str]]],
    link: Sequence[str] | None = None,
) -> Path:
    """The folder with what commands make, once on each machine.

    Those of `compile_each` run at the same time, each with the files that it reads, and `link` runs after them.
    """

    def build(folder: Path) -> None:
        with progress("Preparing the emulator, which is done once on each machine"), ThreadPoolExecutor() as pool:
            for _, files in compile_each:
                for name, text in files.items():
                    (folder / name).write_text(text)
            run = functools.partial(compiler.run, folder=folder, sources={}, clock_seconds=FIRST_BUILD_SECONDS)
            list(pool.map(run, (command for command, _ in compile_each)))
            if link:
                run(link)
                for path in folder.iterdir():
                    if path.suffix != ".so":
                        path.unlink()

    try:
        return cached(kind, f"{key} ziglang {clang.VERSION}", build)
    except BuildError as error:  # no source causes it
        text = f"The emulator could not be prepared, which is done once on each machine. {error}"
        if isinstance(error.__cause__, TimeoutError):
            raise CourseError(f"{text} This machine is very busy, or its disk is slow: try again.") from error
        raise ToolchainMissing(text) from error


def preludes() -> list[Path]:
    """The precompiled headers of both builds. Raises CourseError."""
    return [prelude(flags) for flags in (FLAGS, TRACED_FLAGS)]


@functools.cache
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library, loaded into this process."""
    from course.toolchains import native  # imports PyTorch, which a builder does not need

    native.torch_library()
    # PyTorch's C++ library is another one, whose symbols are visible: with RTLD_DEEPBIND, a library uses its own.
    ctypes.CDLL(str(cxx_library()), mode=os.RTLD_DEEPBIND)
    library = ctypes.CDLL(str(runtime_folder() / "libemulator.so"), mode=ctypes.RTLD_GLOBAL | os.RTLD_DEEPBIND)
    results = {
        ctypes.c_bool: ("counted_all",),
        ctypes.c_int64: (
            *("guard", "launches", "copied_bytes", "to_host_bytes"),
            *("reports", "traffic", "arrays", "layouts", "accesses", "launched"),  # rows of a table
        ),
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
