"""What a notebook calls: marks, magics, comparisons. Everything runs for real, under the emulator."""

import dataclasses
import json
import math
import re

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from nbclient import NotebookClient
from traitlets.config import Config

import course
from course import build, recorded
from course.cells import Candidate, Comparison, answer_of, check, compare, held_against, trace
from course.toolchains.base import CourseError

ADD = """
#include <torch/extension.h>

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int64_t N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
"""
SUBTRACT = ADD.replace("A[i] + B[i]", "A[i] - B[i]")
WILD = ADD.replace("C[i] = A[i] + B[i]", "C[i + (1LL << 40)] = A[i] + B[i]")
TYPO = ADD.replace("if (i < N) C[i]", "if (i < N) D[i]")

CANDIDATE = """
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return A {} B
"""


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """An IPython shell with the course's magics."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    shell.run_cell("%load_ext course").raise_error()
    return shell


def function(source, name="add"):
    return getattr(build.load_inline(name, cuda_sources=source, functions=[name]), name)


# Marks


def test_a_right_kernel_gets_its_points_and_the_mark_is_a_number_to_nbgrader():
    mark = check("vector_add", function(ADD), points=3)
    assert mark == 3.0
    assert isinstance(mark, float) and float(repr(mark)) == 3.0
    assert "3 of 3 points" in mark._repr_html_()
    assert str(mark).startswith("3 of 3 points")


def test_a_function_is_judged_with_the_flags_that_built_it():
    source = ADD.replace("A[i] + B[i]", "A[i] + FACTOR * B[i]")
    for factor, points in ((1, 1.0), (2, 0.0)):
        module = build.load_inline(
            "add", cuda_sources=source, functions=["add"], extra_cuda_cflags=[f"-DFACTOR={factor}"]
        )
        assert check("vector_add", module.add, points=1) == points


def test_a_wrong_kernel_gets_nothing_and_the_reason():
    mark = check("vector_add", function(SUBTRACT), points=3)
    assert mark == 0.0 and float(repr(mark)) == 0.0
    for text in (str(mark), mark._repr_html_()):
        assert "0 of 3 points" in text and "A - B" in text


def test_a_crash_is_a_mark_and_the_next_check_works():
    assert check("vector_add", function(WILD), points=1) == 0.0
    assert check("vector_add", function(ADD), points=1) == 1.0


def test_a_check_without_points_shows_the_verdict_alone():
    mark = check("vector_add", function(SUBTRACT), points=0)
    assert mark == 0.0 and "of 0" not in str(mark) and "A - B" in str(mark)


@pytest.mark.parametrize("points", [-1, math.nan, math.inf, True, "3", None])
def test_points_must_be_a_number(points):
    with pytest.raises(CourseError, match="points must be a number"):
        check("vector_add", None, points=points)


def test_a_prediction_is_judged_by_its_value():
    assert check("first_kernel_blocks", 3907, points=1) == 1.0
    assert check("first_kernel_blocks", 3906, points=1) == 0.0
    right = {"patient 1": "grid", "patient 2": "guard", "patient 3": "index"}
    assert check("first_kernel_clinic", right, points=1) == 1.0
    assert check("first_kernel_clinic", {**right, "patient 3": "guard"}, points=1) == 0.0


def test_a_prediction_in_a_notebook_is_judged_by_its_cell_alone_as_it_is_when_it_is_marked(shell):
    def checked(cell: str) -> str:
        shell.run_cell(cell, store_history=True).raise_error()
        result = shell.run_cell('check("first_kernel_blocks", blocks, points=1)', store_history=True)
        return str(result.result)

    shell.run_cell("from course import check\nN = 1_000_003", store_history=True).raise_error()
    assert "name 'N' is not defined" in checked("blocks = (N + 255) // 256")
    assert "0 of 1 points" in str(shell.user_ns["_"]) and "by the text of its own cell" in str(shell.user_ns["_"])
    assert checked("blocks = 3906\nblocks += 1").startswith("1 of 1 points")
    assert "3906, is not right" in checked("blocks = 3906")


@pytest.mark.parametrize("prediction", [None, {"patient 1": None, "patient 2": None}])
def test_no_prediction_is_not_answered_yet(prediction):
    mark = check("first_kernel_clinic", prediction, points=1)
    assert mark == 0.0 and "Not answered yet" in mark._repr_html_()


def test_numbers_that_have_no_literal_are_written_so_that_they_come_back():
    for number in (math.inf, -math.inf, 0.1, 3, "a'b", (1, "x"), True):
        names = {}
        exec(answer_of(number).source, names)
        assert names["prediction"] == number


@pytest.mark.parametrize("thing", [[1, 2], object(), math], ids=["list", "object", "module"])
def test_what_is_no_answer_is_refused_in_a_sentence(thing):
    with pytest.raises(CourseError, match="is no answer"):
        check("vector_add", thing, points=1)


def test_a_task_that_does_not_exist_and_a_word_that_is_no_set_of_cases():
    with pytest.raises(CourseError, match="vector_add"):
        check("vector_ad", 1, points=1)
    with pytest.raises(CourseError, match="vector_add"):
        check("vector_ad", 1, points=1, cases="hidden")
    with pytest.raises(CourseError, match="There is no task 'None'"):
        check(None, 1, points=1)
    with pytest.raises(CourseError, match="visible"):
        check("vector_add", 1, points=1, cases="all")


def test_a_prediction_of_what_cannot_be_hashed_is_not_right():
    assert check("first_kernel_clinic", {"patient 1": ["grid"]}, points=1) == 0.0


def test_validate_is_shown_the_reason_and_only_where_points_are_missing(monkeypatch):
    monkeypatch.setenv("NBGRADER_VALIDATING", "1")
    with pytest.raises(CourseError, match=r"0 of 3 points.*A - B"):
        check("vector_add", function(SUBTRACT), points=3)
    assert check("vector_add", function(ADD), points=3) == 3.0
    assert check("vector_add", function(SUBTRACT), points=0) == 0.0


def test_hidden_cases_are_judged_where_they_are_and_left_to_the_instructor_elsewhere(tmp_path, monkeypatch):
    only_first_block = ADD.replace("(N + 255) / 256, 256", "1, 256").replace("i < N", "i < N && i < 256")
    assert check("vector-add", function(ADD), points=1, cases="hidden") == 1.0
    assert check("vector_add", function(only_first_block), points=1, cases="hidden") == 0.0
    monkeypatch.setattr(course, "__file__", str(tmp_path / "course" / "__init__.py"))
    mark = check("vector_add", function(ADD), points=1, cases="hidden")
    assert mark == 0.0 and "instructor" in str(mark)


# Magics


def test_cuda_builds_the_cell_and_binds_the_name(shell):
    shell.run_cell(f"%%cuda adder\n{ADD}").raise_error()
    shell.run_cell("import torch\nC = adder.add(torch.ones(3), torch.ones(3)).tolist()").raise_error()
    assert shell.user_ns["C"] == [2.0, 2.0, 2.0]
    shell.run_cell("mark = __import__('course').check('vector_add', adder.add, points=2)").raise_error()
    assert shell.user_ns["mark"] == 2.0


def test_a_cell_that_does_not_build_fails_and_its_old_module_is_gone(shell, capsys):
    shell.run_cell(f"%%cuda adder\n{ADD}").raise_error()
    failed = shell.run_cell(f"%%cuda adder\n{TYPO}")
    assert isinstance(failed.error_in_exec, CourseError)
    # The magic is line 1 of the cell, so the kernel's line is where the editor shows it.
    line = f"%%cuda adder\n{TYPO}".splitlines().index(next(x for x in TYPO.splitlines() if "D[i]" in x)) + 1
    shown = capsys.readouterr()
    assert f"line {line}" in shown.out and "D" in shown.out
    assert "Traceback" not in shown.out and not shown.err
    adder = shell.user_ns["adder"]
    assert "adder did not build" in repr(adder)
    with pytest.raises(CourseError, match="adder did not build"):
        adder.add(1, 2)
    mark = check("vector_add", adder.add, points=2)
    assert mark == 0.0 and f"line {line}" in str(mark)


def test_cuda_takes_a_toolchain(shell):
    shell.run_cell(f"%%cuda adder --toolchain emulator\n{ADD}").raise_error()
    assert shell.user_ns["adder"].add.toolchain == "emulator"
    assert isinstance(shell.run_cell(f"%%cuda adder --toolchain gcc\n{ADD}").error_in_exec, CourseError)


@pytest.mark.parametrize("line", ["", "2x", "class", "a b", "a --fast", "--toolchain emulator"])
@pytest.mark.parametrize("magic", ["cuda", "candidate"])
def test_a_magic_needs_a_name(shell, magic, line):
    error = shell.run_cell(f"%%{magic} {line}\nx").error_in_exec
    assert isinstance(error, CourseError) and f"%%{magic}" in str(error)


def test_candidate_binds_the_script_and_is_judged(shell):
    shell.run_cell(f"%%candidate mine\n{CANDIDATE.format('+')}").raise_error()
    assert isinstance(shell.user_ns["mine"], Candidate)
    assert answer_of(shell.user_ns["mine"]).kind == "candidate"


@pytest.mark.parametrize(
    ("script", "words"),
    [("x = 1\ny = = 2", "Line 3 .*y = = 2"), ("class Model:\n    pass", "ModelNew")],
)
def test_a_candidate_that_cannot_be_right_is_told_at_once(shell, script, words):
    with pytest.raises(CourseError, match=words):
        shell.run_cell(f"%%candidate mine\n{script}").raise_error()


def test_a_python_answer_is_the_whole_cell_that_defines_it(shell):
    shell.run_cell("SIGN = 1\n\ndef plus(A, B):\n    return A + SIGN * B").raise_error()
    answer = answer_of(shell.user_ns["plus"])
    assert (answer.kind, answer.function) == ("python", "plus")
    assert answer.source.startswith("SIGN = 1\n")
    assert check("vector_add", shell.user_ns["plus"], points=1) == 1.0


def test_a_class_of_models_is_an_answer_too(shell):
    shell.run_cell(
        "import torch\nclass Plus(torch.nn.Module):\n    def forward(self, A, B):\n        return A + B"
    ).raise_error()
    answer = answer_of(shell.user_ns["Plus"])
    assert (answer.kind, answer.function) == ("python", "Plus")
    assert check("vector_add", shell.user_ns["Plus"], points=1) == 1.0


def test_a_lambda_has_no_cell_to_send(shell):
    shell.run_cell("plus = lambda A, B: A + B").raise_error()
    with pytest.raises(CourseError, match="def"):
        answer_of(shell.user_ns["plus"])


# Comparisons


RECORD = {
    "torch": "2.13.0",
    "date": "2026-01-01",
    "tasks": {
        "vector_add": {
            "device": "NVIDIA H200",
            "sizes": {"N": 1 << 26},
            "bytes_moved": 12 << 26,
            "copy_ms": 0.2,
            "operations": 2 << 26,
            "peak_flops": 66.9e12,
            "variants": {
                "PyTorch": {"median_ms": 0.4, "iqr_ms": [0.39, 0.42]},
                "mine": {"median_ms": 0.25, "iqr_ms": [0.24, 0.26]},
                "wrong": {"median_ms": 0.1, "iqr_ms": [0.1, 0.1]},
            },
        }
    },
}


@pytest.fixture
def record(tmp_path, monkeypatch):
    path = tmp_path / "h200.json"
    path.write_text(json.dumps(RECORD))
    monkeypatch.setattr("course.recorded.H200", path)


@pytest.fixture
def plus(shell):
    shell.run_cell("def plus(A, B):\n    return A + B").raise_error()
    return shell.user_ns["plus"]


def test_without_a_gpu_only_what_was_recorded_is_drawn_and_only_for_what_is_right(record, plus):
    found = compare(
        {"PyTorch": plus, "mine": function(ADD), "wrong": function(SUBTRACT), "new": plus, "wild": function(WILD)},
        task="vector_add",
    )
    assert found.median_ms == {"PyTorch": 0.4, "mine": 0.25}
    assert not found.measured
    assert set(found.refused) == {"wrong", "new", "wild"}
    assert "A - B" in found.refused["wrong"]
    assert "no record" in found.refused["new"]
    html = found._repr_html_()
    for text in ("recorded on an NVIDIA H200", "1.60x", "80%", "wrong: ", "new: ", 'alt="Bar chart', "N = 67108864"):
        assert text in html, text
    assert "measured on this" not in html
    assert "0.250 ms" in str(found)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="times are measured on a GPU")
def test_on_a_gpu_what_is_right_is_timed_and_nothing_recorded_is_shown(record, plus, monkeypatch):
    monkeypatch.delenv("COURSE_TOOLCHAIN")
    found = compare({"PyTorch": plus, "mine": function(ADD), "wrong": function(SUBTRACT)}, task="vector_add")
    assert found.measured and found.timings.device == torch.cuda.get_device_name()
    assert set(found.median_ms) == {"PyTorch", "mine"} and set(found.refused) == {"wrong"}
    # No kernel is faster than a copy of its bytes, and a simple one of this size is not far from it.
    for ms in found.median_ms.values():
        assert 0.9 * found.timings.copy_ms < ms < 5 * found.timings.copy_ms
    assert "measured on this" in found._repr_html_() and "recorded" not in found._repr_html_()


def test_without_a_record_nothing_is_drawn(tmp_path, monkeypatch, plus):
    monkeypatch.setattr("course.recorded.H200", tmp_path / "none.json")
    found = compare({"PyTorch": plus}, task="vector_add")
    assert found.timings is None and found.figure is None and found.median_ms == {}
    assert "no record" in str(found) and "<img" not in found._repr_html_()


def test_a_function_whose_cell_compares_it_does_not_compare_for_ever(shell):
    cell = "from course import compare\ndef plus(A, B): return A + B\nfound = compare({'p': plus}, task='vector_add')"
    shell.run_cell(cell).raise_error()
    assert "cell of its own" in shell.user_ns["found"].refused["p"]


def test_what_was_measured_comes_with_its_picture_for_the_benchmark_to_record(shell, record):
    timings = recorded.read("vector_add")
    for measured in (True, False):
        data, _ = shell.display_formatter.format(Comparison("vector_add", timings, measured, {}))
        assert {"text/plain", "text/html"} <= data.keys()
        assert (recorded.MIME in data) == measured
        if measured:
            assert json.loads(json.dumps(data[recorded.MIME])) == RECORD["tasks"]


def test_comparing_nothing_is_refused():
    with pytest.raises(CourseError, match="at least one"):
        compare({}, task="vector_add")


def test_a_size_that_the_task_does_not_have_is_refused(plus):
    with pytest.raises(CourseError, match=r"huge.*full, small, tiny"):
        compare({"PyTorch": plus}, task="vector_add", size="huge")


# Traces

REVERSE = """
#include <torch/extension.h>

