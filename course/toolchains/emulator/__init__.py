"""The toolchain without a GPU: g++, the stand-in headers, and a runtime that plays the device."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.device import platform_problem
from course.toolchains import compiler, native, stand_in
from course.toolchains.base import INCLUDE, BuildError, Hazard, KernelError, Source
from course.toolchains.cache import cached
from course.toolchains.cuda_text import functions
from course.toolchains.emulator.translate import translate

HERE = Path(__file__).parent
GXX_MEND = "install it (on Debian and Ubuntu: apt install g++)."
STOPPED = "the emulator stopped the kernel"  # what the runtime throws through a wrapper
TIME_LIMIT = 10.0  # s a call may take
MAX_STATIC_SHARED = 48 * 1024  # bytes a block may declare; more needs dynamic shared memory

# -fsanitize=return: a function that ends without its return statement stops there, not in whatever code comes next.
# -fno-gnu-unique: else a template built again would use the first build's shared arrays. -fno-strict-aliasing: kernels
# read floats through float4 pointers. -fno-finite-loops: an endless loop must not be optimised away. The __CUDA_NO_*
# definitions are PyTorch's.
FLAGS = (
    "-std=c++17", "-O2", "-w", "-fPIC", "-pipe", "-fvisibility=hidden", "-fno-gnu-unique", "-fno-strict-aliasing",
    "-fno-finite-loops", "-fsanitize=return", "-fsanitize-undefined-trap-on-error", "-fno-delete-null-pointer-checks",
    "-fwrapv", "-DCOURSE_EMULATOR", "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
)  # fmt: skip


PRELUDE = '#include "prelude.h"\n#define __CUDACC__\n'  # the header first: precompiled, and without that definition


class Emulator:
    """`Toolchain` that runs CUDA C++ on the CPU."""

    name = "emulator"

    def missing(self) -> str | None:
        if problem := platform_problem():
            return problem
        if shutil.which("g++") is None:
            return f"g++ was not found: {GXX_MEND}"
        return None

    def version(self) -> str:
        return f"{_gxx_version()} {stand_in.headers_hash(INCLUDE, HERE)} {stand_in.torch_version()}"

    def build(self, source: Source, folder: Path) -> None:
        if source.ldflags:
            raise BuildError(
                f"the emulator links no other library: leave {source.ldflags[0]} out of extra_ldflags, or use another"
                " toolchain."
            )
        translated = dataclasses.replace(source, cuda=translate(source.cuda))
        include = [f"-I{path}" for path in (HERE / "include", INCLUDE, *source.include_paths)]
        compile_cuda = (_gxx(), *FLAGS, f"-I{runtime_folder()}", *include, *_host_flags(source.cuda_cflags))
        compile_cpp = (_gxx(), *FLAGS, *include, *source.cflags)
        units = (
            stand_in.Unit("cuda.cpp", stand_in.cuda_text(translated, PRELUDE), compile_cuda),
            stand_in.Unit("main.cpp", stand_in.cpp_text(source), compile_cpp),
        )
        stand_in.build(units, (_gxx(), "-shared"), folder, stand_in.shown_sources(source), self.version())
        if "__shared__" in source.cuda:
            _check_static_shared(folder / "module.so", source.cuda)

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        runtime()
        return native.Library(folder / "module.so").functions(EmulatedFunction)


_one_at_a_time = threading.Lock()  # the runtime plays one device


class EmulatedFunction(native.NativeFunction):
    """A bound function whose arguments lie between red zones while it runs, and whose faults become KernelError."""

    def __call__(self, *values: Any) -> Any:
        with _one_at_a_time:
            return self._run(native.Call(self, values))

    def _run(self, call: native.Call) -> Any:
        try:
            _guard_arguments(call)
            call.status = runtime().emulator_call(
                self.library.course_invoke, ctypes.c_int64(self.index), call.packing.values, ctypes.byref(call.result),
                ctypes.byref(call.value), ctypes.byref(call.error), ctypes.c_double(TIME_LIMIT),
            )  # fmt: skip
            if hazards := _hazards():
                raise KernelError(_message(call, hazards), hazards)
            _unguard_results(call)
            return call.returned()
        finally:
            runtime().emulator_finish()
            call.free()


def _guard_arguments(call: native.Call) -> None:
    for position, value in enumerate(call.packing.handles):
        if value.on_host:
            continue
        out = ctypes.c_void_p()
        name = f"input tensor {position + 1}"
        if runtime().emulator_guard(ctypes.c_void_p(value.pointer), name.encode(), ctypes.byref(out)):
            raise KernelError(f"the emulator could not copy {name}: out of memory, or an element type it does not know")
        native.release(value.pointer)
        value.pointer = out.value


def _unguard_results(call: native.Call) -> None:
    for value in native.tensors_in(call.value):
        out = ctypes.c_void_p()
        runtime().emulator_unguard(ctypes.c_void_p(value.pointer), ctypes.byref(out))
        native.release(value.pointer)
        value.pointer = out.value


def _message(call: native.Call, hazards: tuple[Hazard, ...]) -> str:
    details = "\n".join(f"{hazard.kind}: {hazard.detail}" for hazard in hazards)
    thrown = call.message()
    return details if not thrown or thrown == STOPPED else f"{thrown}\n{details}"


def _hazards() -> tuple[Hazard, ...]:
    found = []
    for index in range(runtime().emulator_hazard_count()):
        kind, kernel, detail = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
        place = (ctypes.c_int32 * 7)()
        has_place = runtime().emulator_hazard(
            ctypes.c_int64(index), ctypes.byref(kind), ctypes.byref(kernel), ctypes.byref(detail), place
        )
        line, *rest = place
        where = ({"line": line, "block": rest[:3], "thread": rest[3:]},) if has_place and line else ()
        found.append(Hazard(kind.value.decode(), detail.value.decode(), kernel.value.decode(), where))
    return tuple(found)


@functools.cache
def runtime_folder() -> Path:
    """The folder with the emulator's runtime library and its precompiled header, made at the first use.

    Raises BuildError where that fails.
    """
    include = [f"-I{HERE / 'include'}", f"-I{INCLUDE}"]

    def build(folder: Path) -> None:
        sources = [str(path) for path in sorted((HERE / "runtime").glob("*.cpp"))]
        # Some distributions' g++ fortifies longjmp, which then refuses to leave a thread's stack.
        library = ["-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", "-o", "libemulator.so", *sources]
        header = [*FLAGS, "-x", "c++-header", str(HERE / "include" / "prelude.h"), "-o", "prelude.h.gch"]
        compiler.run([_gxx(), *include, *library], folder, {})
        compiler.run([_gxx(), *include, *header], folder, {})

    return cached("runtime", f"{FLAGS} {Emulator().version()}", build)


@functools.cache
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library."""
    native.torch_library()
    library = ctypes.CDLL(str(runtime_folder() / "libemulator.so"), mode=ctypes.RTLD_GLOBAL)
    library.emulator_hazard_count.restype = library.emulator_launches.restype = ctypes.c_int64
    library.emulator_hazard.restype = ctypes.c_bool
    return library


