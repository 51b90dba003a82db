"""`load_inline`: what builds, what does not and how it says so, and the build cache."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils import cpp_extension

from autograder.classroom import ROOT
from course import build, device
from course.build import Module, load_inline
from course.errors import BuildError, CourseError, ToolchainMissing
from course.toolchains import cache, compiler
from course.toolchains.cache import cached
from course.toolchains.guard.symbols import foreign_symbols
from course.toolchains.pytorch import pytorch_folder, pytorch_version
from course.toolchains.shim import units as shim
from tests.kernels import kernel

HEAD = "#include <torch/extension.h>\n"
SOURCE = kernel("toolchains/add_one")
KERNEL, WRAPPER = (SOURCE[: SOURCE.index("torch::Tensor f")], SOURCE[SOURCE.index("torch::Tensor f") :])
PROTOTYPE = "torch::Tensor f(torch::Tensor A);"
BOUND = "PYBIND11_MODULE(m, m) {}"


def emulated(cuda: str = SOURCE, functions: object = "f", **options: object) -> Module:
    return load_inline("tested", cuda_sources=cuda, functions=functions, toolchain="emulator", **options)


def symbols_of(module: Module) -> tuple[str, ...]:
    return shim.symbols(build.Builder().build(build.TOOLCHAINS["emulator"], module.f.built_from))


def refusal(cuda: str, **options: object) -> str:
    with pytest.raises(BuildError) as caught:
        emulated(cuda, **options)
    return str(caught.value)


def line_of(text: str, source: str) -> str:
    return f"line {source[: source.index(text)].count(chr(10)) + 1}"


# ----------------------------------------------------------------------------------------------------------------------
# What PyTorch's arguments mean here.


@pytest.mark.quick
def test_functions_may_be_a_name_a_list_or_a_dictionary() -> None:
    A = torch.randn(5)
    for functions in ("f", ["f"], {"f": 'Adds "one".\nSo it does.'}):
        module = emulated(functions=functions)
        assert torch.equal(module.f(A), A + 1)
        assert module.f.__doc__ == (functions["f"] if isinstance(functions, dict) else "f")
    with pytest.raises(ValueError, match="Expected 'functions' to be a list or dict"):
        emulated(functions=3)


def test_a_module_knows_its_functions() -> None:
    module = emulated()
    assert "f" in dir(module) and "f" in repr(module) and "emulator" in repr(module.f)
    assert (module.f.name, module.f.toolchain, module.f.source) == ("f", "emulator", SOURCE)
    with pytest.raises(AttributeError, match="no function 'g'; its functions: f"):
        module.g  # noqa: B018


def test_sources_may_be_lists_and_are_joined() -> None:
    cpp = [PROTOTYPE, "torch::Tensor twice(torch::Tensor A) { return f(f(A)); }"]
    module = emulated([KERNEL, WRAPPER], ["f", "twice"], cpp_sources=cpp)
    assert torch.equal(module.twice(torch.zeros(3)), torch.full((3,), 2.0))


def test_functions_bound_by_the_source_itself() -> None:
    cpp = PROTOTYPE + '\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("g", &f, "adds one"); }'
    module = emulated(functions=None, cpp_sources=cpp)
    assert torch.equal(module.g(torch.zeros(3)), torch.ones(3)) and module.g.__doc__ == "adds one"
    bound_in_cuda = SOURCE + 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("h", &f); }'
    assert torch.equal(emulated(bound_in_cuda, functions=None).h(torch.zeros(3)), torch.ones(3))


def test_flags_include_paths_and_pytorchs_other_arguments(tmp_path: Path) -> None:
    (tmp_path / "amount.h").write_text("#define AMOUNT (LARGE + 1)\n")
    source = '#include "amount.h"\n' + SOURCE.replace("1.0f", "AMOUNT")
    cuda_flags, flags = ["-DLARGE=41", "", "-O3", "--use_fast_math", "-lineinfo"], ["-O2", ""]
    module = emulated(
        source, extra_cuda_cflags=cuda_flags, extra_cflags=flags, extra_ldflags=[""],
        extra_include_paths=[str(tmp_path)], build_directory=str(tmp_path), with_cuda=True, keep_intermediates=False,
        with_pytorch_error_handling=True, no_implicit_headers=False,
    )  # fmt: skip
    assert module.f(torch.zeros(1)).item() == 42
    assert cuda_flags == ["-DLARGE=41", "", "-O3", "--use_fast_math", "-lineinfo"] and flags == ["-O2", ""]


def test_arguments_that_mean_nothing_here() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'cuda_source'"):
        emulated(cuda_source="")
    with pytest.raises(CourseError, match="leave is_python_module out"):
        emulated(is_python_module=False)
    with pytest.raises(CourseError, match="builds CUDA, not SYCL"):
        emulated(with_sycl=True)
    with pytest.raises(CourseError, match="always includes its headers: leave no_implicit_headers out"):
        emulated(no_implicit_headers=True)


def test_the_signature_is_pytorchs_but_for_two_things() -> None:
    theirs = dict(inspect.signature(cpp_extension.load_inline).parameters)
    ours = dict(inspect.signature(load_inline).parameters)
    assert ours.pop("toolchain").kind is inspect.Parameter.KEYWORD_ONLY
    assert ours.pop("cpp_sources").default is None and theirs.pop("cpp_sources").default is inspect.Parameter.empty
    # An earlier PyTorch may have fewer parameters.
    assert [(each.name, each.kind, each.default) for each in ours.values() if each.name in theirs] == [
        (each.name, each.kind, each.default) for each in theirs.values()
    ]


def test_verbose_shows_the_compilers_output(capfd: pytest.CaptureFixture, fresh_cache: Path) -> None:
    emulated(verbose=True)
    assert "module.so" in capfd.readouterr().out
    emulated()
    assert capfd.readouterr() == ("", "")


# ----------------------------------------------------------------------------------------------------------------------
# Sources that do not build.


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ("a[i] + 1.0f;", "a[j] + 1.0f;", "use of undeclared identifier 'j'"),
        ("c[i] = a[i] + 1.0f;", "c[i] = a[i] + 1.0f", "a ; is missing at the end of this line"),
        ("return C;", "return nothing;", "use of undeclared identifier 'nothing'"),
        ("float* c, int n)", "double* c, int n)", "from 'float *' to 'double *' for 2nd argument"),
        ("A.data_ptr<float>(), C", "A.data_ptr<double>(), C", "so data_ptr<float>()."),
        ("auto C = torch::empty_like(A);", "auto C = torch::relu(A);", "library-call: 'relu' computes with PyTorch's"),
        ("return C;", "return A + C;", "library-call: '+' of tensors computes with PyTorch's"),
        ("return C;", "return C.softmax(0);", "library-call: 'softmax'"),
        ("c[i] = a[i]", 'assert(i < n, "no"); c[i] = a[i]', "TORCH_CHECK(condition, "),
        ("256, 256>>>", "256, 256, 0, at::cuda::getCurrentCUDAStream()>>>", "<ATen/cuda/CUDAContext.h> missing?"),
        ("return C;", "C10_CUDA_KERNEL_LAUNCH_CHECK();\n    return C;", "#include <ATen/cuda/CUDAContext.h> missing?"),
        ("c[i] = a[i] + 1.0f;", "atomicAdd(reinterpret_cast<int64_t*>(c), 1);", "from 'int64_t *' (aka 'long *')"),
        ("c[i] = a[i] + 1.0f;", "c[i] = __half2float(__float2half(a[i]) + __float2half(1));", "'__half' and '__half'"),
        ("c[i] = a[i] + 1.0f;", "__shared__ float s[warpSize]; s[i % 32] = c[i];", "array must be a constant, such as"),
        ("return C;", "return C.index_select(0, C);", "has no Tensor::index_select. If PyTorch has it"),
        ("return C;", "return C[C.shape[0] - 1];", "its length in dimension d is size(d)"),
        ("return C;", "return torch::arange(3);", "no member named 'arange' in namespace 'torch'"),
        ("return C;", "AT_DISPATCH_COMPLEX_TYPES(C, [&] { scalar_t(); });", "may lack AT_DISPATCH_COMPLEX_TYPES;"),
        ("return C;", "cudaProfilerStart();", "has no cudaProfilerStart; if CUDA does, nvcc builds it on a GPU"),
        ("c[i] = a[i] + 1.0f;", "*(float2*)c = __shfl_down_sync(~0u, *(float2*)a, 1);", "shuffles take numbers"),
        ("return C;", 'int n = AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "f", [] {});', "rvalue of type 'void'"),
    ],
)  # fmt: skip
def test_an_error_names_the_students_line(right: str, wrong: str, text: str) -> None:
    source = SOURCE.replace(right, wrong, 1)
    message = refusal(source)
    assert text in message
    if right != "float* c, int n)":  # in that case the error is in the launch, not in the changed line
        first = wrong.partition("\n")[0]
        assert f"{line_of(first, source)}: error: " in message and first[:40] in message
    assert len(message.splitlines()) <= 2 * compiler.SHOWN_ERRORS + 2


def test_thousands_of_errors_are_reported_in_seconds() -> None:
    start = time.monotonic()
    assert "a type specifier is required for all declarations" in refusal(SOURCE + "\nx = 1;" * 15_000)
    assert time.monotonic() - start < 20  # it takes a minute or more without a limit


def test_operators_of_half_come_back_when_asked_for() -> None:
    source = SOURCE.replace("c[i] = a[i] + 1.0f;", "c[i] = __half2float(__float2half(a[i]) + __float2half(1.0f));")
    module = emulated(source, extra_cuda_cflags=["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"])
    assert torch.equal(module.f(torch.zeros(3)), torch.ones(3))


def test_an_error_does_not_show_where_the_course_is_installed() -> None:
    message = refusal('#include "cuda.cpp"\n' + SOURCE)  # the unit's own file, whose first line has a path
    assert "error: #include nested too deeply" in message and "/prelude" not in message


def test_an_error_in_cpp_sources_names_its_line_there() -> None:
    message = refusal(SOURCE, cpp_sources=PROTOTYPE + "\n\nint g() { return unknown; }")
    assert "cpp_sources, line 3: error: " in message and "return unknown;" in message


@pytest.mark.parametrize(
    ("end", "text"),
    [(f"\n{BOUND} }}", "expected unqualified-id"), (f"\n}}\n{BOUND}\n{BOUND}", "binds plain functions")],
)
def test_an_error_in_a_macro_of_the_shim_names_the_line_that_has_it(end: str, text: str) -> None:
    source = SOURCE.rstrip("}\n") + end
    message = refusal(source, functions=None, cpp_sources="")
    assert text in message
    assert f"line {source.count(chr(10)) + 1}: error: " in message and BOUND in message


def test_a_function_that_is_defined_in_both_sources_names_both_lines() -> None:
    message = refusal(SOURCE + "int g(int i) { return i; }", cpp_sources=PROTOTYPE + "\nint g(int i) { return 1; }")
    assert f"line {SOURCE.count(chr(10)) + 1}: error: duplicate symbol: g(int)\n" in message
    assert "cpp_sources, line 2: error: duplicate" in message


def test_a_missing_prototype_does_not_build() -> None:
    assert "cpp_sources lacks the prototype of f" in refusal(SOURCE, cpp_sources="")


@pytest.mark.parametrize("prototype", [f'extern "C" {PROTOTYPE}', "torch::Tensor f(torch::Tensor A, int n);"])
def test_a_prototype_of_another_function_does_not_import(prototype: str) -> None:
    message = refusal(SOURCE, cpp_sources=prototype)
    assert "does not import: undefined symbol: f" in message and 'extern "C" on one side only' in message


def test_extern_c_on_both_sides_and_other_forms_of_a_function_build() -> None:
    source = SOURCE.replace("torch::Tensor f(", 'extern "C" torch::Tensor f(').replace(
        "(torch::Tensor A) {", "(const torch::Tensor& A  /* the input */\n   ) {"
    )
    assert torch.equal(emulated(source).f(torch.zeros(3)), torch.ones(3))
    trailing = SOURCE.replace("torch::Tensor f(torch::Tensor A)", "auto f(torch::Tensor A, int n = 3) -> torch::Tensor")
    assert torch.equal(emulated(trailing).f(torch.zeros(3), 3), torch.ones(3))


def test_a_function_that_is_not_there() -> None:
    message = "functions= names 'g', but the source defines no such function; it defines "
    assert refusal(SOURCE, functions=["f", "g"]) == message + "f."
    assert refusal(KERNEL, functions="g") == message + "no function at all."
    assert refusal(HEAD, functions="g") == message + "no function at all."


def test_what_a_module_takes_from_elsewhere_is_known() -> None:
    source = "#include <thread>\n#include <dlfcn.h>\n" + SOURCE.replace(
        "return C;",
        """
    if (A.numel() > 5) {
        std::thread(system, "true").join();
        dlopen("libc.so.6", RTLD_NOW);
        fopen("/etc/hostname", "r");
    }
    return C;""",
    )
    foreign = foreign_symbols(symbols_of(emulated(source)))
    assert {"system", "dlopen", "fopen"} <= set(foreign) and any("thread" in name for name in foreign)
    assert foreign_symbols(symbols_of(emulated())) == []
    assert foreign_symbols(["strtol", "__isoc23_strtol", "__isoc23_strtoull", "__isoc23_fscanf"]) == ["__isoc23_fscanf"]
    assert foreign_symbols(["__trunctfdf2", "__extendsftf2", "__multf3", "__lttf2", "__floatditf", "__fixtfdi"]) == []


def test_standard_headers_that_pytorchs_bring_along() -> None:
    source = SOURCE.replace(
        "return C;",
        """
    std::vector<int> v(3);
    std::iota(v.begin(), v.end(), 1);
    std::map<std::string, std::complex<float>> map;
    std::optional<std::string_view> view = "text";
    std::ostringstream text;
    text << std::setw(4) << std::accumulate(v.begin(), v.end(), 0) << std::max(1, 2) << map.size() << *view;
    std::function<int(int)> twice = [](int x) { return 2 * x; };
    auto [low, high] = std::make_tuple(std::numeric_limits<int>::min(), INT_MAX);
    assert(text.str() == "   620text" && twice(2) == 4 && low < high && M_PI > 3);
    return C;""",
    )
    assert torch.equal(emulated(source).f(torch.zeros(2)), torch.ones(2))


@pytest.mark.parametrize("empty", ["", "  \n", None, []])
def test_a_source_without_text(empty: object) -> None:
    with pytest.raises(CourseError, match="load_inline needs a source: cuda_sources is empty"):
        emulated(empty, functions=None)


def test_a_header_that_the_shim_lacks() -> None:
    message = refusal("#include <ATen/native/Nothing.h>\n" + SOURCE)
    assert "line 1: error: " in message and "does not have ATen/native/Nothing.h; PyTorch's own load_inline" in message


def test_a_compiler_that_does_not_end_is_stopped_with_its_children(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiler, "TIME_LIMIT", 1)
    endless = "(trap '' TERM; while true; do echo >> alive; sleep 0.02; done) & wait"
    with pytest.raises(BuildError, match="The compiler was stopped after 1 s"):
        compiler.run(["sh", "-c", endless], tmp_path, {})
    alive = (tmp_path / "alive").read_text()
    time.sleep(0.2)
    assert (tmp_path / "alive").read_text() == alive != ""


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        ("echo x.cpp:1:1: error: first", "exit 1", "error: first"),
        ("", "exit 0", "ran into a limit (more than 1 MiB of messages): look for an array, a macro"),
        ("", "sleep 300", "more than 1 MiB of messages"),
    ],
)
def test_of_a_compiler_that_prints_too_much_only_the_start_is_kept(
    first: str, last: str, message: str, fresh_cache: Path
) -> None:
    command = f"{first}\nhead -c 8000000 /dev/zero | tr '\\0' x; {last}"
    with pytest.raises(BuildError) as caught:
        cached("kind", "key", lambda folder: compiler.run(["sh", "-c", command], folder, {}))
    assert message in str(caught.value)
    assert caught.value.log.stat().st_size < compiler.PRINTED + 1000
    assert not folders(fresh_cache / "kind")


def test_a_macro_that_would_print_for_ever_prints_nothing(fresh_cache: Path) -> None:
    """64 MB of notes."""
    flood = f'#define P _Pragma("message \\"{"x" * 2000}\\"")\n'
    for number in range(5):
        flood += f"#define P{number} " + (f"P{number - 1} " if number else "P ") * 8 + "\n"
    assert torch.equal(emulated(f"{flood}P4\n{SOURCE}").f(torch.zeros(3)), torch.ones(3))
    kept = [path.stat().st_size for path in fresh_cache.rglob("*.log")]
    assert kept and max(kept) < compiler.PRINTED + 2000


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "echo 'clang: error: clang frontend command failed with exit code 139 (use -v)'; exit 1",
            "The compiler crashed (frontend command failed with exit code 139): this is a bug",
        ),
        (
            "echo 'cuda_sources:7:3: internal compiler error: Segmentation fault'; exit 4",  # g++'s
            "The compiler crashed at line 7 (internal compiler error: Segmentation fault): this is a bug",
        ),
        ("echo \"nvcc error   : 'ptxas' died due to signal 11\"; exit 139", "crashed (died due to signal 11): this is"),
        ("kill -SEGV $$", "The compiler crashed (died due to signal 11): this is a bug in the compiler"),
        ("kill -KILL $$", "The compiler ran into a limit (died due to signal 9)"),
        ("echo 'x:1:1: error: y'; echo 'fatal error: too many errors emitted, stopping now'; sleep 300", "error: y"),
        ("kill -XFSZ $$", "The compiler ran into a limit (died due to signal 25)"),
        ("echo 'LLVM ERROR: out of memory'; exit 134", "The compiler ran into a limit (out of memory)"),
    ],
)  # fmt: skip
def test_a_compiler_that_crashes(command: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        compiler.run(["sh", "-c", command], tmp_path, {})
    assert message in str(caught.value)


# ----------------------------------------------------------------------------------------------------------------------
# Toolchains.


def test_a_toolchain_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"There is no toolchain 'gpu': choose one of nvcc, emulator\."
    with pytest.raises(ToolchainMissing, match=message):
        load_inline("tested", cuda_sources=SOURCE, functions="f", toolchain="gpu")
    monkeypatch.setenv("COURSE_TOOLCHAIN", "gpu")
    with pytest.raises(ToolchainMissing, match=message):
        load_inline("tested", cuda_sources=SOURCE, functions="f")


def test_a_toolchain_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(build, "gpu", lambda: None)
    with pytest.raises(ToolchainMissing) as caught:
        load_inline("tested", cuda_sources=SOURCE, functions="f", toolchain="nvcc")
    assert str(caught.value) == (
        "The toolchain 'nvcc' cannot work here: there is no CUDA GPU that PyTorch can use:"
        ' use toolchain="emulator", which needs none.'
    )
    monkeypatch.delenv("COURSE_TOOLCHAIN", raising=False)
    assert build.default_toolchain() == "emulator"


@pytest.mark.parametrize(
    ("version", "driver", "capability", "said"),
    [
        ("13.0.88", (12, 8), (9, 0), "NVIDIA's driver supports CUDA up to 12.8, and {path} is of CUDA 13.0.88"),
        ("13.0.88", (13, 1), (7, 0), "nvcc 13.0.88 ({path}) does not build for this GPU, which has compute "
         "capability 7.0: install an older CUDA toolkit"),
        ("13.0.88", (13, 1), (13, 0), "capability 13.0: install a newer CUDA toolkit"),
    ],
)  # fmt: skip
def test_nvcc_that_fits_neither_the_driver_nor_the_gpu(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    version: str,
    driver: tuple[int, int],
    capability: tuple[int, int],
    said: str,
) -> None:
    path = tmp_path / "nvcc"
    path.write_text("#!/bin/sh\necho compute_75\necho compute_80\necho compute_121\n")
    path.chmod(0o755)
    monkeypatch.setattr(device, "nvcc", lambda: device.Tool(path, version))
    monkeypatch.setattr(device, "driver_cuda", lambda: driver)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    with pytest.raises(ToolchainMissing) as caught:
        load_inline("tested", cuda_sources=SOURCE, functions="f", toolchain="nvcc")
    message = str(caught.value)
    assert said.format(path=path) in message and "or set COURSE_TOOLCHAIN=emulator" in message
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (8, 0))
    monkeypatch.setattr(device, "driver_cuda", lambda: (13, 0))
    assert build.TOOLCHAINS["nvcc"].missing() is None


def test_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(ToolchainMissing, match="clang was not found, which the package ziglang has: install it"):
        emulated()


# ----------------------------------------------------------------------------------------------------------------------
# The cache.


def folders(path: Path) -> set[str]:
    return {each.name for each in path.iterdir() if each.is_dir()} if path.exists() else set()


def test_an_edit_compiles_only_what_changed(fresh_cache: Path) -> None:
    emulated()
    modules, objects = folders(fresh_cache / "emulator"), folders(fresh_cache / "objects")
    assert len(modules) == 1 and len(objects) == 2
    emulated()
    load_inline("another name", cuda_sources=SOURCE, functions=["f"], toolchain="emulator")
    assert folders(fresh_cache / "emulator") == modules
    changed = emulated(SOURCE.replace("1.0f", "2.0f"))
    assert changed.f(torch.zeros(1)).item() == 2
    assert len(folders(fresh_cache / "emulator")) == 2 and len(folders(fresh_cache / "objects")) == 3
    assert emulated().f(torch.zeros(1)).item() == 1


def test_what_the_shim_defines_is_compiled_once_and_not_with_each_source(fresh_cache: Path) -> None:
    check = '\n    TORCH_CHECK(A.dim() == 1, "of sizes ", A.sizes(), ", type ", A.dtype(), " and device ", A.device());'
    shutil.rmtree(fresh_cache / "shim")
    emulated()
    emulated(SOURCE.replace("(torch::Tensor A) {", "(torch::Tensor A) {" + check))
    modules = list((fresh_cache / "emulator").iterdir())
    assert len(modules) == 2 and len(folders(fresh_cache / "shim")) == 1
    for module in modules:
        command = ["nm", "-C", "--defined-only", str(module / "cuda.cpp.o")]
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert " T f(at::Tensor)" in listed
        assert not re.findall(r"(?m)^\w+ [TWtw] (?:(?:at|c10|caffe2|std)::|course::(?!Part)).*", listed)


def test_a_failed_build_is_not_kept_but_its_log_is(fresh_cache: Path) -> None:
    wrong = SOURCE.replace("1.0f", "one")
    for _ in range(2):
        with pytest.raises(BuildError, match="undeclared identifier 'one'") as caught:
            emulated(wrong)
        log = caught.value.log.read_text()
        assert "clang" in log and "error" in log
    assert not folders(fresh_cache / "emulator")
    assert emulated(wrong.replace("if (i < n)", "const float one = 1; if (i < n)")).f(torch.zeros(1)).item() == 1


def test_a_build_that_dies_leaves_nothing_to_mistake_for_a_finished_one(fresh_cache: Path) -> None:
    def interrupted(folder: Path) -> None:
        (folder / "half").write_text("")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("kind", "key", interrupted)
    assert not folders(fresh_cache / "kind")
    built = cached("kind", "key", lambda folder: (folder / "whole").write_text("done") and None)
    assert {file.name for file in built.iterdir()} == {"whole", cache.RECORD}
    assert cached("kind", "key", interrupted) == built


# Minutes of work for a compiler, which is never deeper in templates than clang allows.
ENDLESS = """
template <int N, int M, int K> struct Sum { static constexpr unsigned v = Sum<N - 1, M, K>::v + Sum<N, M - 1, K>::v; };
template <int M, int K> struct Sum<0, M, K> { static constexpr unsigned v = 1; };
template <int N, int K> struct Sum<N, 0, K> { static constexpr unsigned v = 1; };
template <int K> struct Sum<0, 0, K> { static constexpr unsigned v = 1; };
template <int K> struct Sums { static constexpr unsigned v = Sum<400, 400, K>::v + Sums<K - 1>::v; };
template <> struct Sums<0> { static constexpr unsigned v = 0; };
unsigned all() { return Sums<50>::v; }
"""
INTERRUPTED = {
    "notebook": """
        from course.build import load_inline
        load_inline("endless", cuda_sources=cuda, functions="f", toolchain="emulator", extra_cuda_cflags=[marker])
    """,
    "referee": """
        from course.build import cell_source
        from course.toolchains.time_limit import TimeLimit
        from course.worker.modules import build_apart
        build_apart("emulator", cell_source(cuda, [marker]), (), TimeLimit(300.0))
    """,
}


def compilers_of(marker: str) -> list[str]:
    """The programs, other than Python, that run with `marker` in an argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            program, *arguments = path.read_bytes().decode(errors="replace").split("\0")
            found += [program] if program != sys.executable and any(marker in each for each in arguments) else []
    return found


