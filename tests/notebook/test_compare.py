"""`compare`: kernels with recorded times, with measured times, and without any. Everything runs in the emulator."""

import json

import pytest
import torch

from course import recorded
from course.errors import CourseError
from course.notebook.compare import Comparison, compare
from tests.notebook.answers import ADD, SUBTRACT, WILD, function

pytestmark = pytest.mark.usefixtures("emulated")

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


@pytest.mark.gpu
@pytest.mark.timing
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
    assert "separate cell" in shell.user_ns["found"].refused["p"]


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
