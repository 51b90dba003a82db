"""`trace`: its tables and sentences, and which picture it draws for which kernel."""

import dataclasses
import re

import pytest
import torch

import course
from course import build
from course.errors import CourseError
from course.notebook.trace import trace
from tests.kernels import kernel
from tests.notebook.answers import ADD, function

pytestmark = pytest.mark.usefixtures("emulated")

REVERSE = kernel("notebook/reverse")
TABLES = [  # of the kernel above: each of 2 warps makes every request once; the store writes every fourth word
    "line 6: tile[threadIdx.x] = A[threadIdx.x];",
    "load       4               32                 2         8        8      1.00x",
    "line 8: C[4 * threadIdx.x] = tile[63 - threadIdx.x];",
    "store      4               32                 2         32       8      4.00x",
    "all                        32                 4         40       16     2.50x",
    "Global memory: 40 sectors, 2.50x the least",
    "Shared memory: 4 wavefronts, 1.00x the least",
    "Different sectors: 8 read and 32 written, each counted once per launch; DRAM must move these 1,280 bytes",
    "The counts follow the written source",
]


@pytest.fixture(scope="module")
def reverse():
    return build.load_inline("reverse", cuda_sources=REVERSE, functions=["reverse"], toolchain="emulator").reverse


@pytest.fixture(scope="module")
def reversed_(reverse):
    return trace(reverse, torch.randn(64))


def cells_of(html):
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", html)]


def test_a_trace_says_line_by_line_what_was_asked_of_each_memory(reversed_):
    assert isinstance(reversed_, course.notebook.trace.Trace) and course.trace is trace
    text = repr(reversed_)
    assert text.startswith("✓ No hazard.")
    for line in TABLES:
        assert line in text
    cells = cells_of(reversed_._repr_html_())
    assert cells[:7] == ["operation", "bytes per lane", "lanes per request", "requests", "sectors", "least", "ratio"]
    assert cells[7:15] == ["line 6: tile[threadIdx.x] = A[threadIdx.x];", "load", "4", "32", "2", "8", "8", "1.00x"]
    assert cells[23:31] == ["all lines", "all", "", "32", "4", "40", "16", "2.50x"]
    assert "wavefronts" in cells[31:]


def test_the_table_of_a_trace_has_a_caption_and_heads_that_say_what_they_head(reversed_):
    html = reversed_._repr_html_()
    assert len(re.findall("<caption[^>]*>Global memory: 40 sectors", html)) == 1
    assert html.count('scope="col"') == 2 * 7
    groups = re.findall(r'<tbody>\s*<tr><th scope="rowgroup" colspan="7"', html)
    assert len(groups) == 6  # two lines and their sum, twice
    assert "&lt;" not in html and html.count("<tbody>") == html.count("</tbody>") == 6


def test_a_trace_shows_hazards_remarks_and_that_it_is_a_sample(reverse):
    racing = REVERSE.replace("    __syncthreads();\n", "")
    found = trace(function(racing, "reverse"), torch.randn(64))
    for text in (repr(found), found._repr_html_()):
        assert "✗ 1 hazard." in text and "race" in text
        assert "tile[threadIdx.x] = A[threadIdx.x];" in text and ") writes what line 7 (" in text
        assert "(block 0, threads" in text
    sampled = dataclasses.replace(found, hazards=(), sampled="Traced on 4 of its 8 blocks.", remarks=("One thing.",))
    for text in (repr(sampled), sampled._repr_html_()):
        assert "No hazard" in text and "Traced on 4 of its 8 blocks." in text and "One thing." in text
        assert "Different sectors" not in text  # this number is not known for a sample


def test_where_a_hazard_ends_the_kernel_there_is_nothing_to_count_or_to_draw(reverse):
    found = trace(reverse, torch.randn(63))
    assert "out-of-bounds" in repr(found) and "Nothing was counted: no kernel ran to its end." in repr(found)
    assert "ratio" not in repr(found) and "Different sectors" not in repr(found)
    with pytest.raises(CourseError, match=r"^There are no accesses to memory to draw: a hazard ended the kernel\.$"):
        found.plot()


