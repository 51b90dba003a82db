"""g++ as the emulator uses it: its flags, its version, and where it finds headers."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from course.toolchains import compiler
from course.toolchains.base import HEADERS, INCLUDE
from course.toolchains.guard import indirect_calls
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
    *indirect_calls.FLAGS,
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
