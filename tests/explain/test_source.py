"""Sentences about what the text of a wrong answer does: wrong answers get them, and right ones do not."""

from pathlib import Path

import pytest

from autograder.classroom import ROOT, Classroom
from course.explain.from_source import SourceText, careless_launch, no_first_value
from course.explain.rules import Evidence, explain
from course.explain.texts import say
from tests.exercises import asked

pytestmark = pytest.mark.quick

TESTS = Path(__file__).parents[1]
RIGHT = [path.read_text(encoding="utf-8") for folder in ("honest", "corpus") for path in (TESTS / folder).glob("*.cu")]
SOLUTIONS = [answer.source for name in Classroom(ROOT).assignments for (answer, _), *_ in asked(name).values()]
RIGHT += SOLUTIONS
ONE_AXIS = """
__global__ void k(const float* A, float* C) {{
    const int i = blockIdx.{0} * blockDim.x + threadIdx.{1};
}}
void f() {{
    const dim3 blocks(2, 3);
    const dim3 threads(16, 16);
    k<<<blocks, threads>>>(a, c);
}}
"""
ALONG_Y = """
__global__ void k(const float* A) {{ const int i = blockIdx.x * blockDim.x + threadIdx.y; }}
void f() {{ k<<<n / 256, {0}>>>(a); }}
"""
CAREFUL = """#include <course/checks.h>
void f(at::Tensor A) {
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    k<<<1, 64, 0, at::cuda::getCurrentCUDAStream()>>>();
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""
ELEMENTWISE = "__global__ void k(const float* A, const float* B, float* C) {{\n    {}\n}}"


def suspect(text, elements=1 << 40):
    return say(explain(Evidence(text=SourceText.of(text, elements))))


def careless(text):
    return [case for case, _ in careless_launch(SourceText.of(text, 0))]


def test_no_launch_of_a_solution_is_careless():
    assert [careless(text) for text in SOLUTIONS if careless(text)] == []


@pytest.mark.parametrize(
    ("before", "after", "cases"),
    [
        ("", "", []),
        ("OptionalCUDAGuard guard(device_of(A))", "Device device = A.device()", ["unguarded"]),
        ("C10_CUDA_KERNEL_LAUNCH_CHECK();", "", ["unchecked"]),
        ("C10_CUDA_KERNEL_LAUNCH_CHECK()", "TORCH_CHECK(cudaGetLastError() == cudaSuccess)", []),
        ("0, at::cuda::getCurrentCUDAStream()", "0", ["default_stream"]),
        (", 0, at::cuda::getCurrentCUDAStream()", "", ["default_stream"]),
        ("getCurrentCUDAStream()", "getStreamFromPool()", []),
        ("C10_CUDA_KERNEL_LAUNCH_CHECK();\n}", "CHECK\n}\n#define CHECK C10_CUDA_CHECK(cudaPeekAtLastError());", []),
    ],
)
def test_a_careless_launch(before, after, cases):
    assert careless(CAREFUL.replace(before, after)) == cases
    # Without the headers, nobody has asked for it.
    assert careless(CAREFUL.replace(before, after).replace("course/checks.h", "torch/extension.h")) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("float x[2]; if (threadIdx.x < 9) { x[0] += A[0]; C[0] = x[0]; }", True),
        ("float x; for (int k = 0; k < 9; ++k) { if (k) x += A[k]; else x = A[0]; } C[0] = x;", False),
        ("float x; if (threadIdx.x) { x += 1; } else { load(&x); } C[0] = x;", False),
        ("float x; float& y = x; if (threadIdx.x) { x += 1; } else { y = 2; }", False),
    ],
)
def test_a_variable_that_nothing_sets_before_it_is_added_to(body, found):
    assert (no_first_value(SourceText.of(ELEMENTWISE.format(body), 0)) is not None) == found


def test_no_right_text_is_suspected():
    assert {suspect(text) for text in RIGHT} == {""}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k<<<threads, blocks>>>(A);", "line 1 (`k<<<threads, blocks>>>(A);`) passes threads first: are the two exch"),
        ("k<kPad><<<kThreads, A.size(0), 0, stream>>>(A);", "passes kThreads first"),
        ("k<<<block, grid>>>(A);", "passes block first"),
        ("k<<<blocks, threads>>>(A);", ""),
        ("k<<<n_threads / 256, 256>>>(A);", ""),
        ("k<<<threads, 256>>>(A);", ""),
        ("int step = gridDim.x * gridDim.x;", "threads in the grid is gridDim.x * blockDim.x, but line 1"),
        ("int step = gridDim.x * gridDim.y;", ""),
        ("int i = blockIdx.x * gridDim.x + threadIdx.x;", "first thread is blockIdx.x * blockDim.x, but line 1"),
        ("int block = blockIdx.y * gridDim.x + blockIdx.x;", ""),
        (ONE_AXIS.format("x", "y"), "The grid has x and y (line 6 (`const dim3 blocks(2, 3);`)), but no kernel reads"),
        (
            ALONG_Y.format("256"),
            "The block has one dimension (line 3 (`void f() {{ k<<<n / 256, 256>>>(a); }}`)), so thr".format(),
        ),
        (ALONG_Y.format("threads"), ""),
        (ALONG_Y.format("256").replace("threadIdx.y", "threadIdx.y * blockDim.x"), ""),
        ("void f() { const short n = A.numel(); }", "makes n of type short, which holds no number above 32,767"),
        ("void f() { unsigned char n = A.size(0); }", "holds no number above 255"),
        ("void f() { const char sign = A[0] < 0; }", ""),
        ("__global__ void k(const float* A) {\n    int a = A[0];\n}", "makes a an integer: is a fraction cut off"),
        ("__global__ void k(const int* A) {\n    int a = A[0];\n}", ""),
        ("void f() { int best = fmaxf(a, b); }", "makes best an integer"),
        ("void f() { int rows = min(a, b); }", ""),
        ("void f() { float a = 0; int b = __shfl_sync(kAll, a, 0); }", "makes b an integer"),
        ("void f() { int a = 0; int b = __shfl_sync(kAll, a, 0); }", ""),
        ("void f(float* A) {} void g(const int* A) { int a = A[0]; }", ""),
        ("void f(int64_t n) {} void g() { for (short i = 0; i < n; ++i) {} }", ""),
        ("int i = blockIdx.x * gridDim.y + threadIdx.x;", ""),
        (ONE_AXIS.format("x", "y").replace("blocks(2, 3)", "blocks(n), tiles(2, 3)"), "The block has x and y"),
        (ONE_AXIS.format("x", "y").replace("threads(16", "blocks.y = 1;\n    const dim3 threads(16"), "The block has"),
        ("#define ROW blockIdx.y\n" + ONE_AXIS.format("x", "y"), "The block has"),
        (ALONG_Y.format("sizes(n)"), ""),
        (ALONG_Y.format("cdiv(n, 2)"), "The block has one dimension"),
        (ELEMENTWISE.format("C[i] = A[i] + B[i + 1];"), "Line 2 (`C[i] = A[i] + B[i + 1];`) stores one element and"),
        (ELEMENTWISE.format("C[i] = A[i] + B[i + 1];"), "reads the next element of B: both need the same index"),
        (ELEMENTWISE.format("C[r * n + i] = B[r * n + i - 1];"), "reads the previous element of B"),
        (ELEMENTWISE.format("C[i] = B[i + 1] - B[i];"), ""),
        (ELEMENTWISE.format("C[i] = A[i]; C[i + 1] = A[i + 1];"), ""),
    ],
)
def test_what_hardly_any_right_text_has_is_named(text, words):
    said = suspect(text)
    assert words in said if words else said == ""


SHORT = "void f() { const short n = A.numel(); }"


def test_a_narrow_type_is_named_only_where_the_output_has_more_elements():
    assert suspect(SHORT, 32768) and not suspect(SHORT, 32767)


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("int k = 0; k < 4; ++k", "int n = 1; n < 4; ++n", True),
        ("int k = 0; k < 4; ++k", "int n = 1; n < 8; ++n", False),
        ("int k = 0; k < 4; ++k", "int n = 0; n < 4; ++n", False),
        ("int k = 1; k < 4; ++k", "int n = 1; n < 4; ++n", False),
    ],
)
def test_a_loop_that_leaves_out_what_another_takes_is_named(first, second, named):
    text = f"__global__ void k(float* A) {{\n    for ({first}) load(k);\n    for ({second}) store(n);\n}}"
    assert suspect(text).startswith("The loop in line 3 (`for (int n = 1") == named
    assert (suspect(text.replace("load", "float scale = row[i]; load")) == "") != named
    assert suspect(text.replace("    for", "    float best = row[i];\n    for", 1).replace("store", "best = max")) == ""
    assert suspect(text.replace("load", "A[0] = load")) == ""  # the first element may have a line of its own
    assert suspect(text.replace("store(n)", "x[n] += x[n - 1]")) == ""  # as in a scan


@pytest.mark.parametrize("many", ["k<<<", "dim3 a(", "short n = ", "for (int i = 0;", "int a = A["])
def test_a_text_made_to_take_long_is_soon_looked_through(many):
    text = many * (19_000 // len(many))
    assert suspect(text) == ""