def test_each_picture_of_a_trace_is_drawn_of_what_it_is_about(reversed_):
    said = {what: reversed_.plot(what).alt for what in ("requests", "banks")}
    assert "Line 6 loads A: 32 lanes of 4 bytes, 4 sectors." in said["requests"] == reversed_.plot().alt
    assert "Line 8 stores C: 32 lanes of 4 bytes, 16 sectors; 4 would be enough." in said["requests"]
    assert "tile" not in said["requests"].replace("`tile[", "").replace("= tile[", "")
    assert "Line 6 stores tile: 32 lanes of 4 bytes, 1 wavefront." in said["banks"] and "sector" not in said["banks"]
    assert all("block (0, 0, 0) of reverse_kernel" in alt for alt in said.values())


def test_a_trace_tells_by_tensor_the_sectors_of_the_request_that_it_draws(reversed_):
    assert reversed_.sectors() == {"A": 4, "C": 16}
    assert dataclasses.replace(reversed_, accesses=()).sectors() == {}
    twice = ADD.replace("C[i] = A[i] + B[i];", "{ const float a = A[i];\n C[i] = B[i] + A[i / 2] + a; }")
    found = trace(function(twice), torch.randn(64), torch.randn(64))
    assert list(found.sectors().items()) == [("A", 4), ("B", 4), ("C", 4)]


def test_a_trace_tells_by_operation_and_shared_array_the_wavefronts_of_the_request_that_it_draws(reversed_):
    assert reversed_.wavefronts() == {"store tile": 1, "load tile": 1}
    assert dataclasses.replace(reversed_, accesses=()).wavefronts() == {}
    apart = REVERSE.replace("tile[64]", "tile[256]").replace("tile[threadIdx.x]", "tile[4 * threadIdx.x]")
    apart = apart.replace("tile[63 - threadIdx.x]", "tile[0]")
    assert trace(function(apart, "reverse"), torch.randn(64)).wavefronts() == {"store tile": 4, "load tile": 1}


def test_of_one_array_nothing_else_is_drawn(reversed_):
    assert "tile" in reversed_.plot("banks", array="tile").alt
    with pytest.raises(CourseError, match=r'^There is nothing to draw as "banks" of C in line 8: block'):
        reversed_.plot("banks", array="C", line=8)


def test_of_one_line_both_memories_are_drawn(reversed_):
    alt = reversed_.plot(line=8).alt
    assert "One request of line 8" in alt and "loads tile" in alt and "stores C" in alt and "Line 6" not in alt


def test_what_cannot_be_drawn_is_said_with_what_there_is(reversed_):
    def refused(found, *args, **kwargs):
        with pytest.raises(CourseError) as raised:
            found.plot(*args, **kwargs)
        return str(raised.value)

    assert refused(reversed_, line=5) == (
        'There is nothing to draw as "requests" in line 5: block (0, 0, 0) uses global memory in lines 6 and 8 and '
        "shared memory in lines 6 and 8."
    )
    assert refused(reversed_, "lanes") == ('plot draws "requests" or "banks", not \'lanes\'.')
    added = trace(function(ADD), torch.randn(9), torch.randn(9))
    assert refused(added, "banks") == (
        'There is nothing to draw as "banks": block (0, 0, 0) uses global memory in line 6.'
    )


def test_arrays_of_two_kernels_are_told_apart():
    kernel = REVERSE[REVERSE.index("__global__") : REVERSE.index("torch::Tensor")]
    launch = REVERSE[REVERSE.index("    reverse_kernel<<<") : REVERSE.index("    return C")]
    source = REVERSE.replace(launch, launch + launch.replace("reverse_kernel", "again"))
    source = source.replace(kernel, kernel + kernel.replace("reverse_kernel", "again"))
    found = trace(function(source, "reverse"), torch.randn(64))
    assert "again, line 13: tile[threadIdx.x] = A[threadIdx.x];" in repr(found)


def test_a_trace_of_a_cell_has_the_lines_of_the_editor(shell):
    shell.run_cell_magic("cuda", "adder", ADD)
    found = trace(shell.user_ns["adder"].add, torch.randn(9), torch.randn(9))
    assert "line 7: if (i < N) C[i] = A[i] + B[i];" in repr(found)  # the magic's own line is line 1
