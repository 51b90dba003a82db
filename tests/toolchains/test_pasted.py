"""The sentences about what people type, paste and merge into a source, and about calls of what was built."""

from __future__ import annotations

import pytest
import torch

from course.build import bindable_functions, load_inline
from course.errors import BuildError, CourseError, KernelError
from course.explain.from_paste import pasted
from course.toolchains.compiler import unreadable
from course.worker.cells import Cell

# `%%cuda` puts an empty line in place of the magic's line.
SOURCE = """
#include <torch/extension.h>

__global__ void add_kernel(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + 1.0f;
    }
}

torch::Tensor add(torch::Tensor a) {
    TORCH_CHECK(a.is_cuda(), "a must be on the GPU");
    auto c = torch::empty_like(a);
    int n = a.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), c.data_ptr<float>(), n);
    return c;
}
"""
STORE = "        c[i] = a[i] + 1.0f;\n"
MESSAGE = '"a must be on the GPU"'
WRAPPER = "torch::Tensor add("
# The emulator's and the shim's own names, which no learner knows.
INSIDES = ("emulator::", "course::", "Argument", "kNever", "course_bound", "'put'", "'shuffle'", "cuda.cpp")


def refused(source: str) -> str:
    with pytest.raises(BuildError) as caught:
        load_inline("adder", cuda_sources=source, functions=["add"], toolchain="emulator")
    assert not [each for each in INSIDES if each in str(caught.value)]
    return str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        # Characters.
        ("        c[i]", "\u00a0\u00a0\u00a0 c[i]", "line 7: error: the line has the character NO-BREAK SPACE"),
        ("if (i", "if\u200b (i", "line 6: error: the line has the character ZERO WIDTH SPACE (U+200B)"),
        ("threadIdx", "thread\u00adIdx", "line 5: error: the line has the character SOFT HYPHEN (U+00AD)"),
        ("#include", "\ufeff#include", "line 2: error: the line has the character ZERO WIDTH NO-BREAK SPACE (U+FEFF)"),
        ("1.0f;", "1.0f\uff1b", "line 7: error: the line has the character FULLWIDTH SEMICOLON (U+FF1B)"),
        ("(i < n)", "\uff08i < n)", "line 6: error: the line has the character FULLWIDTH LEFT PARENTHESIS (U+FF08)"),
        ("] + 1", "] \u2013 1", "line 7: error: the line has the character EN DASH (U+2013)"),
        ("x * b", "x \u00d7 b", "line 5: error: the line has the character MULTIPLICATION SIGN (U+00D7)"),
        ("i < n", "i \u2264 n", "line 6: error: the line has the character LESS-THAN OR EQUAL TO (U+2264)"),
        (MESSAGE, "\u201ca must be", "line 12: error: the line has the character LEFT DOUBLE QUOTATION MARK (U+201C)"),
        ('GPU"', "GPU\u201d", "line 12: error: the line has the character RIGHT DOUBLE QUOTATION MARK (U+201D)"),
        ("<torch/extension.h>", "\u201ctorch/extension.h\u201d", "line 2: error: the line has the character LEFT"),
        ("int i", "\x01int i", "line 5: error: the line has the character CONTROL CHARACTER (U+0001)"),
        ("c[i] =", "\u0441[i] =", "\n\u0441 has CYRILLIC SMALL LETTER ES (U+0441): is it declared above that line"),
        # HTML.
        ("i < n", "i &lt; n", "line 6: error: &lt; is HTML for `<`"),
        ("i < n", "i < n &amp;&amp; i >= 0", "line 6: error: &amp; is HTML for `&`"),
        ("<<<", "&lt;&lt;&lt;", "line 15: error: &lt; is HTML for `<`"),
        (MESSAGE, "&quot;a&quot;", 'line 12: error: &quot; is HTML for `"`'),
        ("1.0f;", "&#39;a&#39;;", "line 7: error: &#39; is HTML for `'`"),
        # Merges.
        (STORE, f"<<<<<<< HEAD\n{STORE}=======\n{STORE}>>>>>>> main\n", "line 7: error: `<<<<<<< HEAD` is a conflict"),
        (STORE, f"{STORE}=======\n", "line 8: error: `=======` is a conflict marker of git"),
        ("    return c;\n}\n", "    return c;\n}\n>>>>>>> main\n", "line 18: error: `>>>>>>> main` is a conflict"),
        ("c;\n}\n", 'c;\n}\n\n# A check\ncheck("add", adder.add)\n', "line 20: error: this is Python: a cell of"),
        ("c;\n}\n", "c;\n}\n\nx = torch.rand(9)\ntrace(adder.add, x)\n", "line 19: error: this is Python: a cell"),
        ("c;\n}\n", "c;\n}\n%timeit adder.add(x)\nimport torch\n", "line 18: error: this is Python: a cell of Python"),
        ("c;\n}\n", "c;\n}\n\ncheck('add', adder.add, {\n    'a': 1,\n})\n", "line 19: error: this is Python: a cell"),
        ("c;\n}\n", "c;\n}\n\n%%cuda other\nint x;\n", "line 19: error: %%cuda begins a cell of its own"),
        # A string over two lines, without another sentence.
        ("a must be", "a must\n        be", 'line 12: error: the string is never closed: the second " is missing'),
        # What cannot be bound.
        (WRAPPER, f"namespace mine {{\n{WRAPPER}", "it is in the namespace mine (line 12), and only functions outside"),
        (WRAPPER, f"namespace {{\n{WRAPPER}", "it is in a namespace without a name (line 12)"),
        (WRAPPER, f"struct S {{\nstatic {WRAPPER}", "it is in the struct S (line 12)"),
        (WRAPPER, f"static {WRAPPER}", "it is static (line 11), so the file with the bindings cannot call it"),
        (WRAPPER, f"inline {WRAPPER}", "it is inline (line 11)"),
        (WRAPPER, f"template <typename T>\n{WRAPPER}", "it is a template (line 12), whose types Python cannot choose"),
        (WRAPPER, f"{WRAPPER}float* b, ", "its signature (line 11) has the type float"),
        (WRAPPER, f"{WRAPPER}dim3 b, ", "its signature (line 11) has the type dim3"),
        (WRAPPER, f"{WRAPPER}cudaStream_t b, ", "has the type cudaStream_t"),
        (WRAPPER, f"{WRAPPER}std::pair<int, int> b, ", "type (std::pair<int, int>) from"),
        (WRAPPER, "torch::Tensor other(", "functions= names 'add', but the source defines no such function; it"),
        # What the emulator is made of.
        ("/ 256, 256>", '/ 256, "a">', "line 15: error: no matching constructor for initialization of <<<...>>>: no"),
        (", 256>>>", ", 256, 0, n>>>", "no known conversion from 'int' to 'cudaStream_t'"),
        ("+ threadIdx.x;", "+ threadIdx;", "invalid operands to binary expression ('unsigned int' and 'const uint3')"),
        (STORE, f"{STORE}    __syncthreads;\n", "\nA call has parentheses: __syncthreads();"),
        (STORE, f"{STORE}    __shfl_down_sync(~0u);\n", "takes another number of arguments"),
        (STORE, f"{STORE}    __shfl_down_sync(~0u, c, 1, 2, 3);\n", "function for call to '__shfl_down_sync'"),
    ],
)  # fmt: skip
def test_what_people_paste_and_what_the_error_says(right: str, wrong: str, error: str) -> None:
    assert right in SOURCE
    message = refused(SOURCE.replace(right, wrong, 1) + "};\n" * ("{\n" + WRAPPER in wrong or "{\nstatic" in wrong))
    assert error in f"\n{message}", message
    if "error: " in error and "matching" not in error and "operands" not in error:
        assert message.startswith(error) and len(message.splitlines()) == 2, message


