"""CUDA source as text: comments and literals become blanks, and functions are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.build import bindable_functions
from course.text.cuda import CudaText, line_of
from tests.kernels import kernel

# ----------------------------------------------------------------------------------------------------------------------
# Comments and literals.


@pytest.mark.parametrize(
    ("text", "blanked"),
    [
        ("a // b <<< c\nd", "a           \nd"),
        ("a /* b\nc */ d", "a     \n     d"),
        ('f("<<<", x)', 'f("   ", x)'),
        (r'f("\"<<<", x)', 'f("     ", x)'),
        ("c = '\"'; d = '\\'';", "c = ' '; d = '  ';"),
        ("n = 1'000'000; // '", "n = 1'000'000;     "),
        ('s = R"x(a "quoted" )x"; int b;', 's =  "               "; int b;'),
        ('"// no comment" // comment', '"             "           '),
        ("// continued \\\n still\nno", "              \n      \nno"),
        ('"a" /* "b */ "c"', '" "          " "'),
    ],
)
def test_blank(text: str, blanked: str) -> None:
    got = CudaText(text).blank
    assert len(got) == len(text)
    if 'R"' not in text:
        assert got == blanked
    else:  # how a raw string is blanked does not matter, but what follows it does
        assert "quoted" not in got and got.endswith("; int b;")


@given(st.text(alphabet="ab \n\"'/*\\(){}<>R", max_size=60))
def test_blank_keeps_length_and_lines(text: str) -> None:
    for got in (CudaText(text).blank, CudaText(text).without_comments):
        assert len(got) == len(text)
        assert [i for i, c in enumerate(got) if c == "\n"] == [i for i, c in enumerate(text) if c == "\n"]


def test_lines() -> None:
    assert [line_of("a\nb\nc", offset) for offset in (0, 1, 2, 4)] == [1, 1, 2, 3]


# ----------------------------------------------------------------------------------------------------------------------
# Functions.

FUNCTIONS = kernel("text/functions")


def test_functions_are_found_with_their_parts() -> None:
    found = {function.name: function for function in CudaText(FUNCTIONS).functions}
    assert {"kernel", "helper", "plain", "several", "trailing", "linked", "in_block", "nested", "cdiv"} <= set(found)
    assert not {"fake", "commented", "quoted", "declared", "name", "inner", "if", "for"} & set(found)
    assert found["kernel"].qualifiers >= {"template", "__global__", "void"}
    assert "__launch_bounds__" not in found["kernel"].before
    assert found["nested"].scope and not found["in_block"].scope and not found["plain"].scope
    for function in found.values():
        assert FUNCTIONS[function.begin :].startswith(function.name)
        assert FUNCTIONS[function.body.begin - 1] == "{" and FUNCTIONS[function.body.end] == "}"


def test_prototypes() -> None:
    found = {function.name: " ".join(function.prototype.split()) for function in CudaText(FUNCTIONS).functions}
    assert found["plain"] == "torch::Tensor plain(torch::Tensor A, int n, std::vector<int64_t> v, double x);"
    assert found["several"] == (
        "std::vector<torch::Tensor> several(const torch::Tensor& A, std::optional<torch::Tensor> B);"
    )
    assert found["trailing"] == "auto trailing(torch::Tensor A) -> torch::Tensor;"
    block = 'extern "C" { __global__ void k(float* A) {} }\ntorch::Tensor after(torch::Tensor A) { return A; }'
    assert CudaText(block).functions[-1].prototype == "torch::Tensor after(torch::Tensor A);"
    assert found["linked"] == 'extern "C" torch::Tensor linked(torch::Tensor A);'
    assert found["on_the_host"] == "torch::Tensor on_the_host(torch::Tensor A);"


def test_what_a_cell_magic_binds() -> None:
    assert bindable_functions(FUNCTIONS) == [
        "plain", "several", "trailing", "linked", "in_block", "in_place", "on_the_host",
    ]  # fmt: skip
