"""The toolchain without a GPU: g++, the stand-in headers, and a runtime that plays the device."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import operator
import os
import re
import secrets
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import torch

from course.device import platform_problem
from course.toolchains import compiler, native, stand_in, symbols
from course.toolchains.base import INCLUDE, BuildError, Hazard, KernelError, Source
from course.toolchains.cache import cached
from course.toolchains.cuda_text import without_comments
from course.toolchains.emulator import counting_test
from course.toolchains.emulator.traceable import traceable
from course.toolchains.emulator.traced import (
    Access,
    Layout,
    Touched,
    TracedModule,
    Traffic,
    on_device,
    plain_name,
    variables,
)
from course.toolchains.emulator.translate import translate

HERE = Path(__file__).parent
GXX_MEND = "install it (on Debian and Ubuntu: apt install g++)."
STOPPED = "the emulator stopped the kernel"  # what the runtime throws through a wrapper
TIME_LIMIT = 10.0  # s a call may take
MAX_STATIC_SHARED = 48 * 1024  # bytes a block may declare; more needs dynamic shared memory

# -fsanitize=return: a function that ends without its return statement stops there, not in whatever code comes next.
# -fno-gnu-unique: else a template built again would use the first build's shared arrays. -fno-strict-aliasing: kernels
# read floats through float4 pointers. -fno-finite-loops: an endless loop must not be optimised away. -U_FORTIFY_SOURCE:
# Ubuntu's g++ defines it, and memcpy is then a built-in function, whose accesses no instrumentation sees. The
# __CUDA_NO_* definitions are PyTorch's.
_COMMON = (
    stand_in.STANDARD, "-w", "-fPIC", "-pipe", "-fvisibility=hidden", "-fno-gnu-unique", "-fno-strict-aliasing",
    "-fno-finite-loops", "-fsanitize=return", "-fno-delete-null-pointer-checks", *stand_in.INDIRECT_CALLS,
    "-fwrapv", "-U_FORTIFY_SOURCE", "-fno-builtin", "-DCOURSE_EMULATOR", "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
)  # fmt: skip
FLAGS = (*_COMMON, "-O2", "-fsanitize-undefined-trap-on-error")
# Every access to memory calls the runtime (see runtime/tracer.cpp), which supplies what the sanitizers would. The
# other flags keep accesses and branches as they are written: -fno-tree-sra, a float4 in one piece. g++ instruments
# assignments, and with -fno-elide-constructors a struct is passed to a function by one. -gdwarf-4: of DWARF 5,
# addr2line (of binutils 2.40) takes the file of a source's first function for another.
TRACED_FLAGS = (
    *_COMMON, "-O1", "-g1", "-gdwarf-4", "-DCOURSE_TRACED", "-U__SANITIZE_THREAD__", "-fsanitize=thread,bounds",
    "-fsanitize-coverage=trace-pc", "-fno-elide-constructors", "-fno-tree-sra",
    "-fno-reorder-blocks", "-fno-reorder-blocks-and-partition",
    "-fno-thread-jumps", "-fno-tree-dominator-opts", "-fno-tree-ch", "--param=tsan-distinguish-volatile=1",
    "-fno-tree-loop-im",
)  # fmt: skip
# What no instrumentation sees: the tracer has functions of its own for these.
_WRAPPED = tuple(
    f"-Wl,--wrap={name}"
    for name in ("memcpy", "memmove", "memset", "__memcpy_chk", "__memmove_chk", "__memset_chk", "malloc", "_Znwm",
                 "_Znam", "frexp", "frexpf", "modf", "modff", "sincos", "sincosf", "printf")
)  # fmt: skip


# What stands before a function of the host's libraries: in a kernel it stops there, since no instrumentation sees what
# such a function does to memory.
_STUB = """
    .globl __wrap_{name}
    .hidden __wrap_{name}
    .type __wrap_{name}, @function
__wrap_{name}:
    movq emulator_in_kernel@GOTPCREL(%rip), %r11
    cmpb $0, (%r11)
    je __real_{name}@PLT
    leaq 1f(%rip), %rdi
    subq $8, %rsp
    call emulator_host_function@PLT
