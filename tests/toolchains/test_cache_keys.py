"""What is built again after an edit of the course: everything that the edit can change, and nothing else."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from course import device
from course.build import Builder
from course.errors import BuildError, CourseError
from course.toolchains import base, compiler
from course.toolchains.base import Source, Toolchain
from course.toolchains.cache import content_hash
from course.toolchains.emulator import library, toolchain
from course.toolchains.emulator.gxx import FLAGS, TRACED_FLAGS
from course.toolchains.emulator.library import prelude_folder, runtime_folder
from course.toolchains.emulator.toolchain import Emulator
from course.toolchains.nvcc import Nvcc
from course.toolchains.stand_in import units

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
CACHED = (content_hash, runtime_folder, prelude_folder)  # in this process


def build_all() -> None:
    """Build what judging the known answer needs."""
    runtime_folder()
    for each in EMULATORS:
        Builder().build(each, KNOWN)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """What is compiled from here on: "runtime", "headers", or the name of an object's source file."""
    build_all()
    found: set[str] = set()
    run = compiler.run

    def recorded(command: list[str], folder: Path, shown: dict[str, str], *clock: float) -> None:
        if "c++-header" in command:
            found.add("headers")
        elif command[-1].endswith("runtime.cpp"):
            found.add("runtime")
        elif "-c" in command:
            found.add(command[command.index("-c") - 1])
        else:  # links, or runs the preprocessor
            return run(command, folder, shown, *clock)
        raise BuildError("not compiled")

    monkeypatch.setattr(compiler, "run", recorded)
    yield found
    monkeypatch.undo()
    for each in CACHED:
        each.cache_clear()


def edit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `path` end with one more line for every reader, without changing the file."""
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"\n" * (self == path))
    for each in CACHED:
        each.cache_clear()


def build_each() -> None:
    """The same as `build_all`, but a failure does not stop it."""
    for build in (runtime_folder, *(lambda each=each: Builder().build(each, KNOWN) for each in EMULATORS)):
        with contextlib.suppress(CourseError):
            build()


@pytest.mark.parametrize("path", [path.relative_to(FOLDER).as_posix() for path in sorted(FOLDER.rglob("*.py"))])
def test_an_edit_of_python_compiles_nothing(path: str, compiled: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At most, modules are linked again, since the key of an object has the text that is compiled."""
    edit(FOLDER / path, monkeypatch)
    build_all()
    assert compiled == set()


@pytest.mark.parametrize(
    ("path", "again"),
    [
        ("emulator/runtime/shadow.cpp", {"runtime"}),
        ("emulator/runtime/internal.h", {"runtime"}),
        ("emulator/include/emulator.h", {"runtime", "headers"}),  # no object is compiled without the headers
        ("stand_in/include/course/aoti.h", {"runtime", "headers"}),
        ("stand_in/src/tensor.cpp", {"stand_in.cpp"}),
        ("guard/indirect_calls.cpp", {"stand_in.cpp"}),
        ("../headers/course/checks.h", {"runtime", "headers"}),
    ],
)
def test_an_edit_of_cpp_compiles_what_includes_it(
    path: str, again: set[str], compiled: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit((FOLDER / path).resolve(), monkeypatch)
    build_each()
    assert compiled == again


def test_all_cpp_of_the_course_is_part_of_a_key() -> None:
    reads = (*units.COMPILED, *toolchain.INCLUDE_FOLDERS, library.RUNTIME)
    cpp = [path for suffix in ("h", "cpp", "cuh") for path in FOLDER.parent.rglob(f"*.{suffix}")]
    assert [path for path in cpp if not {path, *path.parents} & {*reads}] == []


def test_other_flags_and_another_compiler_compile_again(compiled: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "RUNTIME_FLAGS", ("-O1", *library.RUNTIME_FLAGS))
    monkeypatch.setattr(EMULATORS[1], "flags", (*TRACED_FLAGS, "-DANOTHER"))
    for each in CACHED:
        each.cache_clear()
    build_each()
    assert prelude_folder(FLAGS)  # unchanged
    assert compiled == {"runtime"}  # the module's key has the parts that its flags are made of
    with pytest.raises(CourseError):
        EMULATORS[1].units(KNOWN)
    assert compiled == {"runtime", "headers"}
    compiled.clear()
    monkeypatch.setattr(library, "gxx_version", lambda: "another")
    prelude_folder.cache_clear()
    with pytest.raises(CourseError):
        prelude_folder(FLAGS)
    assert compiled == {"headers"}


# Files whose functions run in a build but do not influence the module, and why.
NOT_IN_KEYS = {
    "base.py": "the interface; the source is in the key",
    "cache.py": "where builds are kept",
    "compiler.py": "runs commands that are in keys; a failed build is not kept",
    "emulator/library.py": "its headers have a key of their own, which is in the commands",
    "pytorch.py": "its answer is in the key",
    "shared_cache.py": "where builds of others are read",
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
    names = {path.relative_to(FOLDER).as_posix() for path in ran if FOLDER in path.parents}
    assert {"cuda_text.py", "stand_in/units.py", "guard/symbols.py"} < names
    before = chosen.version()
    for name in sorted(names):
        with monkeypatch.context() as patched:
            edit(FOLDER / name, patched)
            assert (chosen.version() == before) == (name in NOT_IN_KEYS), name
    content_hash.cache_clear()


def test_a_hash_is_that_of_the_sources_and_not_of_what_python_compiled_of_them(tmp_path: Path) -> None:
    here, there, other = tmp_path / "here", tmp_path / "there", tmp_path / "other"
    for folder in (here, there, other):
        (folder / "__pycache__").mkdir(parents=True)
        (folder / "tracer.py").write_text("changed" if folder is other else "")
        (folder / "__pycache__" / "tracer.cpython-311.pyc").write_text(folder.name)
    assert content_hash(here) == content_hash(there) != content_hash(other)
