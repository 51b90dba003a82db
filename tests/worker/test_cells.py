"""How a cell is read: which lines may be above its magic, and which line numbers its text has."""

from __future__ import annotations

import re

import pytest

from autograder.classroom import ROOT
from course.errors import CourseError
from course.worker.cells import Cell

KERNEL = "#include <cmath>\n__global__ void f() {}\ntorch::Tensor g(torch::Tensor A);"
# What may be above a magic.
ABOVE = [
    "",
    "\n \n",
    "# mine\n",
    "#@title Add\n",
    "// mine\r\n\n",
    "%%time\n",
    "# one\n%%capture --no-stderr\n%%time\n",
    "  ",
]
PYTHON = [
    "",
    "blocks = 3",
    "# %%cuda adder\nx = 1",
    'x = """\n%%cuda adder\n"""',
    "# __global__\n!nvcc --version",
    "%time module = load_inline('f', cpp_sources='torch::Tensor f(torch::Tensor A);')",
    f"%%writefile kernel.cu\n{KERNEL}",
    f'%matplotlib inline\nsource = """{KERNEL}"""',
    "%%cudax adder\nx",
]


@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("magic", ["cuda", "candidate"])
def test_lines_that_say_nothing_may_be_above_a_magic_and_line_numbers_stay(above: str, magic: str) -> None:
    text = f"{above}%%{magic} adder --toolchain nvcc\n{KERNEL}"
    cell = Cell.of(text)
    assert (cell.magic, cell.arguments) == (magic, " adder --toolchain nvcc")
    first = text.split("\n").index("#include <cmath>")
    assert cell.source.split("\n") == [""] * first + KERNEL.split("\n")
    assert cell.around.split() == [word for word in above.split() if word.startswith(("%%", "--"))]


@pytest.mark.parametrize("text", PYTHON)
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert Cell.of(text) == Cell("", "", text)


def test_what_is_timed_is_judged_without_the_magic() -> None:
    assert Cell.of("# mine\n%%time\nblocks = 3").source == "# mine\n\nblocks = 3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"import math\n%%cuda adder\n{KERNEL}",
            "must be on the first line of its cell, but is on line 2: %%cuda adder",
        ),
        (f"# mine\n#include <cmath>\n%%cuda adder\n{KERNEL}", "Move the lines above it below it: #include <cmath>"),
        (f"!pip install x\n%%candidate mine\n{KERNEL}", "%%candidate must be on the first line"),
        (f"%%CUDA adder\n{KERNEL}", "%%CUDA is no magic of the course: write %%cuda NAME"),
        (f"#@title\n%%cu\n{KERNEL}", "%%cu is no magic of the course"),
        (f"%cuda adder\n{KERNEL}", "%cuda is no magic of the course"),
        (f"%% cuda adder\n{KERNEL}", "%% cuda is no magic of the course"),
        (KERNEL, "The line %%cuda NAME is missing"),
    ],
)
def test_a_magic_that_is_misplaced_misspelt_or_missing_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(CourseError, match=re.escape(said)):
        Cell.of(text)


def test_long_texts_are_read_in_linear_time() -> None:
    for text in ("#" * 100_000, " " * 100_000, "'\"" * 50_000, "(" * 100_000, "# x\n" * 25_000, "\"\"\"'''" * 16_000):
        Cell.of(text)


def test_the_editor_finds_the_magic_of_the_same_cells() -> None:
    script = (ROOT / "course" / "labextension" / "static" / "extension.js").read_text()
    magic = re.compile(re.search(r"MAGIC =\s*/(.*)/;", script)[1])
    for above in ABOVE:
        assert magic.match(f"{above}%%cuda adder\n{KERNEL}".replace("\r", ""))[1] == "adder"
    for text in (*PYTHON, KERNEL, f"#include <cmath>\n%%cuda adder\n{KERNEL}", f"x = 1\n%%cuda adder\n{KERNEL}"):
        assert not magic.match(text)
