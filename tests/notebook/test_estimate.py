"""Estimates from counted traffic: what they say, when two are ranked, and that no record is changed."""

from __future__ import annotations

import json

import pytest

from course.build import load_inline
from course.notebook import bets
from course.notebook.bets import Settled
from course.notebook.compare import Comparison, compare
from course.notebook.estimate import SHEETS, Estimates, estimate
from course.recorded import timings
from course.tasks import load_task
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


def estimates(over_least, operations=0):
    return Estimates({"N": 1000}, {"N": 10}, 10**9, operations, over_least, {})


@pytest.mark.parametrize(
    ("mine", "its", "words"),
    [
        (1.0, 1.0, "not distinguishable by traffic from its"),
        (1.0, 1.49, "not distinguishable by traffic from its"),
        (1.49, 1.0, "not distinguishable by traffic from its"),
        (1.0, 1.5, "faster, by its traffic, than its"),
        (1.5, 1.0, "slower, by its traffic, than its"),
    ],
)
def test_two_are_ordered_where_the_bytes_of_one_are_half_as_many_again(mine, its, words):
    assert estimates({"mine": mine, "its": its}).order("mine", ["its"]) == words


def test_where_arithmetic_takes_longer_than_both_traffic_tells_nothing():
    assert "not distinguishable" in estimates({"mine": 1.0, "its": 9.0}, operations=10**15).order("mine", ["its"])


def test_the_time_is_the_higher_of_bytes_and_operations():
    h200, t4 = SHEETS
    assert (h200.ms(4.8e9, 1), h200.ms(1, 67 * 10**9)) == (1.0, 1.0)
    assert t4.ms(320e6, 81 * 10**8) == 1.0
    (_, moved, ratio, *times) = estimates({"mine": 1.5})._row("mine")
    assert (moved, ratio, times) == ("1500 MB", "1.50", ["0.312 ms", "4.69 ms"])


def test_a_variant_without_a_record_has_an_estimate_apart_from_what_was_recorded(record, relu):
    found = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert found.median_ms == {"known": 3.03}
    assert "no record of it" in found.refused["mine"] and "estimate" in found.refused["mine"]
    ratios = found.estimates.over_least
    assert ratios["known"] == pytest.approx(1, rel=0.01) and ratios["mine"] == pytest.approx(2, rel=0.01)
    for shown in (str(found), found._repr_html_()):
        for words in (
            "Estimate, not measured: the least time of one call at M = 4096, N = 393216",
            "the caches keep everything during a launch",
            "counted at M = 37, N = 52",
            "H200: 4.80 TB/s, 67.0 TFLOP/s; T4: 0.320 TB/s, 8.10 TFLOP/s",
            "By this estimate mine is slower, by its traffic, than known.",
        ):
            assert words.replace("'", "&#x27;") in shown, words
    assert "Your mine takes at least" in found.figure.alt and "mine takes 3" not in found.figure.alt


def test_beside_a_record_stands_the_least_time_of_the_learners_own_kernel_in_few_words(record, relu):
    found = compare({"known": relu.twice}, task="relu")  # the recorded kernel does it only once
    assert not found.refused and found.median_ms == {"known": 3.03}
    assert "Your known takes at least 5.38 ms, computed from its counted sectors" in found.figure.alt
    for shown in (str(found), found._repr_html_()):
        assert "5.38 ms" in shown and "the time to move 32 bytes for each sector" in shown
        assert "Estimate, not measured" not in shown and "T4, by its data sheet" not in shown


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
    assert set(found.uncounted) == {"broken"} and found.over_least["good"] == pytest.approx(1, rel=0.01)


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


def test_what_cannot_be_counted_has_no_estimate_and_the_reason(record, relu):
    found = compare({"known": relu.once, "mine": relu.of_a_copy}, task="relu")
    assert set(found.estimates.over_least) == {"known"} and found.median_ms == {"known": 3.03}
    assert "no estimate either: Tensors were copied outside of a kernel" in found.refused["mine"]
    found = compare({"known": relu.of_a_copy}, task="relu")
    assert not found.estimates.over_least and not found.refused
    assert "No least time is known for your known. Tensors were copied outside of a kernel" in str(found)


def test_a_right_answer_that_is_counted_too_slowly_is_not_said_to_hang(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.estimate._COUNTED", {})
    monkeypatch.setattr("course.notebook.estimate.CALL_SECONDS", 0.01)
    found = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert "not counted within 0.01 s; run the cell again when" in found.refused["mine"]
    assert "never ends" not in found.refused["mine"]
