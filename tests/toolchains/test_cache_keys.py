"""What is built again after an edit of the course or of a student's header: all that it can change, and no more."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

from course import device
from course.build import Builder, load_inline
from course.errors import BuildError, CourseError
from course.toolchains import base, compiler
from course.toolchains.base import Source, Toolchain
from course.toolchains.cache import content_hash
from course.toolchains.emulator import clang, library, toolchain
from course.toolchains.emulator.library import FLAGS, TRACED_FLAGS, cxx_library, prelude, runtime_folder
from course.toolchains.emulator.toolchain import INSTRUMENT, Emulator
from course.toolchains.guard.symbols import THUNKS
from course.toolchains.nvcc import Nvcc
from course.toolchains.shim import units
from tests.toolchains.test_shared_cache import DAMAGES

FOLDER = Path(base.__file__).parent
ANSWER = """
#include <torch/extension.h>
__global__ void flip(float* A) {
    __shared__ float s[32];
    s[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    A[threadIdx.x] = s[31 - threadIdx.x];
}
void f(torch::Tensor A) { flip<<<1, 32>>>(A.data_ptr<float>()); }
"""
KNOWN = Source(cuda=ANSWER, functions=(("f", ""),))
EMULATORS = (Emulator(), Emulator(traced=True))
CACHED = (content_hash, cxx_library, runtime_folder, prelude)  # in this process


def build_all() -> None:
    """Build what judging the known answer needs."""
    runtime_folder()
    for each in EMULATORS:
        Builder().build(each, KNOWN)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """What is compiled from here on: "headers", or the name of an object's source file."""
    build_all()
    found: set[str] = set()
    run = compiler.run

    def recorded(command: list[str], folder: Path, *more: Any, **limits: Any) -> None:
        if "-xc++-header" in command:
            found.add("headers")
        elif "-c" in command:
            found.add(Path(command[command.index("-c") - 1]).name)
        else:  # links
            return run(command, folder, *more, **limits)
        raise BuildError("not compiled")

    monkeypatch.setattr(compiler, "run", recorded)
    yield found
    monkeypatch.undo()
    for each in CACHED:
        each.cache_clear()


def edit(paths: Set[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each of `paths` end with one more line for every reader, without changing the file."""
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"\n" * (self in paths))
    for each in CACHED:
        each.cache_clear()


def build_each() -> None:
    """The same as `build_all`, but a failure does not stop it."""
    for build in (runtime_folder, *(lambda each=each: Builder().build(each, KNOWN) for each in EMULATORS)):
        with contextlib.suppress(CourseError):
            build()


def test_an_edit_of_python_compiles_nothing(compiled: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all files but the one that changes IR. At most, modules are linked again: an object's key has its text."""
    edit({*FOLDER.rglob("*.py")} - {INSTRUMENT}, monkeypatch)
    build_all()
    assert compiled == set()


@pytest.mark.parametrize(
    ("path", "again"),
    [
        ("emulator/runtime/shadow.cpp", {"runtime.cpp"}),
        ("emulator/runtime/internal.h", {"runtime.cpp"}),
        ("emulator/include/emulator.h", {"runtime.cpp", "headers"}),  # no object is compiled without the headers
        ("shim/include/course/aoti.h", {"runtime.cpp", "headers"}),
        ("shim/src/tensor.cpp", {"shim.cpp"}),
        ("guard/indirect_calls.cpp", set()),  # nvcc's
        ("../headers/course/checks.h", {"runtime.cpp", "headers"}),
    ],
)
def test_an_edit_of_cpp_compiles_what_includes_it(
    path: str, again: set[str], compiled: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit({(FOLDER / path).resolve()}, monkeypatch)
    build_each()
    assert compiled == again


def test_all_cpp_of_the_course_is_part_of_a_key() -> None:
    # A header beside the kernels that notebooks load is one that a student's source includes, and read like it.
    reads = (*units.COMPILED, *toolchain.INCLUDE_FOLDERS, library.RUNTIME, THUNKS, FOLDER.parent / "kernels")
    cpp = [path for suffix in ("h", "cpp", "cuh") for path in FOLDER.parent.rglob(f"*.{suffix}")]
    assert [path for path in cpp if not {path, *path.parents} & {*reads}] == []


@pytest.mark.parametrize("header", [library.HERE / "include" / "cuda_runtime.h", clang.headers()[0] / "vector"])
def test_a_header_with_another_time_and_the_same_text_is_no_other_header(header: Path) -> None:
    build_all()
    before = header.stat()
    os.utime(header, (0, 0))
    try:
        for each in EMULATORS:
            Builder().build(each, Source(cuda=f"{ANSWER}// {uuid.uuid4()}", functions=(("f", ""),)))
    finally:
        os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_other_flags_and_another_compiler_compile_again(compiled: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "RUNTIME_FLAGS", ("-O1", *library.RUNTIME_FLAGS))
    monkeypatch.setattr(EMULATORS[1], "flags", (*TRACED_FLAGS, "-DANOTHER"))
    for each in CACHED:
        each.cache_clear()
    build_each()
    assert prelude(FLAGS)  # unchanged
    assert compiled == {"runtime.cpp"}  # the module's key has the parts that its flags are made of
    with pytest.raises(CourseError):
        EMULATORS[1].units(KNOWN)
    assert compiled == {"runtime.cpp", "headers"}
    compiled.clear()
    monkeypatch.setattr(clang, "VERSION", "another")
    monkeypatch.setattr(clang, "missing", lambda: None)
    for each in CACHED:
        each.cache_clear()
    for build in (cxx_library, functools.partial(prelude, FLAGS)):
        with pytest.raises(CourseError):
            build()
    assert compiled >= {"abi", "headers"}  # and other units of the C++ library, until the first fails


@pytest.mark.parametrize("damage", ["cut", "one byte"])
@pytest.mark.parametrize(
    ("file", "built", "again"),
    [
        ("cxx/*/libcourse_cxx.so", cxx_library, "abi"),
        ("runtime/*/libemulator.so", runtime_folder, "runtime.cpp"),
        ("prelude/*/prelude.pch", functools.partial(prelude, FLAGS), "headers"),
    ],
)
def test_a_damaged_library_or_header_is_compiled_again(
    file: str, built: Callable[[], Path], again: str, damage: str, compiled: set[str], fresh_cache: Path
) -> None:
    for each in CACHED:
        each.cache_clear()
    built()
    assert compiled == set()
    for path in fresh_cache.glob(file):
        whole = path.parent.resolve()
        path.parent.unlink()
        shutil.copytree(whole, path.parent)
        DAMAGES[damage](path)
    for each in CACHED:
        each.cache_clear()
    with pytest.raises(CourseError):
        built()
    assert again in compiled and (again == "abi" or len(compiled) == 1)  # the C++ library has several units


# Files whose functions run in a build but do not influence the module, and why.
NOT_IN_KEYS = {
    "base.py": "the interface; the source is in the key",
    "cache.py": "where builds are kept",
    "compiler.py": "runs commands that are in keys; a failed build is not kept",
    "pytorch.py": "its answer is in the key",
    "time_limit.py": "a build that was stopped is not kept",
}
NUMBERS = itertools.count()


@pytest.mark.parametrize("chosen", [*EMULATORS, Nvcc("90")], ids=["emulator", "traced", "nvcc"])
def test_all_python_that_decides_a_module_is_in_its_key(
    chosen: Toolchain, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if chosen.name == "nvcc" and device.nvcc() is None:
        pytest.skip("nvcc is not installed")
    ran: set[Path] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            ran.add(Path(frame.f_code.co_filename))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        chosen.build(Source(cuda=f"{ANSWER}// {next(NUMBERS)}\n", functions=(("f", ""),)), tmp_path)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    parts = {FOLDER, FOLDER.parent / "text"}
    names = {path.relative_to(FOLDER.parent).as_posix() for path in ran if not parts.isdisjoint(path.parents)}
    assert {"text/reader.py", "toolchains/shim/units.py"} < names
    before = chosen.version()
    for name in sorted(names):
        with monkeypatch.context() as patched:
            edit({FOLDER.parent / name}, patched)
            assert (chosen.version() == before) == (name.removeprefix("toolchains/") in NOT_IN_KEYS), name
    content_hash.cache_clear()


# A kernel that stores what a header of the student says.
INCLUDING = """
#include <torch/extension.h>
{include}
__global__ void store(float* A) {{ A[threadIdx.x] = VALUE; }}
void f(torch::Tensor A) {{ store<<<1, 1>>>(A.data_ptr<float>()); }}
"""


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is compiled or linked from here on."""
    found: list[str] = []
    run = compiler.run

    def recorded(command: list[str], *more: Any, **limits: Any) -> None:
        found.append(command[command.index("-c") - 1] if "-c" in command else "links")
        run(command, *more, **limits)

    monkeypatch.setattr(compiler, "run", recorded)
    return found


@pytest.mark.parametrize(
    "chosen",
    [
        EMULATORS[0],
        pytest.param(EMULATORS[1], marks=pytest.mark.slow),
        pytest.param(Nvcc("90"), marks=pytest.mark.slow),
    ],
    ids=["emulator", "traced", "nvcc"],
)
def test_an_edit_of_a_students_header_compiles_what_includes_it(
    chosen: Toolchain, commands: list[str], tmp_path: Path
) -> None:
    if chosen.name == "nvcc" and device.nvcc() is None:
        pytest.skip("nvcc is not installed")
    spaced, last = (tmp_path / name for name in ("a $ and a # b", "last"))
    for folder in (spaced, last):
        folder.mkdir()
    (spaced / "outer.h").write_text("#pragma once\n#pragma GCC system_header\n#include <inner.h>\n")
    include = f'#include "outer.h"  // {uuid.uuid4()}'  # so that no cache has it
    source = Source(
        INCLUDING.format(include=include), functions=(("f", ""),),
        include_paths=(str(spaced), str(last)),
    )  # fmt: skip

    def built(inner: str) -> bytes:
        (last / "inner.h").write_text(inner)
        commands.clear()
        return (Builder().build(chosen, source) / "module.so").read_bytes()

    one, two = "#define VALUE 1\n", "#define VALUE 2\n"  # of the same size
    with_one = built(one)
    assert len(commands) > 1
    assert built(one) == with_one and commands == []  # written again, but not changed
    with_two = built(two)
    assert with_two != with_one and not {"main.cpp", "shim.cpp"} & set(commands)
    assert built(one) == with_one and commands == []  # both are kept
    (last / "inner.h").unlink()
    with pytest.raises(BuildError, match=r"inner\.h"):
        Builder().build(chosen, source)


@pytest.mark.parametrize(
    "found",
    # A variable decides what all units include, so all are compiled again.
    ["by its path", "by a flag", "in the other unit", pytest.param("by a variable", marks=pytest.mark.slow)],
)
def test_a_students_header_is_known_however_the_compiler_finds_it(
    found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "value.h").write_text("#define VALUE 4\n")
    header, options = tmp_path / "here" / "value.h", dict[str, Any]()
    cuda = INCLUDING.format(include='#include "value.h"')
    if found == "by its path":
        cuda = INCLUDING.format(include=f'#include "{header}"')
    elif found == "by a flag":
        options = {"extra_cuda_cflags": [f"-I{header.parent}"]}
    elif found == "in the other unit":
        cpp = f'#include "{header}"\nvoid f(torch::Tensor A);\nfloat value() {{ return VALUE; }}'
        cuda = INCLUDING.format(include="float value();").replace("float* A", "float* A, float v")
        cuda, options = cuda.replace("VALUE", "v").replace("float>()", "float>(), value()"), {"cpp_sources": cpp}
    else:
        monkeypatch.setenv("CPLUS_INCLUDE_PATH", str(header.parent))

    def value() -> float:
        A = torch.zeros(1)
        load_inline("m", cuda_sources=cuda, functions=["f"], toolchain="emulator", **options).f(A)
        return A.item()

    for number in (1, 2, 1):
        header.write_text(f"#define VALUE {number}\n")
        assert value() == number
    if found == "by a variable":
        monkeypatch.setenv("CPLUS_INCLUDE_PATH", str(tmp_path / "there"))
        assert value() == 4


def test_a_hash_is_that_of_the_sources_and_not_of_what_python_compiled_of_them(tmp_path: Path) -> None:
    here, there, other = tmp_path / "here", tmp_path / "there", tmp_path / "other"
    for folder in (here, there, other):
        (folder / "__pycache__").mkdir(parents=True)
        (folder / "tracer.py").write_text("changed" if folder is other else "")
        (folder / "__pycache__" / "tracer.cpython-311.pyc").write_text(folder.name)
    assert content_hash(here) == content_hash(there) != content_hash(other)