@pytest.mark.parametrize("place", ["notebook", pytest.param("referee", marks=pytest.mark.slow)])
def test_an_interrupt_ends_the_compilers_and_leaves_nothing(place: str, fresh_cache: Path) -> None:
    marker = f"-DMARKER_{uuid.uuid4().hex.upper()}"
    begin = (
        "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\ncuda, marker = sys.argv[1:]\n"
    )
    command = [sys.executable, "-c", begin + textwrap.dedent(INTERRUPTED[place]), SOURCE + ENDLESS, marker]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        while not any(name.endswith("zig") for name in compilers_of(marker[2:])):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1].endswith("KeyboardInterrupt\n")
    assert compilers_of(marker[2:]) == []
    if place == "notebook":
        assert not list(fresh_cache.glob(f"*/{cache.UNFINISHED}*"))
    assert not list(fresh_cache.glob("emulator/*/module.so"))
    assert emulated().f(torch.zeros(1)).item() == 1


def test_a_damaged_file_of_the_cache_is_built_again(fresh_cache: Path) -> None:
    """In processes of their own, since one that loads half a module is killed (SIGBUS)."""
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    for kept in (None, "emulator/*/module.so", "emulator/*/symbols", "objects/*/unit.o"):
        for path in fresh_cache.glob(kept) if kept else ():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        if kept == "objects/*/unit.o":
            shutil.rmtree(fresh_cache / "emulator")
        process = fork.Process(
            target=lambda: results.put((emulated().f(torch.zeros(2)).tolist(), symbols_of(emulated())))
        )
        process.start()
        process.join(300)
        assert process.exitcode == 0, kept
        values, symbols = results.get()
        assert values == [1, 1] and "aoti_torch_empty_strided" in symbols
    assert len(folders(fresh_cache / "emulator")) == 1


