"""Timing and its summaries. Tests that need a GPU are skipped without one."""

import hashlib
import json

import pytest
import torch

from course.errors import CourseError
from course.measure import Timings, _warm_up, affordable, copy_ms, summary, time_interleaved
from course.recorded import H200, read

pytestmark = pytest.mark.quick


def test_summary_is_median_and_quartiles_and_robust_against_an_outlier():
    found = summary([4.0, 1.0, 2.0, 3.0, 500.0])
    assert found.median_ms == 3.0
    assert found.iqr_ms == (2.0, 4.0)


def test_summary_of_one_time():
    assert summary([2.0]).iqr_ms == (2.0, 2.0)


@pytest.mark.parametrize(("seconds", "rounds"), [(0.001, 30), (0.5, 20), (1.9, 5), (60.0, 5)])
def test_slow_calls_are_timed_fewer_times(seconds, rounds):
    assert affordable(30, seconds) == rounds
    assert affordable(3, seconds) == 3


@pytest.mark.parametrize(
    ("operations", "name", "ms"),
    [(10**9, "a copy of the same bytes", 0.5), (10**11, "the operations at the arithmetic", 2)],
)
def test_the_roof_is_the_higher_of_the_two_times(operations, name, ms):
    roof = Timings("H200", {}, 10**9, 0.5, operations, 5e13, {}).roof
    assert roof.name.startswith(name) and roof.ms == pytest.approx(ms)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_timing_without_a_gpu_is_refused_in_a_sentence():
    with pytest.raises(CourseError, match="GPU"):
        time_interleaved({"a": lambda: None}, 3)


@pytest.mark.gpu
@pytest.mark.timing
def test_calls_take_turns_and_each_round_starts_with_another():
    order = []
    times = time_interleaved({name: lambda name=name: order.append(name) for name in "abc"}, 3)
    assert "".join(order[-9:]) == "abcbcacab"
    assert {name: len(samples) for name, samples in times.items()} == {"a": 3, "b": 3, "c": 3}


def test_the_first_warm_up_round_may_take_its_time(monkeypatch):
    now = iter([0, 60, 60, 60.5, 61, 61.5])  # one call that compiles, then half a second per call
    monkeypatch.setattr("course.measure.time.perf_counter", lambda: next(now))
    monkeypatch.setattr("torch.cuda.synchronize", lambda: None)
    assert _warm_up([lambda: None]) == 0.5


@pytest.mark.gpu
@pytest.mark.timing
def test_a_call_of_more_work_takes_longer():
    short, long = (torch.zeros(n, device="cuda") for n in (1 << 20, 1 << 28))
    times = time_interleaved({"short": short.zero_, "long": long.zero_}, 5)
    assert summary(times["long"]).median_ms > 10 * summary(times["short"]).median_ms


@pytest.mark.gpu
@pytest.mark.timing
def test_a_copy_of_twice_the_bytes_takes_twice_as_long():
    nbytes = 1 << 30
    assert copy_ms(2 * nbytes) == pytest.approx(2 * copy_ms(nbytes), rel=0.3)


def test_recorded_times_are_read_by_task(tmp_path, monkeypatch):
    path = tmp_path / "h200.json"
    monkeypatch.setattr("course.recorded.H200", path)
    assert read("add") is None
    path.write_text(
        '{"torch": "2.13", "date": "2026-01-01", "tasks": {"add": {"device": "H200", "sizes": {"N": 8}, '
        '"bytes_moved": 96, "copy_ms": 0.5, "operations": 8, '
        '"peak_flops": 1e12, "variants": {"mine": {"median_ms": 1.0, "iqr_ms": [0.9, 1.2]}}}}}'
    )
    found = read("add")
    assert (found.device, found.sizes, found.bytes_moved, found.copy_ms) == ("H200", {"N": 8}, 96, 0.5)
    assert found.variants["mine"].iqr_ms == (0.9, 1.2)
    assert read("other") is None


def test_the_records_keep_the_numbers_that_were_measured():
    """Labels may be reworded by hand, numbers may not."""
    record = json.loads(H200.read_text())
    numbers: list[str] = []
    json.loads(H200.read_text(), parse_float=numbers.append, parse_int=numbers.append)
    digests = {"2026-11-29": "178c308b5e4023c6"}  # a date for each run of `make bench`
    assert hashlib.sha256(json.dumps(numbers).encode()).hexdigest()[:16] == digests[record["date"]]
