"""What a traced source may use of GCC, what is refused, and that the source cannot tell that it is traced."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import torch

from course import load_inline
from course.errors import BuildError
from course.notebook.trace import trace
from course.toolchains.base import Source
from course.toolchains.emulator.toolchain import Emulator
from course.toolchains.guard.traceable import traceable
from tests.kernels import kernel


def checked(text: str, folder: Path) -> str:
    """What is compiled of `text`, preprocessed with the C++ library's headers alone."""
    headers = "#include <cassert>\n#include <cmath>\n#include <cstdarg>\n#include <cstddef>\n"
    (folder / "unit.cpp").write_text(f'{headers}#line 1 "cuda_sources"\n{text}\n')
    done = subprocess.run(["g++", "-std=c++20", "-E", "unit.cpp"], cwd=folder, capture_output=True, text=True)
    return traceable(text, done.stdout, "cuda_sources")


REFUSED = [
    ("\nfloat f() { return __builtin_apply(a, b, 64); }", 2, "__builtin_apply"),
    ("void f() {\n#define J(a, b) a##b\n\n J(__builtin_, return)(nullptr); }", 4, "__builtin_return"),
    ("void f(float* a, const float* b) { __builtin_mempcpy(a, b, 64); }", 1, "__builtin_mempcpy"),
    ("void f() { __builtin_ia32_pause(); }", 1, "__builtin_ia32_pause"),
    ("double f(va_list l) { return va_arg(l, double); }", 1, "__builtin_va_arg"),
    ("bool f(int x) { return __builtin_constant_p(x); }", 1, "__builtin_constant_p"),
    ('__attribute__((no_sanitize("thread"))) void f() {}', 1, "no_sanitize"),
    ("__attribute__((__no_sanitize_thread__)) void f() {}", 1, "__no_sanitize_thread__"),
    ("#define J(a, b) a##b\n__attribute((J(no_, sanitize_thread))) void f() {}", 2, "no_sanitize_thread"),
    ('[[gnu::no_sanitize("thread")]] void f() {}', 1, "no_sanitize"),
    ('[[using gnu: unused, no_sanitize("thread")]] void f() {}', 1, "no_sanitize"),
    ('[ [ nodiscard, __gnu__ :: optimize ("O3") ] ] int f();', 1, "optimize"),
    ("<:<:gnu::optimize(3):>:> int f();", 1, "optimize"),
    ("[[\nusing gnu:\n  aligned(4),\n  target_clones(2)]] int f();", 4, "target_clones"),
    ("__attribute__((aligned(4), optimize\n(3))) int f();", 1, "optimize"),
    ('float a[9]; extern const float b[9] __attribute__((alias("a")));', 1, "alias"),
    ("__attribute__((noipa)) void f() {}", 1, "noipa"),
    ('void f() __attribute__((indirect_branch("keep")));', 1, "indirect_branch"),
    ('void f() __attribute__((ifunc("find_it")));', 1, "ifunc"),
    ('static void f(float*) __attribute__((__weakref__("other")));', 1, "__weakref__"),
    ("typedef float v4 __attribute__((vector_size(16)));", 1, "vector_size"),
    ('int x __attribute__((section(".text")));', 1, "section"),
    ('\n%:pragma GCC optimize("O3")', 2, "#pragma GCC optimize"),
    ("#define J(a, b) a##b\n#pragma GCC push_options", 2, "#pragma GCC push_options"),
    ('void f();\n_Pragma("GCC target(\\"avx2\\")")', 2, "#pragma GCC target"),
    ("#pragma redefine_extname mine other", 1, "#pragma redefine_extname mine"),
    ("#pragma weak mine = other", 1, "#pragma weak mine"),
    ('#ident "x\\"\\n.text\\n"', 1, '#ident "x'),
    ('void f() { a\\\nsm("nop"); }', 1, "asm"),
    ("const wchar_t q = L'\"'; void f() { asm(\"nop\"); } const wchar_t r = L'\"';", 1, "asm"),
    ('const char* q = "\\"", *r = R"(\n# 1 "elsewhere"\n)";\nvoid f() { __asm__("nop"); }', 4, "__asm__"),
    ('#pragma omp fooR"(\nvoid f() { asm("nop"); }\nconst char* q = ")";', 2, "asm"),
    ('const int n = "a"R"(";\nvoid f() { asm("nop"); }\nconst char* q = ")";', 2, "asm"),  # R is the suffix of "a"
    ('const int n = \'a\'u8R"(";\nvoid f() { asm("nop"); }\nconst char* q = ")";', 2, "asm"),
    ('extern "C" void __tsan_read4(void*) {}', 1, "__tsan_read4"),
    ("#define J(a, b) a##b\nJ(extern, ) int J(__tsan_, read4);", 2, "__tsan_read4"),
    ('extern "C" void* _GLOBAL_OFFSET_TABLE_[];', 1, "_GLOBAL_OFFSET_TABLE_"),
    ("int f(void* a) { return dladdr(a, a); }", 1, "dladdr"),
    ("void f(void* a) { __cxxabiv1::__cxa_throw(a, a, free); }", 1, "__cxa_throw"),
    ("void f(float* a, const float* b) { emulator::copy_untraced(a, b, 64); }", 1, "copy_untraced"),
    ('extern "C" void _ZN8emulator13copy_untracedEPvPKvm(void*);', 1, "_ZN8emulator13copy_untracedEPvPKvm"),
    ('extern "C" void* __real_memcpy(void*, const void*, size_t);', 1, "__real_memcpy"),
    ('extern "C" void emulator_host_wrote(const void*, int64_t, bool);', 1, "emulator_host_wrote"),
    ("void f(int* a) { atomic_change(a, [](auto old) { return old; }); }", 1, "atomic_change"),
    ("#define inline __attribute__((no_sanitize_thread)) inline\n\n#include <numeric>", 3, "no_sanitize_thread"),
    ("void f();\n#define HEADER <immintrin.h>\n#include HEADER", 3, "#pragma GCC push_options"),
]