def test_who_comes_second_takes_what_the_first_built(fresh_cache: Path) -> None:
    def slow(folder: Path) -> None:
        (folder / "by").write_text("second")
        cached("kind", "key", lambda other: (other / "by").write_text("first") and None)

    assert (cached("kind", "key", slow) / "by").read_text() == "first"
    assert len(folders(fresh_cache / "kind")) == 1


def test_of_two_that_replace_one_broken_entry_the_later_takes_the_others(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Path
) -> None:
    def built(by: str) -> Path:
        return cached("kind", "key", lambda folder: (folder / "by").write_text(by) and None) / "by"

    built("crashed").write_text("")
    read_by, looks, seen = cache._read_by, itertools.count(1), []
    second = threading.Thread(target=lambda: seen.append(built("second").read_text()))

    def meanwhile(folder: Path) -> Any:
        answer = read_by(folder)
        if threading.current_thread() is not second and next(looks) == 2:  # the last look of the first
            second.start()
            second.join(0.5)
        return answer

    monkeypatch.setattr(cache, "_read_by", meanwhile)
    first = built("first")
    second.join()
    assert seen == [first.read_text()]
    assert len(folders(fresh_cache / "kind")) == 1


def test_two_processes_build_the_same_source_at_once(fresh_cache: Path) -> None:
    fork = multiprocessing.get_context("fork")
    start, results = fork.Barrier(2), fork.Queue()

    def builder() -> None:
        start.wait()
        results.put(emulated().f(torch.zeros(3)).tolist())

    processes = [fork.Process(target=builder) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0, 0]
    assert [results.get(timeout=5) for _ in processes] == [[1.0] * 3] * 2
    assert len(folders(fresh_cache / "emulator")) == 1 and len(folders(fresh_cache / "objects")) == 2


