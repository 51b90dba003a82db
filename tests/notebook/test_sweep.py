"""`sweep`: the recorded times of pairs of constants, the learner's own pair, and what is measured on a GPU."""

import pytest

from course.errors import CourseError
from course.measure import Summary, Timings
from course.notebook import sweep as module
from course.notebook.compare import Comparison
from course.notebook.sweep import sweep
from tests.notebook.answers import ADD, function

pytestmark = pytest.mark.usefixtures("emulated")

TIMES = {
    f"kLoads = {loads}, kThreads = {threads}": Summary(ms, (ms, ms))
    for (loads, threads), ms in {(1, 64): 0.045, (1, 128): 0.038, (2, 64): 0.037}.items()
}
RECORD = Timings("NVIDIA H200", {"N": 4096}, 134_234_112, 0.0372, 16_777_216, 66.9e12, TIMES)
OWN = f"constexpr int kThreads = 128;\nconstexpr int kLoads = 1;\n{ADD}"
GRID = {"kLoads": (1, 2), "kThreads": (64, 128)}


def test_without_a_gpu_the_record_is_drawn_and_the_learners_pair_is_framed(monkeypatch):
    monkeypatch.setattr(module.recorded, "read", {"vector_add": RECORD}.get)
    found = sweep(function(OWN), task="vector_add", **GRID)
    assert not found.measured and found.median_ms["kLoads = 2, kThreads = 64"] == 0.037
    axes = found.figure.drawing.axes[0]
    words = {tuple(text.xy): text.get_text() for text in axes.texts}
    assert words == {(0, 0): "45.0", (1, 0): "38.0\nyours", (0, 1): "37.0", (1, 1): "not timed"}
    assert [(bar.get_x(), bar.get_y()) for bar in axes.patches if bar.get_linewidth() == 4] == [(0.5, -0.5)]
    assert "kLoads = 1 and kThreads = 128" in repr(found) and 'alt="Table of times' in found._repr_html_()


def test_without_a_record_nothing_is_drawn(monkeypatch):
    monkeypatch.setattr(module.recorded, "read", {}.get)
    assert sweep(function(OWN), task="vector_add", **GRID).figure is None


def test_on_a_gpu_the_learners_kernel_is_timed_with_each_pair(monkeypatch):
    def compare(functions, *, task):
        sources = [each.source for each in functions.values()]
        asked.append(
            [(name, "kLoads = 2;" in s, "kThreads = 64;" in s) for name, s in zip(functions, sources, strict=True)]
        )
        return Comparison(task, RECORD, True, {})

    asked = []
    monkeypatch.setattr(module, "device", lambda: "cuda")
    monkeypatch.setattr(module, "compare", compare)
    assert sweep(function(OWN), task="vector_add", **GRID).measured
    assert asked[0] == [("kLoads = 1, kThreads = 128", False, False)]
    assert ("kLoads = 2, kThreads = 64", True, True) in asked[1] and len(asked[1]) == 4


def test_a_source_without_the_constant_is_refused():
    with pytest.raises(CourseError, match="no line `constexpr int kLoads"):
        sweep(function(ADD), task="vector_add", **GRID)
