"""Least times from what is counted: what they say, whose they are, and that no record is changed."""

from __future__ import annotations

import json

import pytest

from course.build import load_inline
from course.notebook import bets
from course.notebook.bets import Settled
from course.notebook.compare import Comparison, compare
from course.notebook.estimate import estimate
from course.notebook.reset import RELEASED, is_given
from course.notebook.saved import cell_text, read_notebook
from course.recorded import timings
from course.tasks import load_task
from course.worker.cells import Cell
from course.worker.protocol import Answer
from course.worker.worker import Worker
from tests.kernels import kernel

RELU = kernel("estimate/relu")
RECORD = {
    "device": "NVIDIA H200",
    "sizes": {"M": 4096, "N": 393216},
    "bytes_moved": 8 * 4096 * 393216,
    "copy_ms": 3.0,
    "operations": 4096 * 393216,
    "peak_flops": 66.9e12,
    "variants": {"known": {"median_ms": 3.03, "iqr_ms": [3.02, 3.04]}},
}


@pytest.fixture
def record(tmp_path, monkeypatch):
    path = tmp_path / "h200.json"
    path.write_text(json.dumps({"torch": "2.13.0", "date": "2026-01-01", "tasks": {"relu": RECORD}}))
    monkeypatch.setattr("course.recorded.H200", path)
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")


@pytest.fixture(scope="module")
def relu():
    names = ["once", "twice", "of_a_copy"]
    return load_inline("relu", cuda_sources=RELU, functions=names, toolchain="emulator")


def test_a_variant_without_a_record_has_a_least_time_apart_from_what_was_recorded(record, relu):
    found = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert found.median_ms == {"known": 3.03} and "no record of it" in found.refused["mine"]
    # 12,582,912 blocks of 128 threads start in 7.58 ms, and 12.9 GB take 3 ms; with a copy before it, twice as long.
    assert {name: f"{bound.ms:.1f} {bound.binding}" for name, bound in found.estimates.bounds.items()} == {
        "known": "7.6 block starts", "mine": "15.2 block starts",
    }  # fmt: skip
    for shown in (str(found), found._repr_html_()):
        for words in (
            "Not measured: the least time of one call at M = 4096, N = 393216",
            "a bound for the loads as the source writes them",
            "DRAM traffic, 6.0 ms",
            "1.67 times the fewest here",
            "not known",  # how fast blocks start on an A100
        ):
            assert words in shown, words
    # What a least time is may use terms that the notebook has not taught yet.
    assert found._repr_html_().index("<details") < found._repr_html_().index("a bound for the loads")
    assert (
        "Your mine takes at least 15 ms on an H200, bound by block starts; then DRAM traffic, 6.0 ms"
        in found.figure.alt
    )


def test_beside_a_record_stands_the_least_time_of_the_learners_own_kernel(record, relu):
    found = compare({"known": relu.twice}, task="relu")  # the recorded kernel does it only once
    assert not found.refused and found.median_ms == {"known": 3.03}
    assert "Your known takes at least 15 ms on an H200" in found.figure.alt


