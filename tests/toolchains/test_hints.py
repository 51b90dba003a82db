"""The hints about a source that does not compile: a bracket without its partner, Python in place of C++."""

from __future__ import annotations

import pytest

from course.errors import BuildError
from course.toolchains.compiler import MAIN_SOURCE, shorten, unreadable
from course.toolchains.emulator.translate import translate

pytestmark = pytest.mark.quick

SOURCE = """
#include <torch/extension.h>

__global__ void scale_kernel(const float* A, float* C, int64_t N) {
    for (int64_t i = threadIdx.x; i < N; i += blockDim.x) {
        if (A[i] > 0.0f) {
            C[i] = 2 * A[i];
        }
    }
}

torch::Tensor scale(torch::Tensor A) {
    auto C = torch::empty_like(A);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "scale", [&] {
        scale_kernel<<<1, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    });
    return C;
}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ("    });\n", "    }\n", "line 14: error: AT_DISPATCH_FLOATING_TYPES( is never closed: it must end with });"),
        ("like(A);", "like(A;", "line 13: error: empty_like( is never closed: a ) is missing before the ;"),
        ("C[i] =", "C[i =", "line 7: error: C[ is never closed: a ] is missing before the ;"),
        ("if (A[i] > 0.0f) {", "if (A[i] > 0.0f {", "line 6: error: if ( is never closed: a ) is missing"),
        ("        }\n    }\n}", "        }\n}", "line 4: error: the block that begins here is never closed: a } is"),
        ("    }\n}\n\ntorch", "    }\n\n\ntorch", "line 4: error: the block that begins here is never closed"),
        ("    return C;\n}", "    return C;\n", "line 12: error: the block that begins here is never closed"),
        ("A.numel());", "A.numel()));", "line 15: error: this ) closes no (: remove it"),
        ("i < N; i +=", "i < N); i +=", "line 5: error: this ) closes no ("),
        ('"scale", [', '"scale, [', 'line 14: error: the string is never closed: the second " is missing'),
        (
            "torch::Tensor scale(torch::Tensor A) {",
            "def scale(A):",
            "line 12: error: this is Python\n    def scale(A):",
        ),
    ],
)
def test_a_source_that_cannot_be_read_names_its_line(right: str, wrong: str, text: str) -> None:
    assert right in SOURCE
    message = unreadable(SOURCE.replace(right, wrong, 1)) or ""
    assert text in message
    number, line = int(message.split()[1].rstrip(":")), message.splitlines()[1].strip()
    assert SOURCE.replace(right, wrong, 1).splitlines()[number - 1].strip() == line


@pytest.mark.parametrize(
    "fine",
    [
        SOURCE,
        SOURCE.replace("= 2", "= ')' - ')' + 2"),
        SOURCE.replace('"scale"', '"a \\" ( {"'),
        SOURCE.replace("2 * A", "/* (( */ 2 * A"),
        "#define OPEN {\nvoid f() OPEN }\n",
        "#if N\nvoid f() {\n#else\nvoid g() {\n#endif\n}\n",
    ],
)
def test_brackets_that_match_or_that_the_text_does_not_decide(fine: str) -> None:
    assert unreadable(fine) is None


def test_a_launch_that_a_bracket_breaks_is_explained_by_the_bracket() -> None:
    with pytest.raises(BuildError, match=r"^line 14: error: AT_DISPATCH_FLOATING_TYPES\( is never closed"):
        translate(SOURCE.partition("A.numel()")[0])


def said(line: str, message: str) -> list[str]:
    """What is shown of clang's, nvcc's or g++'s `message` about the second line of a source, `line`."""
    return shorten(f"{MAIN_SOURCE}:2:1: error: {message}", {MAIN_SOURCE: f"\n{line}\n"}).splitlines()


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("__share__ float tile[256];", "unknown type name '__share__'", "two underscores on each side"),
        ("global void k() {}", "unknown type name 'global'", "two underscores on each side"),
        ("if (A == None) return;", "use of undeclared identifier 'None'", "nullptr"),
        ("if (A == None) return;", "'None' was not declared in this scope", "nullptr"),
        ("bool on = True;", 'identifier "True" is undefined', "In place of True, C++ has true."),
        ("for i in range(N):", "expected '(' after 'for'", "for (int i = 0; i < N; ++i)"),
        ("if i < N:", "expected '(' after 'if'", "in parentheses"),
        (
            "auto C = torch.empty_like(A);",
            "unexpected namespace name 'torch': expected expression",
            "C++ writes torch::",
        ),
        ("import torch", "expected ';' after module name", "Python code belongs into another cell"),
        ("c[i] = 0;  # done", "expected expression", "begins with //"),
        ("i = blockIdx.x;", "use of undeclared identifier 'i'", "declared with its type: int64_t i = ..."),
        (
            "using T = scalar_t;",
            "unknown type name 'scalar_t'",
            "a type only inside the braces of a dispatch macro",
        ),
        ("int n = cdiv(N, 2);", "use of undeclared identifier 'cdiv'; did you mean 'ldiv'?", "course::cdiv"),
        ("int n = N;", "use of undeclared identifier 'N'", "Declarations in other cells do not count"),
        ("int n = N;", "'N' was not declared in this scope", "Declarations in other cells do not count"),
        (
            "k<<1, 256>>>(A);",
            "invalid operands to binary expression ('void (float *)' and 'int')",
            "three angle brackets on each side",
        ),
        (
            "k(A.data_ptr<double>());",
            "no known conversion from 'double *' to 'const float *' for 1st argument",
            "so data_ptr<float>().",
        ),
        (
            "k(A);",
            "no known conversion from 'at::Tensor' to 'const float *' for 1st argument",
            "pass A.data_ptr<float>().",
        ),
        ("k(A);", 'no suitable conversion function from "at::Tensor" to "float *" exists', "pass A.data_ptr<float>()."),
        (
            "k(A.data_ptr());",
            "cannot convert argument of incomplete type 'void *' to 'const float *' for 1st argument",
            "pass A.data_ptr<float>().",
        ),
        (
            "k(A.data_ptr());",
            'argument of type "void *" is incompatible with parameter of type "const float *"',
            "pass A.data_ptr<float>().",
        ),
        (
            "k<<<n, 256>>>(A.data_ptr<float>, n);",
            "reference to non-static member function must be called; did you mean to call it with no arguments?",
            "pass A.data_ptr<float>().",
        ),
        (
            "k(A.data_ptr<float>, N);",
            "a pointer to a bound function may only be used to call the function",
            "pass A.data_ptr<float>().",
        ),
    ],
)
def test_python_and_other_slips_are_explained_below_their_line(line: str, message: str, hint: str) -> None:
    error, quoted, explained = said(line, message)
    assert error == f"line 2: error: {message}" and quoted.strip() == line
    assert hint in explained