def launches() -> int:
    """How many kernels have run in this process."""
    return runtime().emulator_launches()


def _gxx() -> str:
    return compiler.find("g++", GXX_MEND)


@functools.cache
def _gxx_version() -> str:
    return subprocess.run([_gxx(), "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]


def _host_flags(flags: tuple[str, ...]) -> list[str]:
    """Of nvcc's flags those that say what the source means; others (`-O3`, `--use_fast_math`, ...) change nothing."""
    return [flag for flag in flags if flag.startswith(("-D", "-U", "-I"))]


def _check_static_shared(library: Path, source: str) -> None:
    """Refuses more static shared memory than a block may have, as ptxas does."""
    on_device = {f.name for f in functions(source) if f.qualifiers & {"__global__", "__device__"}}
    listed = subprocess.run(["nm", "-S", "-C", str(library)], capture_output=True, text=True, check=False).stdout
    used: dict[str, int] = {}
    for line in listed.splitlines():
        # A function's static variable: its address, size, kind, and `function(...)::name` (`void f<T>(...)::name`).
        match = re.match(r"\S+ (\S+) [bdBDuV] (.+)::\w+$", line)
        if match and _plain_name(match[2]) in on_device:
            used[match[2]] = used.get(match[2], 0) + int(match[1], 16)
    for function, size in used.items():
        if size > MAX_STATIC_SHARED:
            raise BuildError(
                f"the kernel '{_plain_name(function)}' declares {size} bytes of __shared__ arrays; a block has"
                f" {MAX_STATIC_SHARED} (48 KB): use smaller tiles, or dynamic shared memory"
            )


def _plain_name(function: str) -> str:
    """`k` of `void (anonymous namespace)::k<float>(float*)`."""
    function = function.replace("(anonymous namespace)::", "")
    while function != (shorter := re.sub(r"<[^<>]*>", "", function)):
        function = shorter
    return function.partition("(")[0].rpartition("::")[2].rpartition(" ")[2]