def test_a_kernel_that_the_notebook_gives_has_only_its_recorded_time(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.reset._given", lambda: frozenset([RELU.strip()]))
    found = compare({"known": relu.once}, task="relu")
    assert found.median_ms == {"known": 3.03} and not found.estimates.bounds and "Not measured" not in str(found)


def test_what_released_notebooks_give_is_known():
    given = [cell_text(cell) for cell in read_notebook(next(RELEASED.glob("01-*/*.ipynb")))["cells"]]
    kernels = [Cell.of(text).source for text in given if text.startswith("%%cuda")]
    assert kernels and all(map(is_given, kernels)) and not is_given(RELU)


def test_each_improvement_moves_the_bound(record):
    """Of row scaling: one thread for each row, one for each element, one block for each row."""
    functions = ["by_row", "by_element", "by_block"]
    module = load_inline("rows", cuda_sources=kernel("estimate/rows"), functions=functions, toolchain="emulator")
    bounds = compare({name: getattr(module, name) for name in functions}, task="row_scaling").estimates.bounds
    assert [bounds[name].binding for name in functions] == ["the busiest block", "block starts", "DRAM traffic"]
    # 16 blocks of 8 warps. For each of 4096 columns, a warp loads and stores 32 words of one bank, at 1.98 GHz.
    assert bounds["by_row"].limits[0].ms == pytest.approx(8 * 4096 * (32 + 32) / 1.98e9 * 1e3, rel=0.01)


def test_all_kernels_are_counted_in_one_worker_and_each_only_once(record, relu, monkeypatch):
    started = []
    monkeypatch.setattr("course.notebook.estimate._COUNTED", {})
    monkeypatch.setattr("course.notebook.estimate.Worker", lambda *args: started.append(args) or Worker(*args))
    first = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert len(started) == 1
    assert compare({"known": relu.once, "mine": relu.twice}, task="relu").estimates == first.estimates
    assert len(started) == 1


def test_one_that_cannot_be_loaded_does_not_keep_others_from_being_counted(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.estimate._COUNTED", {})
    task = load_task("relu", {"M": 37, "N": 52})
    broken, good = Answer("cuda", "#error no", "once"), Answer("cuda", RELU, "once")
    found = estimate(task, {"broken": broken, "good": good}, RECORD["sizes"])
    assert set(found.uncounted) == {"broken"} and set(found.bounds) == {"good"}


def test_a_task_without_sizes_has_least_times_too(record, tmp_path):
    path = tmp_path / "unsized.py"
    path.write_text(
        "import torch\nclass Model:\n    def forward(self, A): return torch.relu(A)\n"
        "def get_inputs(): return [torch.randn(37, 52)]\n"
        "def bytes_moved(): return 8 * 37 * 52\ndef operations(): return 37 * 52\n"
    )
    found = estimate(load_task(path), {"own": Answer("cuda", RELU, "once")}, {})
    assert not found.uncounted and found.demands["own"].blocks == 16  # of 128 threads for 1924 elements
    assert found.demands["own"].dram_bytes == 2 * 241 * 32


def test_no_number_for_a_launch_that_cuda_refuses_at_the_full_size(record, monkeypatch):
    tall = RELU.replace("relu_kernel<<<blocks, 128>>>", "relu_kernel<<<dim3(1, blocks), 128>>>")
    tall = tall.replace("blockIdx.x", "blockIdx.y")  # 12,582,912 blocks along y, where 65,535 is the most
    found = estimate(load_task("relu", {"M": 37, "N": 52}), {"tall": Answer("cuda", tall, "once")}, RECORD["sizes"])
    assert not found.bounds and "65535" in found.uncounted["tall"]


def test_the_factor_of_a_bet_is_said():
    bets = [Settled("known", "slow", 4.0, 3.0)]
    found = Comparison("relu", timings(RECORD), False, {}, bets=bets)
    assert 'Your bet on "known over slow" was 4.00x. The ratio is 3.00x, a factor of 1.3 away.' in str(found)


def test_compare_settles_the_bets_on_its_variants(record, relu, tmp_path, monkeypatch):
    two = {name: {"median_ms": ms, "iqr_ms": [ms, ms]} for name, ms in (("known", 3.0), ("slow", 6.0))}
    tasks = {"relu": {**RECORD, "variants": two}}
    (tmp_path / "h200.json").write_text(json.dumps({"torch": "2.13.0", "date": "2026-01-01", "tasks": tasks}))
    bets.bet("known over slow", 4)
    (made,) = compare({"known": relu.once, "slow": relu.twice}, task="relu").bets
    assert (made.guess, made.factor) == (4, 2.0)
    assert bets.bet("slow over known", 2).late


def test_what_cannot_be_counted_has_no_least_time_and_the_reason(record, relu):
    found = compare({"known": relu.once, "mine": relu.of_a_copy}, task="relu")
    assert set(found.estimates.bounds) == {"known"} and found.median_ms == {"known": 3.03}
    assert "No least time is known for your mine: Tensors were copied outside of a kernel" in str(found)


def test_a_right_answer_that_is_counted_too_slowly_is_not_said_to_hang(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.estimate._COUNTED", {})
    monkeypatch.setattr("course.notebook.estimate.CALL_SECONDS", 0.01)
    found = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert "not counted within 0.01 s; run the cell again when" in str(found) and "never ends" not in str(found)
