"""Text that an `#if` leaves out: no rule reads it, and what a macro decides is refused by the compiler alone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from course.build import bindable_functions, load_inline
from course.errors import BuildError
from course.explain.from_source import LONGEST, SourceText
from course.explain.rules import RULES
from course.text.brackets import unbalanced
from course.text.cuda import CudaText
from course.toolchains import compiler
from course.toolchains.base import Source
from course.toolchains.compiler import unreadable
from course.toolchains.emulator import traced
from course.toolchains.emulator.translate import translate
from course.toolchains.shim import units

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\n#if 0\nb\n#endif\nc", "a c"),
        ("#if 0\na\n#else\nb\n#endif", "b"),
        ("#if 1\na\n#else\nb\n#endif", "a"),
        ("#if 0\na\n#elif 0\nb\n#elif 1\nc\n#else\nd\n#endif", "c"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#define d\n#endif\ne", "e"),
        ("#if 1\n#if 0\na\n#endif\nb\n#endif", "b"),
        ("#if false\na\n#endif\n#if true\nb\n#endif\n#if !1\nc\n#endif\n#if !(0)\nd\n#endif", "b d"),
        ("#if 0x0\na\n#elif 00u\nb\n#elif 1'0\nc\n#endif", "c"),
        # A macro decides, or the condition is more than a constant.
        ("#if X\na\n#else\nb\n#endif", "#if X a #else b #endif"),
        ("#ifdef X\na\n#elif 0\nb\n#elif 1\nc\n#else\nd\n#endif", "#ifdef X a #elif 0 #elif 1 c #else #endif"),
        ("#if 1 == 2\na\n#endif", "#if 1 == 2 a #endif"),
        ("#if !!0\na\n#endif\n#if 0 && X\nb\n#endif", "#if !!0 a #endif #if 0 && X b #endif"),
        ("#if X(0) && 1\na\n#endif", "#if X(0) && 1 a #endif"),
        ("#if 0 0\na\n#endif", "#if 0 0 a #endif"),
        ("#define false 1\n#if false\na\n#endif", "#define false 1 #if false a #endif"),
        ("#ifdef X\n#if 0\na\n#endif\nb\n#endif", "#ifdef X b #endif"),
        # What a directive looks like.
        ("#if 0 // not now\na\n#endif // 0\nb", "b"),
        ("/* 1 */ # /* 2 */ if /* 3\n */ 0\na\n %: endif\nb", "b"),
        ("#if \\\n  0\na\n#end\\\nif\nb", "b"),
        ("#define A \\\n#if 0\nb", "#define A \\ #if 0 b"),
        ("a \\\n#if 0\nb", "a \\ #if 0 b"),
        ("#if(0)\na\n#endif\nb", "b"),
        # What only looks like one.
        ('x = "\\\n#if 0\\\n";\na', 'x = " "; a'),
        ('R"(\n#if 0\n)";\na', '" "; a'),
        ("/*\n#if 0\n*/ a\n// #if 0 \\\n#if 0\nb", "a b"),
        ("#iffy 0\na", "#iffy 0 a"),
        # No compiler reads quotes in text that is left out, but it does read comments and raw strings there.
        ("#if 0\nI don't know /* why\n#endif\na", "a"),
        ('#if 0\nthe " of an inch // 1\n#endif\na', "a"),
        ("#if 0\n/*\n#endif\n*/\na\n#endif\nb", "b"),
        ('#if 0\nR"(\n#endif\n)"\na\n#endif\nb', "b"),
        ("#if 0\n1'000 // '\n#endif\na", "a"),
        ("#error don't /* stop\n#if 0\na\n#endif\nb", "#error don't /* stop b"),
        # An #if without its #endif, and the reverse.
        ("#if 0\na\n", "#if 0"),
        ("a\n#else\nb\n#endif\nc", "a #else b #endif c"),
    ],
)
def test_what_no_compiler_reads_is_blank(text: str, kept: str) -> None:
    cuda = CudaText(text)
    for got in (cuda.blank, cuda.without_comments):
        assert len(got) == len(text) and got.count("\n") == text.count("\n")
    assert re.sub(r'"\s*"', '" "', " ".join(cuda.blank.split())) == kept


BEFORE = "__global__ void k(float* c) {}\nfloat on_host(float x) { return x; }\n"
WRAPPER = "\ntorch::Tensor f(torch::Tensor A) { k<<<1, 1>>>(A.data_ptr<float>()); return A; }\n"
# What a rule refuses, by what it is.
ATTEMPTS = {
    "host function": "__global__ void l(float* c) { c[0] = on_host(c[0]); }",
    "kernel called": "void g() { k(nullptr); }",
    "host variable": "int N = 3;\n__global__ void l(int* p) { p[N] = 1; }",
    "assembly": '__global__ void l(int* c) { asm("mov.u32 %0, %nsmid;" : "=r"(*c)); }',
    "header": "#include <thrust/sort.h>",
    "macro": '#define LANE(x) asm("mov.u32 %0, %nsmid;" : "=r"(x))',
    "initialised shared": "__global__ void l() { __shared__ float s[2] = {1, 2}; }",
    "two types": "__device__ void l() { extern __shared__ int s[]; }\nvoid __global__ m() { extern __shared__ T s[]; }",
    "broken launch": "void g(float* c) { k<<<1, 1>>(c); }",
    "removed": "__device__ int d(int x) { return __any(x); }",
    "half-typed line": "__global__ void l(float* c) { c[0] = (1 +",
    "half a prototype": 'extern "C" {\nfloat h(float',
    "open bracket": "void g() { on_host(1; }",
    "open brace": "void g() {",
    "closed brace": "}",
    "open string": 'const char* text = "',
    "Python": "def add(a, b):\n    return a + b",
    "prose": "I don't know (yet) why \"this fails {",
}
LEFT_OUT = (
    "#if 0\n{}\n#endif",
    "#if 1\n#else\n{}\n#endif",
    "#if false // tried first\n{}\n#elif 1\n#else\n{}\n#endif",
    "#if 1\n#if !1\n{}\n#endif\n#endif",
    # What a macro decides is compiled or not, and the compiler says what is wrong.
    "#ifdef NEVER\n{}\n#endif",
    "#ifndef __CUDACC__\nint nothing;\n#else\n{}\n#endif",
    "#if NEVER == 1\n{}\n#elif defined(NEVER)\n{}\n#else\n#endif",
)


def refused(source: str) -> bool:
    """Whether a source is refused, or its function not found, before it is compiled."""
    try:
        translate(source)
    except BuildError:
        return True
    return bindable_functions(source) != ["f"] or unreadable(source) is not None


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_an_attempt_that_is_left_out_is_not_refused(attempt: str) -> None:
    assert refused(f"{BEFORE}{attempt}{WRAPPER}")
    for left_out in LEFT_OUT:
        source = BEFORE + left_out.replace("{}", attempt) + WRAPPER
        assert not refused(source), source
        assert '::emulator::Launch("k"' in translate(source)
    for read in ("#if 1\n{}\n#endif", "#if 0\n#else\n{}\n#endif", "#if 0\n#elif true\n{}\n#endif"):
        assert refused(BEFORE + read.replace("{}", attempt) + WRAPPER)


@pytest.mark.later
def test_attempts_that_are_left_out_build() -> None:
    texts = [each.replace("{}", text) for text in ATTEMPTS.values() for each in LEFT_OUT if "__CUDACC__" not in each]
    shared = '#ifdef NEVER\nif (0) {\n#else\n{\n#endif\n printf("__noinline__ static __shared__"); }'
    source = "\n".join((BEFORE, *texts, WRAPPER.replace("{ k", f"{{\n{shared}\nk")))
    module = load_inline("left_out", cuda_sources=source, functions=["f"], toolchain="emulator")
    assert module.f(torch.ones(2)).tolist() == [1, 1]


def test_branches_with_a_brace_each_are_one_function() -> None:
    head = "#ifdef FAST\n__global__ void l(float* c, int n) {\n#else\n__global__ void l(float* c) {\n#endif\n"
    body = "#ifdef FAST\n  if (n) {\n#else\n  if (1) {\n#endif\n    *c = on_host(1); }\n}"
    assert [f.name for f in CudaText(BEFORE + head + body + WRAPPER).functions] == ["k", "on_host", "l", "f"]
    guarded = '#ifdef __cplusplus\nextern "C" {\n#endif\n__global__ void l() {}\n#ifdef __cplusplus\n}\n#endif\n'
    assert [f.name for f in CudaText(BEFORE + guarded + WRAPPER).functions] == ["k", "on_host", "l", "f"]


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef X\n__device__\n#endif\nfloat g(float x) { return x; }\n__global__ void l(float* c) { *c = g(*c); }",
        "#ifdef X\nint N = 3;\n#else\n__constant__ int N = 3;\n#endif\n__global__ void l(int* c) { *c = N; }",
        "#if X\nfloat g(float x) { return x; }\n#else\n#define g(x) x\n#endif\n__device__ float l() { return g(1); }",
        "__device__ float g(float* p) {\n#ifdef __CUDA_ARCH__\n  return *p;\n#else\n  throw 1;\n#endif\n}",
    ],
)
def test_what_a_macro_decides_refuses_nothing(text: str) -> None:
    assert not refused(BEFORE + text + WRAPPER)


def test_an_if_without_its_endif_is_named() -> None:
    problem = unreadable(f"{BEFORE}#if 1\n#if 0 // first\n{WRAPPER}#endif\n")
    assert problem and problem.startswith("line 3: error: this #if is never closed: its #endif is missing\n    #if 1")


def test_literals_and_comments_are_not_translated() -> None:
    text = (
        "__noinline__ static __shared__ float s[1]; extern __shared__ float t[]; __shared__ alignas(8) int i; "
        "cudaLaunchKernel((void*)k, 1, 1, nullptr); k<<<1, 1>>>(NULL);"
    )
    printed = (
        f'void g() {{ printf("{text}"); /* {text} */ k<<<1, 1>>>(NULL, "NULL"); }} // {text}\n#if 0\n{text}\n#endif\n'
    )
    translated = translate(BEFORE + printed)
    assert translated.count(text) == 4
    assert '(emulator_arguments...); }, nullptr, "NULL")' in translated


# ----------------------------------------------------------------------------------------------------------------------
# The time that it takes to read a text. It must not grow faster than the text.

LENGTH = 100_000
KERNEL, WRAPPED = "__global__ void k(float* a) {", "".join(f"void h{i}() {{}}" for i in range(2000))
REPEATED = (
    *("f(", 'R"a(', 'R"(', 'u8R"x(', 'extern "C" {', 'extern "C" {}', "template<", "<<<", "(", "[", "{", "}", ")", ">"),
    *(
        "a",
        "_",
        "0",
        " ",
        "\n",
        "a ",
        "()",
        "  {}",
        "a(){}",
        "f()->",
        "a<",
        '"',
        "'",
        "\\",
        '\\"',
        "1'",
        "1e+",
        "/*",
        "*/",
        "//",
    ),
    *(
        "#if X\n",
        "#if 0\n",
        "#if 1\n#else\n",
        "#if X\n#else\n(\n",
        "#if X\n{\n#else\n{\n#endif\n",
        "#if X\n<<<\n#endif\n",
    ),
    *(
        "asm ",
        "__shared__ ",
        "extern __shared__ ",
        "extern __shared__ float a[];",
        "extern __shared__ a[] ",
        "__global__ ",
    ),
    *("static ", "alignas(", "__shared__ alignas(a", "cudaLaunchKernel(", "cudaLaunchKernel(a<b", "__launch_bounds__("),
    *(
        "x><<<",
        "k<<<1,1>>>(x);",
        "k><<<1,1>>>(x)",
        "k<<<1,1>>>(",
        "k<<<",
        "k<<<1,1>>>(NULL);",
        "int a[",
        "int ",
        "using a\n",
    ),
    *(
        "#define a (\n",
        "#define device __device__\n",
        "__device__ a[",
        "for(;",
        "if(a){",
        "[](",
        "]{",
        "[[",
        "__attribute__((",
    ),
    *(
        "error: ",
        "#error error: error: ",
        'instantiation of "',
        "undefined reference to `f'\n",
        "multiple definition of a::",
    ),
    *("blockIdx.x*gridDim.x+", "dim3 b,", "Tensor ", "float* a,", "__shfl_down_sync(", "short a = ", "def a(:", "f \t"),
    *("a<b>::c<", "\\n"),  # which tree-sitter would read for a minute
)
WORST = {
    **{repr(each): each * (LENGTH // len(each)) for each in REPEATED},
    "undecided launches": "#if X\n" + "x><<<" * (LENGTH // 5),
    "calls": WRAPPED + KERNEL + "".join(f"h{i}();" for i in range(9000)) + "}",
    "tensors": f"__global__ void k({', '.join(f'Tensor t{i}' for i in range(3000))}) {{{'a.b(1);' * 5000}}}",
    "variables": "".join(f"int v{i};" for i in range(3000))
    + KERNEL
    + "".join(f"x += v{i};" for i in range(4000))
    + "}",
    "pointers": "".join(f"*p{i}; p{i}<<<1, 1>>>(x);" for i in range(4000)),
    "kernels": "".join(f"__global__ void k{i}() {{}} void g() {{ k{i}<<<1, 1>>>(); }}" for i in range(1800)),
    "blocks": f"{KERNEL}{'if(a){' * 14000}__syncthreads();{'}' * 14001}",
    "indented": " " * 50000 + "{}" * 25000 + "{",
    "blanks": f"cudaLaunchKernel({' ' * 90000}1",
    "conditions": "#if ((((((((((((1))))))))))))&&(0||!1)\n" * 2700,
    "parameters": f"torch::Tensor f({'int a=1,' * 12000} int b) {{}}",
}


def scan(source: str) -> Iterator[object]:
    """Everything that reads the text of a source, or of a compiler's output."""
    cuda, name = CudaText.of(source), "cuda_sources"
    yield cuda.certain, cuda.functions, unbalanced(source), unreadable(source), bindable_functions(source)
    for may_fail in (
        lambda: translate(source),
        lambda: units.cpp_text(Source(source, functions=(("f", "f"),))),
    ):
        try:
            yield may_fail()
        except BuildError as error:
            yield error
    yield units.cuda_text(Source(source), "")
    yield traced._declared(source, "__device__", "__constant__")
    for output in (source, f"{name}:1:1: error: {source}"):
        yield compiler.shorten(output, {name: source}), compiler.error_lines(output, {name: source})
    text = SourceText.of(source[:LONGEST], 10**9)  # no longer text is read
    yield from (rule.find(text) for rule in RULES if rule.reads == "text")


def seconds(source: str) -> float:
    begin = time.process_time()
    assert all(True for _ in scan(source))
    return time.process_time() - begin


HONEST = "\n".join(path.read_text() for path in sorted((Path(__file__).parents[1] / "honest").glob("*.cu")))
AS_LONG = (HONEST * (LENGTH // len(HONEST) + 1))[:LENGTH]


def is_slow(text: str) -> bool:
    """Whether a text takes six times as long as honest code: a bar of 2 s, where 100 kB of code take 0.33 s."""

    def too_long(attempt: int) -> bool:
        return seconds(f"{text} // {attempt}") > 6 * seconds(f"{AS_LONG} // {time.time()}")

    return seconds(text) > 1 and all(map(too_long, range(3)))  # the machine may be slow for a while


@pytest.mark.parametrize(
    "name", [repr(each) for each in ('R"a(', 'extern "C" {', "a", "asm ", "k<<<1,1>>>(x);", "a<b>::c<")]
)
def test_a_long_text_is_read_soon(name: str) -> None:
    assert not is_slow(WORST[name])