1:  .asciz "{name}"
"""


def _stubs(objects: Sequence[Path]) -> list[str]:
    """What to link `objects` with so that a kernel which calls a function of the host's libraries stops there."""
    names = symbols.of_the_host(objects)
    text = ".section .note.GNU-stack\n.text" + "".join(_STUB.format(name=name) for name in names)
    (objects[0].parent / "stubs.s").write_text(text)
    return ["stubs.s", *(f"-Wl,--wrap={name}" for name in names)]


_INCLUDE = (f"-I{HERE / 'include'}", f"-I{INCLUDE}")
# The header first, since it is precompiled. The rest is undone here: a precompiled header does not undo it.
PRELUDE = '#include "prelude.h"\n#undef COURSE_TRACED\n#undef __SANITIZE_THREAD__\n'
_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(?P<header>[<\"](?P<name>[\w+.-][\w/+.-]*)[>\"])", re.MULTILINE)


class Emulator:
    """`Toolchain` that runs CUDA C++ on the CPU; `traced`, it looks at every access to memory."""

    def __init__(self, traced: bool = False):
        self.name, self.traced = "traced" if traced else "emulator", traced
        self.flags = TRACED_FLAGS if traced else FLAGS

    def missing(self) -> str | None:
        if problem := platform_problem():
            return problem
        if shutil.which("g++") is None:
            return f"g++ was not found: {GXX_MEND}"
        return None

    def version(self) -> str:
        sources = stand_in.sources_hash(INCLUDE, HERE, Path(symbols.__file__))
        return f"{_gxx_version()} {sources} {stand_in.torch_version()}"

    def units(self, source: Source) -> list[stand_in.Unit]:
        """The units that are made of `source`: the CUDA unit, then the C++ unit. Raises BuildError."""
        translated = dataclasses.replace(source, cuda=translate(source.cuda))
        include = [f"-I{path}" for path in (HERE / "include", INCLUDE, *source.include_paths)]
        compile_cuda = (_gxx(), *self.flags, f"-I{_prelude(self.flags)}", *include, *_meaning(source.cuda_cflags))
        # Of derived prototypes there is nothing to trace.
        flags = (*self.flags, "-UCOURSE_TRACED") if source.cpp else FLAGS
        compile_cpp = (_gxx(), *flags, *include, *_meaning(source.cflags))
        main = f'#include "library_calls.h"\n{stand_in.cpp_text(source)}'
        return [
            stand_in.Unit("cuda.cpp", _headers_first(stand_in.cuda_text(translated, PRELUDE), source), compile_cuda),
            stand_in.Unit("main.cpp", _headers_first(main, source), compile_cpp),
        ]

    def build(self, source: Source, folder: Path) -> None:
        if source.ldflags:
            raise BuildError(
                f"the emulator links no other library: leave {source.ldflags[0]} out of extra_ldflags, or use another"
                " toolchain."
            )
        units, shown = self.units(source), stand_in.shown_sources(source)
        if self.traced:
            units = [_traceable(unit, *text, folder, shown) for unit, text in zip(units, shown.items(), strict=True)]
        # Traced, it is traced as well: a kernel can call what lies in it.
        own = stand_in.own_unit((_gxx(), *self.flags, *_INCLUDE))
        link = (_gxx(), "-shared", *(_WRAPPED if self.traced else ()))
        more = (_stubs,) if self.traced else ()
        stand_in.build((*units, own), link, folder, shown, self.version(), *more)
        if "__shared__" in source.cuda:
            _check_static_shared(folder / "module.so", source.cuda)

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        runtime()
        library = native.Library(folder / "module.so")
        if not self.traced:
            return library.functions(EmulatedFunction)
        module = _traced_module(folder / "module.so", source.cuda)
        return library.functions(functools.partial(TracedFunction, module))


def _headers_first(text: str, source: Source) -> str:
    """The unit `text` with all headers before the student's first line, where no macro of the student changes them."""
    head, mark, rest = text.partition("#line 1 ")
    for match in _INCLUDED.finditer(without_comments(rest)):
        own = any((Path(path) / match["name"]).exists() for path in source.include_paths)
        # A missing header keeps its place and its error. `__has_include` would not do: g++ 12 then takes a header that
        # it has not found for an empty one.
        if not own and any((folder / match["name"]).is_file() for folder in (HERE / "include", INCLUDE, *_system())):
            head += f"#include {match['header']}\n"
    return head + mark + rest


@functools.cache
def _system() -> tuple[Path, ...]:
    """The folders in which g++ looks for headers by itself."""
    command, environment = [_gxx(), "-xc++", "-E", "-v", "/dev/null"], {**os.environ, "LC_ALL": "C"}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr
    listed = said.partition("#include <...> search starts here:")[2]
    return tuple(Path(line.strip()) for line in listed.splitlines() if line.startswith(" /"))


def _traceable(unit: stand_in.Unit, name: str, text: str, folder: Path, shown: dict[str, str]) -> stand_in.Unit:
    """`unit`, in which the student's `text` is called `name`, as it is to be compiled for tracing."""
    # To the source it looks like the folder of any build: `__has_include` finds no file that is not in those.
    secret = secrets.token_hex(8)
    work = folder / secret
    work.mkdir()
    (work / unit.file).write_text(unit.text)
    compiler.run(
        [*unit.command, "-E", "-fpch-preprocess", "-fno-working-directory", unit.file, "-o", secret], work, shown
    )
    expanded = traceable(text, (work / secret).read_text(errors="replace"), name)
    shutil.rmtree(work)
    return dataclasses.replace(unit, file=f"{Path(unit.file).stem}.ii", text=expanded)


@functools.lru_cache(maxsize=32)  # looking into its file takes longer than most calls
def _traced_module(path: Path, source: str) -> TracedModule:
    return TracedModule(path, native.Library(path).library, source)


_one_at_a_time = threading.Lock()  # the runtime plays one device


class EmulatedFunction(native.NativeFunction):
    """A bound function whose arguments lie between red zones while it runs, and whose faults become KernelError."""

    def __call__(self, *values: Any) -> Any:
        with _one_at_a_time:
            return self._run(native.Call(self, values))

    def _run(self, call: native.Call) -> Any:
        try:
            self._begin()
            _guard_arguments(call, self.tensor_names(len(call.packing.handles)))
            call.status = runtime().emulator_call(
                self.library.course_invoke, ctypes.c_int64(self.index), call.packing.values, ctypes.byref(call.result),
                ctypes.byref(call.value), ctypes.byref(call.error), ctypes.c_double(TIME_LIMIT),
            )  # fmt: skip
            if hazards := self._hazards(call):
                raise KernelError(_message(call, hazards), hazards)
            _unguard_results(call)
            return call.returned()
        finally:
            runtime().emulator_finish()
            call.free()

    def tensor_names(self, count: int) -> list[str]:
        """What to call the tensors among the arguments."""
        return [f"input tensor {position + 1}" for position in range(count)]

    def _begin(self) -> None:
        """Before the arguments are made ready."""

    def _hazards(self, call: native.Call) -> tuple[Hazard, ...]:
        """What went wrong in the call."""
        places = ("line", "block", "thread")
        return tuple(
            dataclasses.replace(hazard, where=tuple({key: place[key] for key in places} for place in hazard.where))
            for hazard in _reported()
        )


@dataclasses.dataclass
class Counted:
    """What some traced calls asked of memory, all of it where `whole`.

    `touched` has each launch; `copied` are the bytes that the host or PyTorch, and no kernel, copied into tensors,
    which no request counts. Of the last call: `sampled` says which launches were counted on a sample of their blocks;
    `accesses`, at most 100 000, `layouts`, by the array's name, and `left_out`, how many more accesses there were, are
    kept where `in_full`.
    """

    most: int = 0  # of `counting`, as the next one
    in_full: bool = False
    remarks: list[str] = dataclasses.field(default_factory=list)
    traffic: list[Traffic] = dataclasses.field(default_factory=list)
    touched: list[Touched] = dataclasses.field(default_factory=list)
    accesses: tuple[Access, ...] = ()
    layouts: Mapping[str, Layout] = dataclasses.field(default_factory=dict)
    left_out: int = 0
    sampled: str | None = None
    whole: bool = True
    copied: int = 0


_counts = threading.RLock()  # what is counted in a process is one at a time


@contextlib.contextmanager
def counting(most: int = 0, in_full: bool = False) -> Iterator[Counted]:
    """Counts the traffic of the traced calls that this process makes while it lasts.

    A launch with more than `most` accesses is counted on a sample of its blocks; 0 is no limit. `in_full` keeps the
    accesses of a block as well, which takes several times as long.
    """
    with _counts:
        before, TracedFunction.counted = TracedFunction.counted, Counted(most, in_full)
        try:
            yield TracedFunction.counted
        finally:
            TracedFunction.counted = before


class TracedFunction(EmulatedFunction):
    """A function of a traced module."""

    counted: ClassVar[Counted | None] = None  # to which each call adds its own

    def __init__(self, module: TracedModule, *args: Any):
        super().__init__(*args)
        self.module = module

    def tensor_names(self, count: int) -> list[str]:
        names = self.module.tensor_parameters(self.name)
        return names if len(names) == count else super().tensor_names(count)

    def _begin(self) -> None:
        self.module.begin(runtime(), self.counted is not None, self.counted.most if self.counted else 0)

    def _hazards(self, call: native.Call) -> tuple[Hazard, ...]:
        results = native.tensors_in(call.value) if call.status == 0 else []
        for i, value in enumerate(results):
            name = f"result {i + 1}" if len(results) > 1 else "the result"
            runtime().emulator_check_written(ctypes.c_void_p(value.pointer), name.encode())
        hazards, remarks = self.module.told(_reported())
        if counted := self.counted:
            counted.remarks += remarks
            counted.traffic += self.module.traffic(runtime())
            counted.touched += self.module.touched(runtime())
            counted.sampled = self.module.sampled(runtime())
            counted.whole &= runtime().emulator_counted_all()
            counted.copied += runtime().emulator_copied_bytes()
            if counted.in_full:
                counted.accesses, counted.layouts, counted.left_out = self.module.accesses(runtime())
        return hazards


@functools.cache
def counting_problem() -> str:
    """Why nothing can be counted here, in one sentence; "" where a kernel is counted as it was derived by hand.

    It is built and run until it was right once, for a g++ and a version of the tracer; the build cache keeps that.
    """
    traced = Emulator(traced=True)

    def build(folder: Path) -> None:
        source = Source(cuda=counting_test.SOURCE, functions=(("counted", ""),))
        built = cached(traced.name, f"{source!r} {traced.version()}", lambda work: traced.build(source, work))
        function = traced.load(source, built)["counted"]
        with counting() as counted:
            function(torch.ones(counting_test.ELEMENTS))
        found: dict[tuple, tuple[int, ...]] = {}
        for line in counted.traffic:
            key, before = (line.space, line.op, line.bytes_each), (0, 0, 0)
            counts = line.requests, line.units, line.ideal
            found[key] = tuple(map(operator.add, found.get(key, before), counts))
        if found != counting_test.EXPECTED:  # raised, since a failure is not cached
            raise KernelError("its counts are not those derived by hand")

    try:
        cached("counting", traced.version(), build)
        problem = ""
    except (BuildError, KernelError) as error:
        problem = f"fails the self-test of counted traffic ({str(error).splitlines()[0]})"
    return f"{_gxx_version()} {problem}: nothing is counted here; install g++ 11 or newer." if problem else ""


def _guard_arguments(call: native.Call, names: list[str]) -> None:
    for name, value in zip(names, call.packing.handles, strict=True):
        if value.on_host:
            continue
        out = ctypes.c_void_p()
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


def _reported() -> tuple[Hazard, ...]:
    """What the runtime reported; a place has a line, or the address of its `code`."""
    return tuple(_hazard(index) for index in range(runtime().emulator_hazard_count()))


def _hazard(index: int) -> Hazard:
    kind, kernel, detail = ctypes.c_char_p(), ctypes.c_char_p(), ctypes.c_char_p()
    texts = (ctypes.byref(kind), ctypes.byref(kernel), ctypes.byref(detail))
    where = []
    for which in range(runtime().emulator_hazard(ctypes.c_int64(index), *texts)):
        numbers = (ctypes.c_int32 * 7)()
        code = runtime().emulator_hazard_place(ctypes.c_int64(index), ctypes.c_int64(which), numbers)
        line, *rest = numbers
        if line or code:
            where.append({"line": line, "code": code, "block": rest[:3], "thread": rest[3:]})
    told, said, who = ((text.value or b"").decode() for text in (kind, detail, kernel))
    return Hazard(told, said, who, tuple(where))


@functools.cache
def runtime_folder() -> Path:
    """The folder with the emulator's runtime library, made at the first use. Raises BuildError where that fails."""

    def build(folder: Path) -> None:
        sources = [str(path) for path in sorted((HERE / "runtime").glob("*.cpp"))]
        # Some distributions' g++ fortifies longjmp, which then refuses to leave a thread's stack.
        library = ["-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-fPIC", "-shared", "-o", "libemulator.so", *sources]
        compiler.run([_gxx(), *_INCLUDE, *library], folder, {})

    return cached("runtime", Emulator().version(), build, "libemulator.so")


@functools.cache
def _prelude(flags: tuple[str, ...]) -> Path:
    """The folder with the header that stands before every source, precompiled with `flags`."""

    def build(folder: Path) -> None:
        header = ["-x", "c++-header", str(HERE / "include" / "prelude.h"), "-o", "prelude.h.gch"]
        compiler.run([_gxx(), *flags, *_INCLUDE, *header], folder, {})

    return cached("prelude", f"{flags} {Emulator().version()}", build, "prelude.h.gch")


def precompile_headers() -> None:
    """Precompile the header that every source begins with, for both builds. Raises BuildError where that fails."""
    for flags in (FLAGS, TRACED_FLAGS):
        _prelude(flags)


@functools.cache
def runtime() -> ctypes.CDLL:
    """The emulator's runtime library."""
    native.torch_library()
    library = ctypes.CDLL(str(runtime_folder() / "libemulator.so"), mode=ctypes.RTLD_GLOBAL)
    results = {
        ctypes.c_bool: ("counted_all",),
        ctypes.c_int64: (
            *("hazard_count", "hazard", "launches", "copied_bytes", "to_host_bytes"),
            *("traffic", "arrays", "layouts", "accesses", "touched"),  # rows of a table
        ),
        ctypes.c_void_p: ("hazard_place", "trace"),
    }
    for kind, names in results.items():
        for name in names:
            getattr(library, f"emulator_{name}").restype = kind
    return library


def launches() -> int:
    """How many kernels have run in this process."""
    return runtime().emulator_launches()


def to_host_bytes() -> int:
    """How many bytes the wrappers of traced modules have had copied to the host in this process."""
    return runtime().emulator_to_host_bytes()


def _gxx() -> str:
    return compiler.find("g++", GXX_MEND)


@functools.cache
def _gxx_version() -> str:
    return subprocess.run([_gxx(), "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]


def _meaning(flags: tuple[str, ...]) -> list[str]:
    """Of a compiler's flags those that say what the source means; others (`-O3`, `--use_fast_math`, ...) change
    nothing.
    """
    return [flag for flag in flags if flag.startswith(("-D", "-U", "-I"))]


def _check_static_shared(library: Path, source: str) -> None:
    """Refuses more static shared memory than a block may have, as ptxas does."""
    used: dict[str, int] = {}
    for variable in variables(library):
        if variable.function and on_device(variable.function, source):
            used[variable.function] = used.get(variable.function, 0) + variable.size
    for function, size in used.items():
        if size > MAX_STATIC_SHARED:
            raise BuildError(
                f"the kernel '{plain_name(function)}' declares {size} bytes of __shared__ arrays; a block has"
                f" {MAX_STATIC_SHARED} (48 KB): use smaller arrays"
            )