@pytest.mark.slow
def test_of_two_that_build_at_once_one_may_be_killed_at_any_moment(fresh_cache: Path) -> None:
    """Six times: the other has a working module, nothing hangs, and what the killed one left is no module."""
    fork = multiprocessing.get_context("fork")
    draw = random.Random(20)

    def build(number: int, results: Any) -> None:
        results.put(emulated(SOURCE.replace("1.0f", f"{number}.0f")).f(torch.zeros(1)).item())

    for number in range(6):
        results = fork.SimpleQueue()
        killed, other = (fork.Process(target=build, args=(number, each)) for each in (fork.SimpleQueue(), results))
        killed.start()
        other.start()
        killed.join(draw.uniform(0, 0.6))
        killed.kill()
        other.join(300)
        assert other.exitcode == 0 and results.get() == number
    assert emulated(SOURCE.replace("1.0f", "0.0f")).f(torch.ones(1)).item() == 1
    finished = {name for name in folders(fresh_cache / "emulator") if not name.startswith(cache.UNFINISHED)}
    assert len(finished) == 6


def aged(folder: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(folder, (then, then))


def test_the_cache_makes_room_for_what_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))

    def filled(folder: Path) -> None:
        (folder / "file").write_bytes(bytes(100_000))

    built = [cached("kind", str(number), filled) for number in range(6)]
    for number, folder in enumerate(built):
        aged(folder, 10 * cache.IN_USE - number)
    assert cached("kind", "1", filled) == built[1]  # used again, so it is the newest
    left, begun = (tmp_path / "kind" / f"{cache.UNFINISHED}{name}" for name in ("left", "now"))
    left.mkdir()
    begun.mkdir()
    aged(left, 2 * cache.IN_USE)
    monkeypatch.setattr(cache, "ROOM", 450_000)
    assert cached("kind", "new", filled).exists() and all(folder.exists() for folder in built)  # within the hour
    aged(tmp_path / "last-tidied", 2 * cache.IN_USE)
    cached("kind", "newer", filled)
    assert [folder.exists() for folder in built] == [False, True, False, False, False, True]
    assert begun.exists() and not left.exists()


