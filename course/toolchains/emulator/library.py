"""g++ as the emulator uses it, and what it builds once: the library that stands in for the device, and the headers."""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from course.errors import BuildError, CourseError, ToolchainMissing
from course.progress import progress
from course.toolchains import compiler
from course.toolchains.base import HEADERS, INCLUDE
from course.toolchains.cache import cached, content_hash
from course.toolchains.guard.symbols import THUNK_FLAGS
from course.toolchains.shim import units as shim

HERE = Path(__file__).parent
GXX_FIX = "install it (on Debian and Ubuntu: apt install g++)."

# -fsanitize=return: a function that ends without its return statement stops there and does not run into other code.
# -fno-gnu-unique: otherwise a template that is built again would use the shared arrays of the first build.
# -fno-strict-aliasing: kernels read floats through float4 pointers. -fno-finite-loops: an endless loop must not be
# optimised away. -U_FORTIFY_SOURCE: Ubuntu's g++ defines it, which makes memcpy a built-in function, and its accesses
# are not instrumented. -fmax-errors: g++ searches a similar name for each unknown name, which takes minutes for
# thousands of lines that are not C++. The __CUDA_NO_* definitions are PyTorch's.
_COMMON = (
    shim.STANDARD, "-w", "-fmax-errors=50", "-fPIC", "-pipe", "-fvisibility=hidden", "-fno-gnu-unique",
    "-fno-strict-aliasing", "-fno-finite-loops", "-fsanitize=return", "-fno-delete-null-pointer-checks",
    *THUNK_FLAGS,
    "-fwrapv", "-U_FORTIFY_SOURCE", "-fno-builtin", "-DCOURSE_EMULATOR", "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
)  # fmt: skip
FLAGS = (*_COMMON, "-O2", "-fsanitize-undefined-trap-on-error")
# Every access to memory calls the runtime (see runtime/hooks.cpp), which replaces the sanitizers' own functions. The
# other flags keep accesses and branches as they are written; for example, -fno-tree-sra keeps a float4 in one piece.
# g++ instruments assignments, and with -fno-elide-constructors a struct is passed to a function by an assignment.
# -gdwarf-4: with DWARF 5, addr2line (of binutils 2.40) gives a wrong file for a source's first function.
TRACED_FLAGS = (
    *_COMMON, "-O1", "-g1", "-gdwarf-4", "-DCOURSE_TRACED", "-U__SANITIZE_THREAD__", "-fsanitize=thread,bounds",
    "-fsanitize-coverage=trace-pc", "-fno-elide-constructors", "-fno-tree-sra",
    "-fno-reorder-blocks", "-fno-reorder-blocks-and-partition",
    "-fno-thread-jumps", "-fno-tree-dominator-opts", "-fno-tree-ch", "--param=tsan-distinguish-volatile=1",
    "-fno-tree-loop-im",
)  # fmt: skip
USERS_FOLDERS = ("CPATH", "CPLUS_INCLUDE_PATH")  # variables with the user's own folders of headers
INCLUDE_FOLDERS = (HERE / "include", INCLUDE, HEADERS)
RUNTIME = HERE / "runtime"
# The g++ of some distributions fortifies longjmp, which then refuses to leave a thread's stack.
RUNTIME_FLAGS = ("-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", "-o", "libemulator.so")
FIRST_BUILD_SECONDS = 600.0  # on the clock, for each part: it takes 20 s of an idle machine
_INCLUDE = tuple(f"-I{folder}" for folder in INCLUDE_FOLDERS)


def gxx() -> str:
    """The path of g++. Raises ToolchainMissing if there is none."""
    return compiler.find("g++", GXX_FIX)


@functools.cache
def gxx_version() -> str:
    """The first line of the output of `g++ --version`."""
    return subprocess.run([gxx(), "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]


@functools.cache
def system_folders() -> tuple[Path, ...]:
    """The folders in which g++ looks for headers by itself, without those of USERS_FOLDERS."""
    command = [gxx(), "-xc++", "-E", "-v", "/dev/null"]
    environment = {**os.environ, "LC_ALL": "C", **dict.fromkeys(USERS_FOLDERS, "")}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr
    listed = said.partition("#include <...> search starts here:")[2]
    return tuple(Path(line.strip()) for line in listed.splitlines() if line.startswith(" /"))


def variables(*names: str) -> str:
    """The values of USERS_FOLDERS and further environment variables, for the key of a build that depends on them."""
    return str([os.environ.get(name) for name in (*USERS_FOLDERS, *names)])


def meaningful(flags: Sequence[str]) -> list[str]:
    """The flags that change the meaning of the source; others (`-O3`, `--use_fast_math`, ...) change nothing here."""
    return [flag for flag in flags if flag.startswith(("-D", "-U", "-I"))]


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


def prelude_folders() -> list[Path]:
    """The folders with the precompiled header of both builds. Raises CourseError."""
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