@pytest.mark.parametrize(("text", "line", "name"), REFUSED)
def test_what_could_hide_accesses_is_refused_with_its_line(text, line, name, tmp_path):
    with pytest.raises(BuildError, match=re.escape(f"line {line}: '{name}")) as caught:
        checked(text, tmp_path)
    assert str(caught.value).split("\n")[0].endswith("' may hide what a kernel does to memory: leave it out")


@pytest.mark.parametrize("directive", ['#line 7 "other"', "# 7", "%: /* */ line 7", "#li\\\nne 7"])
def test_lines_keep_their_numbers(directive, tmp_path):
    with pytest.raises(BuildError, match="line 2: '#line' gives lines other numbers"):
        checked(f"\n{directive}\n", tmp_path)


def test_what_may_not_be_inlined_is_inlined(tmp_path):
    text = checked(
        "__attribute__((noinline, aligned(16))) int f();\n[[gnu::__noinline__]] int g();\nint noinline;", tmp_path
    )
    assert text.endswith(
        "__attribute__((        , aligned(16))) int f();\n[[                 ]] int g();\nint noinline;\n"
    )


def test_what_nvcc_takes_and_hides_nothing_is_traced():
    module = load_inline("honest", cuda_sources=kernel("traceable/extensions"), functions=["run"], toolchain="emulator")
    traced = trace(module.run, torch.ones(128))
    assert not traced.hazards
    assert {(each.op, each.bytes_each, each.requests) for each in traced.traffic} == {("load", 16, 1), ("store", 4, 1)}


CPP = "\nfloat answer();\n"
CUDA = "#include <torch/extension.h>\n#include <numeric>\n#include <vector>\nfloat answer() { return 42; }\n"


def test_structs_that_are_passed_by_value_are_counted():
    source = kernel("traceable/passed_by_value")
    module = load_inline("calls", cuda_sources=source, functions=["run"], toolchain="emulator")
    words = {"load": 0, "store": 0}
    for each in trace(module.run, torch.ones(256)).traffic:
        words[each.op] += each.requests
    assert words == {"load": 2 * 8 + 2, "store": 1 + 8}  # the 2 requests are for the pointers


BUILTINS = ("memcpy", "strlen", "bcopy", "alloca", "y1f", "ffsll", "__builtin_memcpy", "__builtin_assume",
            "__builtin_apply", "__builtin___tsan_read4", "__builtin___sanitizer_cov_trace_pc")  # fmt: skip
FILES = ("cuda.cpp", "../cuda.cpp", "cuda.ii", "main.cpp", "main.ii", "expanded", "build.log", "prelude.h.gch")
QUESTIONS = [f"if __has_builtin({name})" for name in BUILTINS] + [f'if __has_include("{name}")' for name in FILES]
SEEN = "".join(
    f"#{question}\nint seen_{i};\n#endif\n" for i, question in enumerate([*QUESTIONS, "ifdef __has_feature"])
)


@pytest.mark.parametrize("which", [0, 1], ids=["cuda", "cpp"])
def test_a_source_sees_no_macro_that_says_that_it_is_traced(which, tmp_path):
    source = Source(cuda=CUDA + SEEN, cpp=CPP + SEEN, functions=(("answer", ""),))
    seen = []
    for traced in (False, True):
        unit = Emulator(traced).units(source)[which]
        (tmp_path / unit.file).write_text(unit.text)
        command = [*unit.command, "-dD", "-E", unit.file]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        defined: dict[str, str] = {}
        for word, name, value in re.findall(r"(?m)^#(define|undef) (\w+)(.*)$", done.stdout):
            defined.pop(name, None)
            if word == "define":
                defined[name] = value
        seen.append((defined, re.findall(r"\bseen_\d+", done.stdout)))
    assert len(seen[0][0]) > 1000 and "COURSE_TRACED" not in seen[0][0] and "seen_0" not in seen[0][1]
    assert seen[0] == seen[1]