__global__ void reverse_kernel(const float* A, float* C) {
    __shared__ float tile[64];
    tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[4 * threadIdx.x] = tile[63 - threadIdx.x];
}

torch::Tensor reverse(torch::Tensor A) {
    auto C = torch::zeros({256}, A.options());
    reverse_kernel<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
"""
TABLES = [  # of the kernel above: each of 2 warps makes every request once; the store takes every fourth word
    "line 6: tile[threadIdx.x] = A[threadIdx.x];",
    "load       4             32               2         8        8      1.00x",
    "line 8: C[4 * threadIdx.x] = tile[63 - threadIdx.x];",
    "store      4             32               2         32       8      4.00x",
    "all                      32               4         40       16     2.50x",
    "Global memory: 40 sectors, 2.50x the least",
    "Shared memory: 4 wavefronts, 1.00x the least",
    "Different sectors: 8 read and 32 written, each counted once a launch; DRAM must move these 1,280 bytes",
    "Counted as the source is written",
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
    assert isinstance(reversed_, course.tracing.Trace) and course.trace is trace
    text = repr(reversed_)
    assert text.startswith("✓ No hazard.")
    for line in TABLES:
        assert line in text
    cells = cells_of(reversed_._repr_html_())
    assert cells[:7] == ["operation", "bytes a lane", "lanes a request", "requests", "sectors", "least", "ratio"]
    assert cells[7:15] == ["line 6: tile[threadIdx.x] = A[threadIdx.x];", "load", "4", "32", "2", "8", "8", "1.00x"]
    assert cells[23:31] == ["all lines", "all", "", "32", "4", "40", "16", "2.50x"]
    assert "wavefronts" in cells[31:]


def test_the_table_of_a_trace_has_a_caption_and_heads_that_say_what_they_head(reversed_):
    html = reversed_._repr_html_()
    assert len(re.findall("<caption[^>]*>Global memory: 40 sectors", html)) == 1
    assert html.count('scope="col"') == 2 * 7
    assert len(re.findall('<tbody><tr><th scope="rowgroup" colspan="7"', html)) == 6  # two lines and their sum, twice
    assert "&lt;" not in html and html.count("<tbody>") == html.count("</tbody>") == 6


def test_a_trace_shows_hazards_remarks_and_that_it_is_a_sample(reverse):
    racing = REVERSE.replace("    __syncthreads();\n", "")
    found = trace(function(racing, "reverse"), torch.randn(64))
    for text in (repr(found), found._repr_html_()):
        assert "✗ 1 hazard." in text and "race" in text
        assert "line 6 writes what line 7 reads in another thread; a __syncthreads() is missing" in text
        assert "(block 0, threads" in text
    assert "elements written by one thread, used by another" in found.plot("intervals").alt
    sampled = dataclasses.replace(found, hazards=(), sampled="Traced on 4 of its 8 blocks.", remarks=("One thing.",))
    for text in (repr(sampled), sampled._repr_html_()):
        assert "No hazard" in text and "Traced on 4 of its 8 blocks." in text and "One thing." in text
        assert "Different sectors" not in text  # which are not known of a sample


def test_where_a_hazard_ends_the_kernel_there_is_nothing_to_count_or_to_draw(reverse):
    found = trace(reverse, torch.randn(63))
    assert "out-of-bounds" in repr(found) and "Nothing was counted: no kernel ran to its end." in repr(found)
    assert "ratio" not in repr(found) and "Different sectors" not in repr(found)
    with pytest.raises(CourseError, match=r"^There are no accesses to memory to draw: a hazard ended the kernel\.$"):
        found.plot()


def test_each_picture_of_a_trace_is_drawn_of_what_it_is_about(reversed_):
    said = {what: reversed_.plot(what).alt for what in ("requests", "banks", "tile", "intervals")}
    assert "Line 6 loads A: 32 lanes of 4 bytes, 4 sectors." in said["requests"] == reversed_.plot().alt
    assert "Line 8 stores C: 32 lanes of 4 bytes, 16 sectors; 4 would do." in said["requests"]
    assert "tile" not in said["requests"].replace("`tile[", "").replace("= tile[", "")
    assert "Line 6 stores tile: 32 lanes of 4 bytes, 1 wavefront." in said["banks"] and "sector" not in said["banks"]
    assert "A (64): 64 elements read, once each (elements 0 to 63)." in said["tile"]
    assert "C (256): 64 elements written, once each" in said["tile"]
    assert "Interval 1: tile: 64 elements read (64 threads read)." in said["intervals"]
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
    alt = reversed_.plot("tile", array="C").alt
    assert "C (256): 64 elements written" in alt and "A (64)" not in alt
    with pytest.raises(CourseError, match=r'^There is nothing to draw as "banks" of C in line 8: block'):
        reversed_.plot("banks", array="C", line=8)


def test_of_one_line_both_memories_are_drawn(reversed_):
    alt = reversed_.plot(line=8).alt
    assert "One request of line 8" in alt and "loads tile" in alt and "stores C" in alt and "Line 6" not in alt
    assert "C (256)" not in reversed_.plot("tile", line=6).alt


def test_what_cannot_be_drawn_is_said_with_what_there_is(reversed_):
    def refused(found, *args, **kwargs):
        with pytest.raises(CourseError) as raised:
            found.plot(*args, **kwargs)
        return str(raised.value)

    assert refused(reversed_, line=5) == (
        'There is nothing to draw as "requests" in line 5: block (0, 0, 0) uses global memory in lines 6 and 8 and '
        "shared memory in lines 6 and 8."
    )
    assert refused(reversed_, "lanes") == ('plot draws "requests", "banks", "tile" or "intervals", and not \'lanes\'.')
    added = trace(function(ADD), torch.randn(9), torch.randn(9))
    assert refused(added, "banks") == (
        'There is nothing to draw as "banks": block (0, 0, 0) uses global memory in line 6.'
    )
    part = dataclasses.replace(reversed_, accesses_left_out=7)
    for what in ("tile", "intervals"):
        assert "The block makes 263 accesses, and the first 256 are kept" in refused(part, what)
    assert part.plot().alt == reversed_.plot().alt


def test_arrays_of_two_kernels_are_told_apart():
    kernel = REVERSE[REVERSE.index("__global__") : REVERSE.index("torch::Tensor")]
    launch = REVERSE[REVERSE.index("    reverse_kernel<<<") : REVERSE.index("    return C")]
    source = REVERSE.replace(launch, launch + launch.replace("reverse_kernel", "again"))
    source = source.replace(kernel, kernel + kernel.replace("reverse_kernel", "again"))
    found = trace(function(source, "reverse"), torch.randn(64))
    alt = found.plot("intervals").alt
    assert "tile of reverse_kernel: 64 elements written" in alt and "tile of again: 64 elements written" in alt
    assert "A of again (64): 64 elements read, once each" in found.plot("tile").alt
    assert "again, line 13: tile[threadIdx.x] = A[threadIdx.x];" in repr(found)


def test_a_trace_of_a_cell_has_the_lines_of_the_editor(shell):
    shell.run_cell_magic("cuda", "adder", ADD)
    found = trace(shell.user_ns["adder"].add, torch.randn(9), torch.randn(9))
    assert "line 7: if (i < N) C[i] = A[i] + B[i];" in repr(found)  # the magic's own line is line 1


# Predictions held against what happened


def test_a_prediction_is_shown_beside_what_happened():
    text = str(held_against(2, 3.0, "ms"))
    assert "2" in text and "3" in text and "1.50" in text and "ms" in text
    html = held_against(None, 10_000, "bytes")._repr_html_()
    assert "nothing yet" in html and "told when" in html and "10,000" not in html
    assert "factor" not in str(held_against("grid", "guard"))


def test_of_a_prediction_with_several_parts_each_has_a_column():
    happened = {"naive": 4096, "shape": (2, 3)}
    table = held_against({"shape": (2, 4), "naive": None}, happened, "bytes")
    assert table.rows == [
        ("bytes", "naive", "shape"),
        ("you said", "nothing yet", "(2, 4)"),
        ("it was", "told when you have said something", "(2, 3)"),
    ]
    assert held_against(None, happened).rows[1] == ("you said", "nothing yet", "nothing yet")


# A real kernel


def test_in_a_real_kernel_nothing_reaches_stderr():
    cells = [
        "%load_ext course\nfrom course import check, compare",
        f"%%cuda adder\n{ADD}",
        f"%%cuda broken\n{TYPO}",
        "check('vector_add', adder.add, points=2)",
        "check('vector_add', broken.add, points=2)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert not [out for group in outputs for out in group if out.get("name") == "stderr"]
    broken = [out for out in outputs[2] if out.output_type == "error"]
    assert len(broken) == 1 and "Traceback" not in "".join(broken[0].traceback)
    results = [out.data for group in outputs[3:5] for out in group if out.output_type == "execute_result"]
    assert [data["text/plain"] for data in results] == ["2.0", "0.0"]
    assert "2 of 2 points" in results[0]["text/html"] and "D" in results[1]["text/html"]