def test_the_cache_removes_no_folder_of_the_user_where_it_lies_among_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "ROOM", 500)
    theirs = [tmp_path / "projects" / name for name in ("thesis", "building-plans", "d" * 40)]
    for folder in theirs:
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(bytes(1000))
        aged(folder, 2 * cache.IN_USE)
    built = cached("kind", "key", lambda folder: None)
    assert (tmp_path / "last-tidied").exists() and all(folder.exists() for folder in (built, *theirs))


@pytest.mark.parametrize("folder", ["{tmp_path}/file/inside", "/sys/course"])  # below a file; read-only
def test_a_cache_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Path, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "file").write_text("")
    folder = folder.format(tmp_path=tmp_path)
    monkeypatch.setenv("COURSE_CACHE", folder)
    with pytest.raises(CourseError) as caught:
        emulated()
    message = str(caught.value)
    assert message.startswith(f"The build cache {folder}") and "set COURSE_CACHE to a folder that can" in message


FILL_THE_DISK = """
from course.errors import CourseError
from course.toolchains import cache, compiler
from course.toolchains.emulator.clang import clang

def by_itself(folder):
    (folder / "file").write_bytes(bytes(1 << 20))

def by_a_compiler(folder):
    (folder / "large.cpp").write_text("char large[1 << 20] = {1};")
    compiler.run([*clang(), "-c", "large.cpp", "-o", "large.o"], folder, {})

for build in (by_itself, by_a_compiler):
    try:
        cache.cached("kind", "key", build)
    except CourseError as error:
        print(type(error).__name__, error)
print([file.name for file in (cache.cache_root() / "kind").iterdir()])
"""


