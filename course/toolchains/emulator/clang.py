"""Clang, its linker and the C++ library, from the package `ziglang`: what the emulator compiles with.

The wheel has clang, LLVM's linker, the headers of glibc and the sources of libc++ for every platform. So a machine
needs no compiler of its own, and the messages are the same everywhere. `zig clang` and `zig ld.lld` are the plain
programs: nothing of zig's own is between.
"""

import ctypes
import functools
import importlib.metadata
import importlib.util
import os
import platform
import re
from pathlib import Path
from typing import ClassVar

from course.errors import ToolchainMissing

VERSION = "0.17.1"  # of the package; another one may have another clang, and so other messages and counts
FIX = f"install it: pip install ziglang=={VERSION}"
CXX_LIBRARY = "libcourse_cxx.so"

_HEADERS = {"x86_64": "x86", "aarch64": "aarch64"}  # the names of glibc's and Linux's folders of headers
# glibc 2.28 is the oldest on which PyTorch's wheels run, and no header then asks for a newer function. The other
# definitions are those of libc++'s own build; types are compared by name, since modules hide their symbols.
_DEFINED = (
    "-D__GLIBC_MINOR__=28", "-D_LIBCPP_ABI_VERSION=1", "-D_LIBCPP_ABI_NAMESPACE=__1", "-D_LIBCPP_HAS_THREADS=1",
    "-D_LIBCPP_HAS_THREAD_API_PTHREAD", "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "-D_LIBCPP_PSTL_BACKEND_SERIAL", "-D_LIBCPP_HAS_MONOTONIC_CLOCK=1", "-D_LIBCPP_HAS_MUSL_LIBC=0",
    "-D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0", "-D_LIBCPP_HAS_FILESYSTEM=1",
    "-D_LIBCPP_HAS_RANDOM_DEVICE=1", "-D_LIBCPP_HAS_LOCALIZATION=1", "-D_LIBCPP_HAS_UNICODE=1",
    "-D_LIBCPP_HAS_WIDE_CHARACTERS=1", "-D_LIBCPP_HAS_TIME_ZONE_DATABASE=0",
    "-D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    "-D_LIBCPP_TYPEINFO_COMPARISON_IMPLEMENTATION=2",
)  # fmt: skip


def missing() -> str | None:
    """Why there is no such clang here, with the fix, in a sentence; None if there is one."""
    if not (folder() / "zig").is_file():
        return f"clang was not found, which the package ziglang has: {FIX}"
    installed = importlib.metadata.distributions(name="ziglang")
    if (found := next((each.version for each in installed), "of unknown version")) != VERSION:
        return f"ziglang is {found} here, and the course needs {VERSION}: {FIX}"
    return None


def clang() -> tuple[str, ...]:
    """The command that starts clang with the headers of its own C and C++ libraries. Raises ToolchainMissing."""
    folders = (part for folder in headers() for part in ("-isystem", str(folder)))
    target = f"--target={platform.machine()}-linux-gnu"
    return (*_zig(), "clang", target, "-nostdinc", "-nostdinc++", *folders, *_DEFINED)


def linker() -> tuple[str, ...]:
    """The command that links a shared library. Raises ToolchainMissing."""
    # Without --eh-frame-hdr, no exception would be caught. The C library is named so that its symbols have versions.
    return (*_zig(), "ld.lld", "-shared", "--eh-frame-hdr", "--build-id=none", "-z", "relro", "-z", "now")


class _Found(ctypes.Structure):
    """`Dl_info` of dlfcn.h."""

    _fields_: ClassVar = [
        ("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p),
    ]  # fmt: skip


@functools.cache
def c_library() -> tuple[str, ...]:
    """The paths of the C library, its mathematical functions, and the unwinder, which PyTorch needs as well."""
    paths = []
    for name, function in (("libc.so.6", "malloc"), ("libm.so.6", "cos"), ("libgcc_s.so.1", "_Unwind_Resume")):
        found = _Found()
        ctypes.CDLL(None).dladdr(getattr(ctypes.CDLL(name), function), ctypes.byref(found))
        paths.append(os.fsdecode(found.file or name))
    return tuple(paths)


def folder() -> Path:
    """The folder with all files of the compiler."""
    found = importlib.util.find_spec("ziglang")
    return Path(((found and found.submodule_search_locations) or [os.devnull])[0])


def headers() -> tuple[Path, ...]:
    """The folders in which clang finds headers."""
    library = folder() / "lib"
    machine = _HEADERS.get(platform.machine(), platform.machine())
    of_c = (f"{machine}-linux-gnu", "generic-glibc", f"{machine}-linux-any", "any-linux-any")
    own = (library / "libcxx/include", library / "libcxxabi/include", library / "include")
    return (*own, *(library / "libc/include" / name for name in of_c))


def cxx_units() -> dict[str, str]:
    """The text of each unit of the C++ library."""
    library = folder() / "lib"
    # Most sources compile together, in half of the time that they take alone.
    every = [*library.glob("libcxx/src/*.cpp"), *library.glob("libcxx/src/ryu/*.cpp")]
    abi = [path for path in library.glob("libcxxabi/src/*.cpp") if path.stem != "cxa_noexception"]
    # These declare what the others declare in another way.
    alone = {path for path in every if re.search("_destructor|error_category|/memory$", str(path.with_suffix("")))}
    large = {path for path in every if path.stem in ("locale", "ios.instantiations", "iostream", "ostream", "regex")}
    groups = {
        "abi": abi,
        "large": large,
        "others": {*every} - alone - large,
        **{path.stem: {path} for path in sorted(alone)},
    }
    return {name: "".join(f'#include "{path}"\n' for path in sorted(paths)) for name, paths in groups.items()}


def cxx_flags() -> tuple[str, ...]:
    """The flags with which the C++ library is compiled."""
    library = folder() / "lib"
    return (
        "-std=c++23", "-O1", "-fPIC", "-Wno-everything", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
        "-D_LIBCPP_BUILDING_LIBRARY", "-DLIBCXX_BUILDING_LIBCXXABI", "-D_LIBCXXABI_BUILDING_LIBRARY",
        "-DHAVE___CXA_THREAD_ATEXIT_IMPL", "-DNDEBUG",
        *(f"-I{library / 'libcxx' / part}" for part in ("src", "src/include", "libc")),
    )  # fmt: skip


def _zig() -> tuple[str]:
    """The start of each command. Raises ToolchainMissing."""
    if problem := missing():
        raise ToolchainMissing(problem)
    return (str(folder() / "zig"),)