@pytest.mark.parametrize(
    ("right", "fine"),
    [
        ("", ""),
        ("int n)", "int größe)"),
        ("    int i", "    // naïve \u201c\u00e9\u201d \u00a0 \u2013 &lt; \n/*\n=======\n*/\n    int i"),
        ("a must be", "\u201ca\u201d \u2013 &lt; must be"),
        ("    int i", "    int lt = 3; int amp = 5 &lt; int i"),
        ("    int i", "#if 0\n<<<<<<< HEAD\n#endif\n    int i"),
        ("c;\n}\n", "c;\n}\n\n#define INSTANTIATE(T) template T* cast<T>(T*);\nINSTANTIATE(float)\nINSTANTIATE(int)\n"),
        ("c;\n}\n", "c;\n}\n\nint count;\n"),
        ("a[i] + 1.0f;", "a[i] +\n%>\n;"),
    ],
)
def test_nothing_was_pasted_into_an_honest_source(right: str, fine: str) -> None:
    assert pasted(SOURCE.replace(right, fine, 1)) is None


def test_an_accent_in_a_string_without_its_end_is_not_the_error() -> None:
    assert "the string is never closed" in str(unreadable(SOURCE.replace(MESSAGE, '"naïve \u2013 \u2026')))


def test_the_module_says_why_it_lacks_a_function() -> None:
    source = SOURCE.replace(WRAPPER, f"namespace mine {{\n{WRAPPER}") + "}\n"
    assert bindable_functions(source) == []
    module = load_inline("adder", cuda_sources=source, functions=[], toolchain="emulator")
    with pytest.raises(AttributeError, match=r"has no function 'add'; it is in the namespace mine \(line 12\)"):
        _ = module.add


