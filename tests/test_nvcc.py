"""nvcc against the stand-in headers: builds for GPUs that need not be there. Nothing is run here."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbgrader.utils import is_solution
from torch.utils import cpp_extension

from course import device
from course.build import bindable_functions, toolchain_for
from course.toolchains.base import BuildError, Source
from course.toolchains.flags import refuse_flags
from course.toolchains.nvcc import Nvcc, architecture_flags, architecture_here
from course.toolchains.symbols import foreign_symbols, undefined_symbols

HERE = Path(__file__).parent
ARCHITECTURES = ("75", "80", "86", "89", "90", "100", "120")  # from a T4's on, as CUDA 13 builds for


@pytest.fixture(autouse=True)
def _nvcc() -> None:
    if device.nvcc() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("nvcc is not installed: nothing is known here of the sources that it must build")


def build(architecture: str, cuda: str, functions: list[str], folder: Path, cuda_cflags: tuple[str, ...] = ()) -> Path:
    source = Source(cuda=cuda, functions=tuple((name, "") for name in functions), cuda_cflags=cuda_cflags)
    Nvcc(architecture).build(source, folder)
    return folder / "module.so"


def source_of(name: str) -> tuple[str, list[str]]:
    """The source that a test of the emulator runs, and the functions that it binds."""
    module = runpy.run_path(str(HERE / f"test_{name}.py"))
    if name == "emulator":
        source = module["HEAD"] + "\n".join(module["PARTS"])
    else:
        source = module["STRANGE" if name == "cuda_text" else "SOURCE"]
    return source, bindable_functions(source)


# What the emulator's tests run is CUDA, as nvcc has it, and not only what the emulator takes for it.
@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        ("emulator", "75"),
        ("emulator_hazards", "90"),
        ("emulator_properties", "90"),
        ("stand_in", "90"),
        ("cuda_text", "75"),
    ],
)
def test_nvcc_builds_what_the_emulator_runs(name: str, architecture: str, tmp_path: Path) -> None:
    source, functions = source_of(name)
    library = build(architecture, source, functions, tmp_path)
    assert foreign_symbols(undefined_symbols(library)) == []
    assert f"sm_{architecture}".encode() in library.read_bytes()


def test_an_error_names_the_students_line_and_the_mend(tmp_path: Path) -> None:
    source = """#include <torch/extension.h>
__global__ void k(float* c) {
    c[threadIdx.x] = undeclared;
}
torch::Tensor f(torch::Tensor A) {
    k<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>());
    return A;
}
"""

    def refusal(text: str) -> str:
        with pytest.raises(BuildError) as caught:
            build("90", text, ["f"], tmp_path)
        return str(caught.value)

    message = refusal(source)
    assert 'line 3: error: identifier "undeclared" is undefined\n    c[threadIdx.x] = undeclared;' in message
    assert "line 6: error: " in message and message.endswith("Is #include <ATen/cuda/CUDAContext.h> missing?")
    library = source.replace("undeclared", "1").replace(", 0, at::cuda::getCurrentCUDAStream()", "")
    library = library.replace("return A;", "return torch::relu(A);")
    assert refusal(library).startswith("line 7: error: library-call: 'relu' computes with PyTorch's library")


def test_an_operator_with_a_docstring_does_not_compile_and_one_without_is_not_registered(tmp_path: Path) -> None:
    text = "#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor A) { return A; }\n"
    with pytest.raises(BuildError, match=r"(?s)line 3: .*torch::Library::def.*a name or a schema, then the function"):
        build("90", text + 'TORCH_LIBRARY(name, m) { m.def("f", &f, "doc"); }\n', ["f"], tmp_path)
    with pytest.raises(BuildError, match="registers no operators"):
        build("90", text + 'TORCH_LIBRARY(name, m) { m.def("f", &f); }\n', ["f"], tmp_path)


def cuda_answers() -> Iterator:
    """The CUDA source of every answer of the solutions: a cell of its own, or what a script gives load_inline."""
    for path in sorted(HERE.parent.glob("solutions/*/*.ipynb")):
        for cell in filter(is_solution, nbformat.read(path, as_version=4).cells):
            magic, _, text = cell.source.partition("\n")
            if magic.startswith(("%%cuda", "%%candidate")):
                yield pytest.param(magic.split()[0], text, id=cell.metadata.nbgrader.grade_id)


@pytest.mark.parametrize(("magic", "text"), list(cuda_answers()))
def test_every_answer_builds_for_every_gpu_from_a_t4_on(magic, text, monkeypatch, tmp_path: Path) -> None:
    if magic == "%%candidate":
        given: dict[str, Any] = {}
        monkeypatch.setattr("torch.utils.cpp_extension.load_inline", lambda **arguments: given.update(arguments))
        exec(text, {})
        text, functions = given["cuda_sources"], given["functions"]
    else:
        functions = bindable_functions(text)
    targets = tuple(f"-gencode=arch=compute_{name},code=sm_{name}" for name in ARCHITECTURES)
    code = build("75", text, functions, tmp_path, targets).read_bytes()
    assert [name for name in ARCHITECTURES if f"sm_{name}".encode() not in code] == []


def test_instructions_of_one_architecture_are_there_for_who_asks_for_it(monkeypatch, tmp_path: Path) -> None:
    fence = '#include <torch/extension.h>\n__global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }\n'
    source = Source(cuda=fence + "void run() { fence<<<1, 1>>>(); }", functions=(("run", ""),))
    monkeypatch.setattr(device, "gpu", lambda: SimpleNamespace(capability=(9, 0)))
    with pytest.raises(BuildError, match="Ptx assembly"):
        Nvcc().build(source, tmp_path)
    asking = replace(source, cuda_cflags=("-gencode=arch=compute_90a,code=sm_90a",))
    refuse_flags(asking)  # a judged answer may ask too
    Nvcc().build(asking, tmp_path)
    code = (tmp_path / "module.so").read_bytes()
    assert b"sm_90a" in code and b"sm_90\0" not in code  # two of the same kernel, and a driver would choose
    # What is built for this GPU elsewhere, by a judge or a worker of a cluster, is the same.
    assert toolchain_for("nvcc", architecture_here()).version() == Nvcc().version()


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["-O3", "--use_fast_math"],
        ["-gencode=arch=compute_90a,code=sm_90a"],
        ["-gencode", "arch=compute_80,code=sm_80"],
        ["-arch=sm_90"],
        ["-Xcompiler", "-march=native"],
    ],
)
def test_who_names_the_architecture_is_who_names_it_under_pytorch(flags: list[str], monkeypatch) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    assert architecture_flags("90", flags) == cpp_extension._get_cuda_arch_flags(flags)


def test_nvcc_says_what_it_builds_for() -> None:
    known = device.nvcc_capabilities(device.nvcc().path)
    assert {(7, 5), (9, 0), (12, 0)} <= set(known) and known == tuple(sorted(known))