def test_an_error_of_the_dispatch_macros_other_type_is_explained_as_that() -> None:
    source = SOURCE.replace("\n#include", "#include")
    message = f"{MAIN_SOURCE}:13:9: error: no known conversion from 'double *' to 'const float *' for 1st argument"
    assert "compiles the code inside it for double too" in shorten(
        message, {MAIN_SOURCE: source.replace("float>", "scalar_t>")}
    )


@pytest.mark.parametrize(
    ("line", "reason", "hint"),
    [
        ("k<<<1, 1>>>(A.data_ptr<float>());", "requires 2 arguments, but 1 was provided", ""),
        ("k<<<1, 1>>>(A);", "no known conversion from 'at::Tensor' to 'float *' for 1st argument", "pass A.data_ptr"),
    ],
)
def test_clangs_first_reason_stands_behind_a_call_without_a_match(line: str, reason: str, hint: str) -> None:
    output = f"{MAIN_SOURCE}:1:93: error: no matching function for call to 'k'\n"
    output += "/c/emulator.h:69:54: note: in instantiation of function template specialization 'f()' requested here\n"
    output += f"{MAIN_SOURCE}:4:17: note: candidate function not viable: {reason}\n"
    output += f"{MAIN_SOURCE}:5:17: note: candidate function not viable: requires 9 arguments, but 1 was provided\n"
    first, quoted, *explained = shorten(output, {MAIN_SOURCE: line}).splitlines()
    assert first == f"line 1: error: no matching function for call to 'k': {reason}" and quoted.strip() == line
    assert hint in "".join(explained) and bool(hint) == bool(explained)


def test_an_error_in_a_header_has_the_first_line_that_led_there_and_one_in_a_macro_names_the_macro() -> None:
    source = "#define TILE 16;\nT g(T a) { return a + a; }\ng(A);\nfloat s[TILE];\n"
    output = "In file included from cuda.cpp:1:\n"
    output += "/c/Tensor.h:9:1: error: static assertion failed due to requirement 'kNever<int>': library-call: '+'\n"
    output += "/c/Tensor.h:4:3: note: expanded from macro 'COURSE_OPERATOR'\n"
    output += f"{MAIN_SOURCE}:2:21: note: in instantiation of function template specialization '+<T>' requested here\n"
    output += f"{MAIN_SOURCE}:3:1: note: in instantiation of function template specialization 'g<T>' requested here\n"
    assert shorten(output, {MAIN_SOURCE: source}).startswith("line 2: error: library-call: '+'\n    T g")
    output = f"{MAIN_SOURCE}:4:9: error: unexpected ';' before ']'\n"
    output += f"{MAIN_SOURCE}:1:16: note: expanded from macro 'TILE'\n"
    expected = "line 4: error: unexpected ';' before ']' (in the macro TILE, line 1)\n    float s[TILE];"
    assert shorten(output, {MAIN_SOURCE: source}) == expected


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("f()\nint n;", "1:4: error: expected ';' after expression"),
        ("int r = 1\n  ;", "2:3: error: expected ';' at end of declaration"),  # in the argument of a macro
        (
            "struct P { int x; }\n__global__ void k() {}",
            f"2:1: error: 'flatten' attribute only\n{MAIN_SOURCE}:2:11: error: expected ';' after struct",
        ),
        (
            "using T = float\n__global__ void k() {}",
            f"2:12: error: cannot combine\n{MAIN_SOURCE}:2:16: error: expected ';' after alias declaration",
        ),
    ],
)
def test_a_semicolon_that_clang_misses_belongs_to_the_end_of_a_line(source: str, output: str) -> None:
    said = shorten(f"{MAIN_SOURCE}:{output}\n", {MAIN_SOURCE: source}).splitlines()
    assert said == ["line 1: error: a ; is missing at the end of this line", f"    {source.splitlines()[0]}"]


def test_a_missing_semicolon_is_reported_where_it_belongs_and_without_its_echoes() -> None:
    source = "const int n = 256  // threads\n\nconst dim3 grid(n);\nf(grid);\n"
    output = f"{MAIN_SOURCE}:3:1: error: expected ',' or ';' before 'const'\n"
    output += f"{MAIN_SOURCE}:4:3: error: 'grid' was not declared in this scope\n"
    expected = ["line 1: error: a ; is missing at the end of this line", "    const int n = 256  // threads"]
    assert shorten(output, {MAIN_SOURCE: source}).splitlines() == expected


@pytest.mark.parametrize("text", ["(" * 100_000, "f(){" * 60_000, "{}" * 100_000, '"\n' * 100_000, "a" * 200_000])
def test_a_long_source_without_sense_is_read_in_no_time(text: str) -> None:
    unreadable(SOURCE + text)
