"""Estimates from counted traffic: what they say, when two are ordered, and that no record is touched."""

from __future__ import annotations

import json

import pytest

from course import recorded
from course.build import load_inline
from course.notebook.compare import Comparison, compare
from course.notebook.estimate import SHEETS, Estimates
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
    return Estimates({"N": 1000}, {"N": 10}, 10**9, operations, over_least)


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
            "within a launch the caches keep everything",
            "counted at M = 37, N = 52",
            "H200: 4.80 TB/s, 67.0 TFLOP/s; T4: 0.320 TB/s, 8.10 TFLOP/s",
            "By this estimate mine is slower, by its traffic, than known.",
        ):
            assert words.replace("'", "&#x27;") in shown, words
    assert "mine" not in found.figure.alt and "stimate" not in found.figure.alt


def test_with_a_record_of_all_nothing_is_estimated(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.compare._estimates", None)  # not even counted
    found = compare({"known": relu.once}, task="relu")
    assert found.estimates is None and not found.refused and "stimate" not in found._repr_html_()
    assert found == Comparison("relu", recorded.read("relu"), False, {})


def test_what_cannot_be_counted_has_no_estimate_and_the_reason(record, relu):
    found = compare({"known": relu.once, "mine": relu.of_a_copy}, task="relu")
    assert found.estimates is None and found.median_ms == {"known": 3.03}
    assert "no estimate either: Tensors were copied outside of a kernel" in found.refused["mine"]


def test_a_right_answer_that_is_counted_too_slowly_is_not_said_to_hang(record, relu, monkeypatch):
    monkeypatch.setattr("course.notebook.compare.CALL_SECONDS", 0.01)
    found = compare({"known": relu.once, "mine": relu.twice}, task="relu")
    assert "not counted within 0.01 s; run the cell again when" in found.refused["mine"]
    assert "never ends" not in found.refused["mine"]