@pytest.mark.usefixtures("bubblewrap")
def test_a_full_disk(tmp_path: Path) -> None:
    """With a real file system of half a megabyte."""
    small = ["bwrap", "--dev-bind", "/", "/", "--size", str(1 << 19), "--tmpfs", str(tmp_path)]
    command = [*small, "--setenv", "COURSE_CACHE", str(tmp_path), sys.executable, "-c", FILL_THE_DISK]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    sentence = (
        f"CourseError The disk with the build cache {tmp_path} is full: make room there, or set COURSE_CACHE to a"
    )
    assert [line[: len(sentence)] for line in done.stdout.splitlines()] == [sentence, sentence, "[]"], done.stderr


def test_where_only_a_sandboxs_disk_is_full_the_answer_is_at_fault(fresh_cache: Path) -> None:
    with pytest.raises(BuildError, match="ran into a limit"):
        said = "echo error writing to /tmp/file: No space left on device; exit 1"
        cached("kind", "key", lambda folder: compiler.run(["sh", "-c", said], folder, {}))


def test_the_cache_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, fresh_cache: Path) -> None:
    assert not (fresh_cache / "emulator").exists()
    emulated()
    assert folders(fresh_cache) >= {"emulator", "objects"}
    monkeypatch.delenv("COURSE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(fresh_cache / "xdg"))
    assert cached("kind", "key", lambda folder: None).is_relative_to(fresh_cache / "xdg" / "cuda-kernels-course")
    assert os.environ.get("COURSE_CACHE") is None


def test_the_emulator_links_no_other_library():
    with pytest.raises(BuildError, match="leave -lm out of extra_ldflags"):
        load_inline("linked", cuda_sources="void f() {}", functions=["f"], extra_ldflags=["-lm"], toolchain="emulator")


def test_building_needs_no_pytorch_in_the_process(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from course.build import TOOLCHAINS, usable_toolchain
from course.toolchains.base import Source

for name in ("emulator", "traced"):
    folder = Path(sys.argv[1], name)
    folder.mkdir()
    usable_toolchain(name).build(Source(sys.argv[2], functions=(("f", ""),)), folder)
    assert (folder / "module.so").exists()
sys.exit("torch" in sys.modules)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-c", program, str(tmp_path), SOURCE]
    assert subprocess.run(command, env=environment).returncode == 0


def test_the_installed_pytorch_is_known_without_its_import() -> None:
    assert pytorch_version() == (torch.__version__, torch.version.cuda)
    assert pytorch_folder() == Path(torch.__file__).parent
