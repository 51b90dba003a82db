"""Copies are found, whatever was done to hide them, and what several people wrote on their own is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from autograder import similar
from autograder.cells import answers_in, is_code
from autograder.classroom import ROOT
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.similar import SOLUTION, Text, alike, equal, marked, text_of

pytestmark = pytest.mark.quick
TYPES = "int|float|int64_t|float4|auto|unsigned|double|void"
NAMES = re.compile(rf"\b(?:{TYPES})\s*\*?\s*(?:const\s+)?(?:__restrict__\s+)?([A-Za-z_]\w*)")

# Of the honest kernels, only one of two that differ in a line. One of them is the instructor's.
HONEST = {
    SOLUTION if path.stem == "matmul-register-tile" else path.stem: path.read_text()
    for path in sorted((ROOT / "tests" / "honest").glob("*.cu"))
    if path.stem != "scale-rows-shared-outside"
}
SHORT = [f"rows = (M + {n}) // {n + 1}\nblocks = rows * ((N + {n}) // {n + 1})" for n in range(20)]


def renamed(source: str) -> str:
    for number, name in enumerate(sorted({name for name in NAMES.findall(source)}, reverse=True)):
        source = re.sub(rf"\b{name}\b", f"mine_{number}", source)
    return source


def commented(source: str) -> str:
    lines = re.sub("//.*", "", source).split("\n")
    return "\n".join(f"  {line}  // my step {number}" for number, line in enumerate(lines) if line.strip())


def reordered(source: str) -> str:
    """With pairs of neighbouring declarations exchanged."""
    declaration = r"( +(?:const )?(?:int|int64_t|float|auto) \w+ = [^;\n]*;)"
    pair = re.compile(rf"^{declaration}\n{declaration}$", re.MULTILINE)
    other = pair.sub(r"\2\n\1", source)
    assert other != source
    return other


def inlined(source: str) -> str:
    """`relu-sign-bit` with the body of its function in place of the call."""
    head, body, rest = re.split(r"__device__ .*\{\n|\n\}\n", source, maxsplit=2)
    call = "y[i] = relu_bits(__ldg(&x[i]));"
    assert call in rest
    return head + rest.replace(call, "{\n" + body.replace("float x", "x").replace("return", "y[i] =") + "\n}")


COPIES: dict[str, tuple[str, Callable[[str], str]]] = {
    "ann": ("matmul-pipeline-copies", renamed),
    "ben": ("matmul-dot-by-warps", reordered),
    "cho": ("softmax-online", commented),
    "dev": ("relu-sign-bit", inlined),
    "eve": ("scale-rows-warp-per-row", lambda source: commented(renamed(source))),
    "fay": ("softmax-three-kernels", lambda source: renamed(reordered(source))),
    "gus": ("matmul-double-buffer", lambda source: source.replace("16", "32")),
    "hal": ("relu-three-dimensions", lambda source: commented(reordered(renamed(source)))),
    "ida": (SOLUTION, renamed),
    "jon": (SOLUTION, lambda source: commented(reordered(source))),
}


def text(who: str, source: str, skeleton: str = "") -> Text:
    return text_of(who, f"%%cuda mine\n{source}", f"%%cuda mine\n{skeleton}")


def test_all_copies_are_found_and_no_other_pair():
    texts = [text(who, source) for who, source in HONEST.items()]
    texts += [text(who, change(HONEST[of])) for who, (of, change) in COPIES.items()]
    texts += [text_of(f"short {number}", source, "rows = None\nblocks = None") for number, source in enumerate(SHORT)]
    found = {frozenset((one.who, other.who)): share for one, other, share, _ in alike(texts)}
    expected = {frozenset((who, of)) for who, (of, _) in COPIES.items()}
    assert found.keys() == expected | {frozenset(("ida", "jon"))}  # both have the solution


def test_a_copy_is_found_in_the_smallest_class_and_what_it_shares_is_marked():
    source = HONEST["matmul-dot-by-warps"]
    ((one, other, share, shared),) = alike(
        [text("ada", source), text("bob", renamed(source) + "\nint more() { return 1; }\n")]
    )
    assert share == 1 and "".join(part for _, part in marked(one, shared)) == one.source
    assert "more" not in "".join(part for there, part in marked(other, shared) if there)


def test_a_line_above_the_magic_and_space_hide_nothing_and_take_no_time():
    source = HONEST["matmul-dot-by-warps"]
    spread = text_of("bob", "# mine\n%%cuda mine\n" + "\n" * 40_000 + source.replace(" = ", " " * 400 + "= "), "")
    ((_, _, share, _),) = alike([text("ada", source), spread])
    assert share > 0.9


def test_a_copy_in_a_macro_is_found():
    source = HONEST["softmax-online"]
    kernel = r"(__global__[^{]*\{\n)(.*?)(\n\}\n)"
    skeleton = re.sub(kernel, r"\1\3", source, flags=re.DOTALL)
    body = re.sub("//.*", "", re.search(kernel, source, re.DOTALL)[2]).replace("\n", " \\\n")
    macro = f"#define BODY \\\n{body}\n" + re.sub(kernel, r"\1  BODY\3", source, flags=re.DOTALL)
    ((_, _, share, _),) = alike([text("ada", source, skeleton), text("bob", macro, skeleton)])
    assert share > 0.8
    assert not text("eve", "#" * 19_000).passages


PROSE = (
    """The loads of a warp are 128 bytes apart, so each of the 32 threads needs another sector. That is, every request
    moves 32 sectors, and only 4 bytes of each are used. The next row needs the same sectors again, but by then they
    have left the cache, so the memory moves eight times as much as needed.""",
    """In the trace we see that neighbouring threads read addresses which differ by a whole row. So a warp touches
    thirty-two sectors, where four would be enough. Since the stores are contiguous, they cost only four sectors, and
    the ratio of both explains why the kernel is slow, even though it does little work.""",
    """Because thread i reads element i times n, consecutive threads are not next to each other in memory. Each load,
    which could be served by four sectors, takes 32. If I swap the loops, so that the thread index runs along the row,
    the reads are coalesced, and the time falls. That is what the second trace shows, with 4 sectors for each load.""",
)


def test_prose_is_compared_by_its_words():
    plain = [re.sub("[,.]", "", each) for each in PROSE]
    texts = [text_of(f"student {number}", each, "YOUR ANSWER HERE", prose=True) for number, each in enumerate(plain)]
    assert all(each.passages for each in texts) and not list(alike(texts))
    copy = text_of("copy", "**Answer:** " + PROSE[0].replace("sector", "Sector"), "YOUR ANSWER HERE", prose=True)
    ((one, other, share, _),) = alike([*texts, copy])
    assert {one.who, other.who} == {"student 0", "copy"} and share > 0.9


def test_right_predictions_are_no_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = "08-model-new"
    folder = ROOT / "solutions" / name
    solved = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    wrong, _ = ClearSolutions().preprocess(deepcopy(solved), {})
    handed_in = [SimpleNamespace(student=f"{number}", taken=wrong) for number in range(9)]
    for each in handed_in[:3]:
        each.taken = deepcopy(wrong)
        for there, cell in answers_in(each.taken).items():
            cell.source = cell.source if is_code(cell) else answers_in(solved)[there].source
    monkeypatch.setattr(similar, "submissions", lambda *_: handed_in)
    course = SimpleNamespace(folder=tmp_path, solution=lambda *_: folder / f"{name}.ipynb")
    assert similar.similar(course, name)[1:] == (0, 0)


def test_what_the_skeleton_has_is_nobodys():
    source = HONEST["matmul-dot-by-warps"]
    assert not list(alike([text(who, source, source) for who in ("ada", "bob")]))


KERNELS = (
    """int row = blockIdx.x;
    for (int c = threadIdx.x; c < N; c += blockDim.x) {
        C[row * N + c] = A[row] * B[row * N + c];
    }""",
    """const float* b = B + blockIdx.x * N;
    float* c = C + blockIdx.x * N;
    const float s = A[blockIdx.x];
    for (int64_t j = threadIdx.x; j < N; j += kThreads) c[j] = s * b[j];""",
)


def test_a_short_kernel_that_most_would_write_is_no_copy_and_a_launch_that_the_notebook_shows_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name, asked = "01-row-scaling", "01-row-block"
    folder = ROOT / "solutions" / name
    solved = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    released, _ = ClearSolutions().preprocess(deepcopy(solved), {})
    launch = re.findall("BEGIN SOLUTION\n(.*?)// END", answers_in(solved)[asked].source, re.DOTALL)[1]

    def handed_in(who: str, kernel: str) -> SimpleNamespace:
        taken = deepcopy(released)
        cell = answers_in(taken)[asked]
        for own in (kernel, launch):
            cell.source = cell.source.replace("// YOUR CODE HERE", own, 1)
        return SimpleNamespace(student=who, taken=taken)

    class_ = [handed_in(f"{number}", kernel) for number, kernel in enumerate(KERNELS)]
    monkeypatch.setattr(similar, "submissions", lambda *_: class_)
    course = SimpleNamespace(folder=tmp_path, solution=lambda *_: folder / f"{name}.ipynb")
    assert similar.similar(course, name)[1:] == (0, 0)
    class_.append(handed_in("copy", renamed(KERNELS[1])))
    assert similar.similar(course, name)[1:] == (1, 0)


def test_equal_answers_of_more_than_a_third_are_one_group():
    source = HONEST["matmul-dot-by-warps"]
    texts = [text(f"copy {number}", change(source)) for number, change in enumerate([renamed, commented] * 3)]
    texts += [text(who, HONEST[who]) for who in ("softmax-online", "relu-sign-bit", "relu-recursion")]
    assert not list(alike(texts))  # what most have is nobody's own
    (group,) = equal(texts)
    assert [each.who for each in group] == [f"copy {number}" for number in range(6)]
    assert not equal([text_of(f"short {number}", "rows = 1", "rows = None") for number in range(9)])


def test_a_cell_that_the_notebook_refuses_is_compared_as_it_is():
    assert text_of("ada", "%%nvcc adder\nint i;", "").who == "ada"
