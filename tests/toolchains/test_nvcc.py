"""nvcc against the shim headers: builds for GPUs that need not be there. Nothing is run here."""

from __future__ import annotations

import collections
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import nbformat
import pytest
from nbgrader.utils import is_solution
from torch.utils import cpp_extension

from course import device
from course.build import bindable_functions
from course.errors import BuildError
from course.toolchains.base import INCLUDE, Source
from course.toolchains.guard.flags import refuse_flags
from course.toolchains.guard.symbols import foreign_symbols, listed_instructions
from course.toolchains.nvcc import Nvcc, architecture_flags, architecture_here
from course.toolchains.shim import units as shim
from tests.cheats import cheats
from tests.kernels import joined, kernel
from tests.sources import in_one_file
from tests.tiers import tiered

TESTS = Path(__file__).parents[1]
# What some architectures lack or do differently. For a source without it, two architectures are enough.
OF_AN_ARCHITECTURE = re.compile(r"__CUDA_ARCH__|\basm\b|pipeline|mma\b|cuda_fp16|cuda_bf16|Half|BFloat16|atomic")
ARCHITECTURES = ("75", "80", "86", "89", "90", "100", "120")  # from the T4's on: those that CUDA 13 builds for


@pytest.fixture(autouse=True)
def _nvcc() -> None:
    if device.nvcc() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("nvcc is not installed: nothing is known here of the sources that it must build")


def build(architecture: str, cuda: str, functions: list[str], folder: Path, cuda_cflags: tuple[str, ...] = ()) -> Path:
    source = Source(cuda=cuda, functions=tuple((name, "") for name in functions), cuda_cflags=cuda_cflags)
    Nvcc(architecture).build(source, folder)
    return folder / "module.so"


# What the emulator's tests run is CUDA according to nvcc, and not only according to the emulator.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "architecture"),
    [
        (joined("features"), "80"),
        (joined("faults"), "90"),
        (joined("properties"), "90"),
        (joined("shim"), "90"),
        (kernel("text/launches"), "75"),
    ],
    ids=["features", "faults", "properties", "shim", "launches"],
)
def test_nvcc_builds_what_the_emulator_runs(source: str, architecture: str, tmp_path: Path) -> None:
    library = build(architecture, source, bindable_functions(source), tmp_path)
    assert foreign_symbols(shim.symbols(library.parent)) == []
    assert f"sm_{architecture}".encode() in library.read_bytes()


@pytest.fixture
def counted(monkeypatch, tmp_path: Path) -> Path:
    """nvcc that first writes its arguments, one line per call, into the file that is returned."""
    calls, wrapper = tmp_path / "calls", tmp_path / "nvcc"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >>{calls}\nexec {device.nvcc().path} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setattr(device, "nvcc", lambda: device.Tool(wrapper, "13.0"))
    return calls


@pytest.mark.parametrize("flags", [pytest.param((), marks=pytest.mark.slow), ("-keep",)])
def test_instructions_that_keep_data_in_the_cache_are_listed(flags: tuple[str, ...], tmp_path: Path) -> None:
    cheat = next(each for each in cheats() if each.name == "time-persists-by-ptx")
    source = cheat.text.partition("\n")[2] + f"// {tmp_path}\n"  # built anew
    folder = build("90", source, ["scale_rows"], tmp_path, flags).parent
    assert foreign_symbols(shim.symbols(folder)) == ["L2::cache_hint", "L2::evict_last", "createpolicy"]


IOSTREAM = ".globl _ZSt21ios_base_library_initv"  # what this header of newer compilers has


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (f'asm("{IOSTREAM}"); int f() {{ return 1; }}', []),
        (f'asm("{IOSTREAM}\\n#NO_APP\\n nop\\n#APP\\n{IOSTREAM}");', ["asm"]),
        ('int f() { int x; asm("rdtsc" : "=a"(x)); return x; }', ["asm"]),
        ('const char* f() { return "\\n#APP\\nnop"; }', []),
    ],
    ids=["of-iostream", "own-marks", "in-a-function", "text"],
)
def test_assembly_is_found_where_the_compiler_marks_it(source: str, found: list[str], tmp_path: Path) -> None:
    subprocess.run(["g++", "-xc++", "-S", "-", "-o", tmp_path / "unit.s"], input=source, text=True, check=True)
    assert listed_instructions(tmp_path) == found