def test_a_call_says_which_argument_does_not_fit() -> None:
    source = "#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor a, int n, uint8_t u, int64_t m) { return a; }"
    f, x = load_inline("taker", cuda_sources=source, functions=["f"], toolchain="emulator").f, torch.zeros(3)
    assert f(x, -(2**31), 255, 2**63 - 1) is not None
    for arguments, said in (
        ((3_000_000_000, 0, 0), "3000000000 does not fit its parameter, which has the type int32_t"),
        ((0, -1, 0), "-1 does not fit its parameter, which has the type uint8_t"),
        ((0, 0, 2**63), f"{2**63} does not fit its parameter, which has the type int64_t"),
        ((0, 0, 10**5000), "it takes (Tensor, int, int, int)"),
    ):
        with pytest.raises(TypeError) as caught:
            f(x, *arguments)
        assert said in str(caught.value)
    with pytest.raises(TypeError, match=r"^f\(\): .* no names in Python, so pass u, m by position$"):
        f(x, 1, u=2, m=3)


@pytest.mark.parametrize("magic", ["%%cu", "%%CUDA add", "%% cuda add", "%cuda add", "%%nvcc", "%%cuda_group_run"])
def test_a_magic_of_another_tool_is_named(magic: str) -> None:
    with pytest.raises(CourseError, match="is no magic of the course: write %%cuda NAME"):
        Cell.of(f"{magic}\n{SOURCE}")
    assert Cell.of(f"  %%cuda add\n{SOURCE}").magic == "cuda"


@pytest.mark.parametrize(
    ("allocation", "asks"),
    [
        ("cudaMalloc(&b, n);", True),
        ("cudaMallocManaged((void**)&b, a.numel());", True),
        ("size_t size = n / 4; cudaMalloc(&b, size);", True),
        ("cudaMalloc(&b, (n - 1) * sizeof(float));", False),
        ("cudaMalloc(&b, 4 * (n - 1));", False),
        ("size_t size = sizeof(float) * (n - 1); cudaMalloc(&b, size);", False),
        ("auto bytes = a.nbytes() - 4; cudaMalloc(&b, bytes);", False),
    ],
)
def test_an_allocation_that_counts_elements_is_asked_for_its_bytes(allocation: str, asks: bool) -> None:
    source = SOURCE.replace("c.data_ptr<float>()", "b").replace(
        "add_kernel<<<", f"float* b; {allocation} add_kernel<<<"
    )
    add = load_inline("adder", cuda_sources=source, functions=["add"], toolchain="emulator").add
    with pytest.raises(KernelError) as caught:
        add(torch.zeros(100))
    said = "cudaMalloc takes bytes: does the size in line 15 lack the factor sizeof(...)?"
    assert "of a cudaMalloc" in str(caught.value) and (said in str(caught.value)) is asks