@pytest.mark.parametrize(
    ("kernel", "wrapper", "text"),
    [
        pytest.param("undeclared;", "", "line 1: error: identifier", marks=pytest.mark.slow),
        ("", "undeclared;", "line 2: error: identifier"),
        pytest.param(
            "__shared__ volatile char many[1 << 20]; many[0] = 0;",
            "",
            "error: Entry function '_Z1kv' uses too much shared data",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_source_that_fails_is_built_with_all_headers_and_nothing_is_left(
    kernel, wrapper, text, counted: Path, tmp_path: Path, monkeypatch
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    with pytest.raises(BuildError) as caught:
        build("90", f"__global__ void k() {{ {kernel} }}\nvoid f() {{ {wrapper} }}\n", ["f"], tmp_path)
    assert str(caught.value).startswith(text)
    assert str(caught.value).count("error:") == 1
    # The first build has the headers' long parts left out, the second has them: an error of the first is never shown.
    calls = [call for call in counted.read_text().splitlines() if "cuda.cu" in call]
    assert ["SPECFUN" in call for call in calls] == [True, False]
    assert not list(elsewhere.iterdir())


def test_an_error_names_the_students_line_and_the_fix(tmp_path: Path) -> None:
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


def test_an_operator_with_a_docstring_does_not_compile_and_one_without_does(tmp_path: Path) -> None:
    text = "#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor A) { return A; }\n"
    with pytest.raises(BuildError, match=r"(?s)line 3: .*torch::Library::def.*a name or a schema, then the function"):
        build("90", text + 'TORCH_LIBRARY(name, m) { m.def("f", &f, "doc"); }\n', ["f"], tmp_path)
    build("90", text + 'TORCH_LIBRARY(name, m) { m.def("f", &f); }\n', ["f"], tmp_path)


def cuda_answers() -> dict[str, str]:
    """The CUDA source of every answer of the solutions: a cell of its own, or what a script gives load_inline."""
    sources: dict[str, str] = {}
    for path in sorted(TESTS.parent.glob("solutions/*/*.ipynb")):
        for cell in filter(is_solution, nbformat.read(path, as_version=4).cells):
            name, (magic, _, text) = cell.metadata.nbgrader.grade_id, cell.source.partition("\n")
            if magic.startswith("%%cuda"):
                sources[name] = text
            elif magic.startswith("%%candidate"):
                with mock.patch("torch.utils.cpp_extension.load_inline") as load_inline:
                    exec(text, {})
                sources[name] = load_inline.call_args.kwargs["cuda_sources"]
    return sources


@pytest.mark.slow
@pytest.mark.parametrize("of_an_architecture", [False, True])
def test_every_answer_builds_for_every_gpu_from_a_t4_on(of_an_architecture: bool, tmp_path: Path) -> None:
    answers = cuda_answers()  # a T4 has no tensor core for the types of course/mma.h
    sources = {name: text for name, text in answers.items() if "course/mma.h" not in text}
    some = {name: text for name, text in sources.items() if bool(OF_AN_ARCHITECTURE.search(text)) == of_an_architecture}
    assert len(sources) > 30 and some
    architectures = ARCHITECTURES if of_an_architecture else (ARCHITECTURES[0], ARCHITECTURES[-1])
    targets = tuple(f"-gencode=arch=compute_{name},code=sm_{name}" for name in architectures)
    code = build("75", in_one_file(some), [], tmp_path, targets).read_bytes()
    assert [name for name in architectures if f"sm_{name}".encode() not in code] == []
    for name in answers.keys() - sources.keys() if of_an_architecture else ():
        build("80", answers[name], [], tmp_path)
        with pytest.raises(BuildError, match=r"course/mma.h needs a GPU of compute capability 8\.0 or later"):
            build("75", answers[name], [], tmp_path)


def test_instructions_of_one_architecture_are_there_for_who_asks_for_it(monkeypatch, tmp_path: Path) -> None:
    fence = '#include <torch/extension.h>\n__global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }\n'
    source = Source(cuda=fence + "void run() { fence<<<1, 1>>>(); }", functions=(("run", ""),))
    monkeypatch.setattr(device, "gpu", lambda: SimpleNamespace(capability=(9, 0)))
    with pytest.raises(BuildError, match="Ptx assembly"):
        Nvcc().build(source, tmp_path)
    asking = replace(source, cuda_cflags=("-gencode=arch=compute_90a,code=sm_90a",))
    refuse_flags(asking)  # a judged answer may ask for it too
    Nvcc().build(asking, tmp_path)
    code = (tmp_path / "module.so").read_bytes()
    assert b"sm_90a" in code and b"sm_90\0" not in code  # else the driver would choose between two versions
    # A judge or a cluster's worker that builds for this GPU elsewhere builds the same.
    assert Nvcc(architecture_here()).version() == Nvcc().version()


# Kernels such as the course's own use no string, vector or exception class, and nothing of CUDA's driver. Yet three of
# the four times that nvcc reads a unit, the headers for these would take longer than all the rest.


@pytest.mark.quick
def test_a_plain_kernel_is_compiled_without_what_it_does_not_name(tmp_path: Path) -> None:
    build("90", kernel("toolchains/plain"), ["f"], tmp_path)


BODIES = [
    "auto shape = A.sizes().vec(); shape.push_back(1); return A.view(shape);",
    "auto where = A.device().str(); TORCH_CHECK(where.size() > 3, where); return A;",
    "TORCH_CHECK(c10::str(1, 2).size() == 2); return A;",
    "using namespace std; string text = to_string(A.dim()); TORCH_CHECK(text.empty(), text); return A;",
    "try { TORCH_CHECK(A.dim() < 9); } catch (const at::Error& error) { puts(error.what()); } return A;",
    "try { A.size(9); } catch (torch::IndexError&) { throw; } return A;",
    'if (A.dim() > 9) throw std :: runtime_error("of many dimensions"); return A;',
    "return A.view(LIST{-1});",  # -DLIST=std::vector<int64_t>, below
    "CUdeviceptr address = reinterpret_cast<CUdeviceptr>(A.data_ptr()); TORCH_CHECK(address); return A;",
    "static_assert(CUDA_VERSION >= 12000); return A;",
    "TORCH_CHECK(std::riemann_zeta(2.0) > 1.6); return A;",
    "using namespace std; TORCH_CHECK(cyl_bessel_j(0.0, 0.0) == 1.0); return A;",
]


@pytest.mark.parametrize("body", tiered(BODIES, lambda body: re.findall("vec|str|catch|CU", body)[:1]))
def test_what_brings_strings_vectors_and_the_driver_without_naming_them_builds(body: str, tmp_path: Path) -> None:
    source = f"#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor A) {{ {body} }}\n"
    build("90", source, ["f"], tmp_path, ("-DLIST=std::vector<int64_t>",) if "LIST" in body else ())


@pytest.mark.parametrize(
    "body",
    [
        "PASTE(st, d)::string text = PASTE(st, d)::to_string(A.dim()); TORCH_CHECK(!text.empty()); return A;",
        pytest.param("return A.view(A.sizes().PASTE(v, ec)());", marks=pytest.mark.slow),
        pytest.param("TORCH_CHECK(PASTE(st, d)::riemann_zeta(2.0) > 1.6); return A;", marks=pytest.mark.slow),
    ],
)
def test_a_source_that_names_what_it_needs_out_of_sight_builds(body: str, tmp_path: Path) -> None:
    source = "#include <torch/extension.h>\n#define PASTE(a, b) a##b\n"
    build("90", f"{source}torch::Tensor f(torch::Tensor A) {{ {body} }}\n", ["f"], tmp_path)


def test_a_header_of_the_students_has_what_pytorchs_bring(tmp_path: Path) -> None:
    header = "inline auto of(at::IntArrayRef sizes) { return std::vector<CUdevice>(sizes.begin(), sizes.end()); }\n"
    (tmp_path / "mine.h").write_text(header)
    cuda = "#include <torch/extension.h>\n#include <mine.h>\nint f(torch::Tensor A) { return of(A.sizes())[0]; }\n"
    Nvcc("90").build(Source(cuda=cuda, functions=(("f", ""),), include_paths=(str(tmp_path),)), tmp_path)


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


SCALED_HALVES = """
#include <c10/util/Half.h>
__global__ void scale(const c10::Half* A, c10::Half* C, float s) {
    C[threadIdx.x] = s * A[threadIdx.x] + C[threadIdx.x];
}
"""


def test_arithmetic_of_halves_is_the_machine_code_of_pytorchs_header(tmp_path: Path) -> None:
    (tmp_path / "halves.cu").write_text(SCALED_HALVES)
    codes = []
    for folder in (INCLUDE, cpp_extension.include_paths()[0]):
        command = [device.nvcc().path, "-std=c++20", "-arch=sm_75", f"-I{folder}", "-ptx", "halves.cu"]
        subprocess.run(command, cwd=tmp_path, check=True)
        # The names of instructions with operands. PyTorch's header writes some as inline assembly.
        names = re.findall(r"\b([a-z]\w+(?:\.\w+)+)\s+[%\[]", (tmp_path / "halves.ptx").read_text())
        codes.append(collections.Counter(names))
    assert codes[0] == codes[1] and codes[0]["cvt.f32.f16"] == 2 and codes[0]["cvt.rn.f16.f32"] == 1
