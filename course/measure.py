"""Times on a GPU, and the roof they are held against: a copy of the same bytes."""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from course.device import gpu
from course.toolchains.base import CourseError

WARM_UPS = 3


@dataclass(frozen=True)
class Summary:
    """Many times of one call, in milliseconds: the median, and the first and third quartile."""

    median_ms: float
    iqr_ms: tuple[float, float]


@dataclass(frozen=True)
class Timings:
    """What was measured on one device for one task: each variant, and a copy of the bytes that the task must move."""

    device: str
    sizes: Mapping[str, int]
    bytes_moved: int
    copy_ms: float
    variants: Mapping[str, Summary]


def time_interleaved(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of `rounds` calls of each, by name, measured with device events.

    Before each call a buffer eight times the size of the L2 cache is written, so that no call finds its inputs there;
    while the device writes, the host queues the call, so that the time to launch is not counted. The calls take turns
    and each round starts with another one, so that a clock that drifts slows all alike. The method is that of Triton's
    `do_bench`, interleaved. Raises CourseError without a GPU.
    """
    import torch

    card = gpu()
    if not card:
        raise CourseError("Times are measured on a GPU, and this machine has none: see `course doctor`.")
    flush = torch.empty(8 * card.l2, dtype=torch.uint8, device="cuda")
    for _, call in itertools.product(range(WARM_UPS), calls.values()):
        call()
    names = list(calls)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        shift = turn % len(names)
        laps = {}
        for name in names[shift:] + names[:shift]:
            laps[name] = start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flush.zero_()
            start.record()
            calls[name]()
            end.record()
        torch.cuda.synchronize()
        for name, (start, end) in laps.items():
            times[name].append(start.elapsed_time(end))
    return times


def summary(times: list[float]) -> Summary:
    """Median and quartiles of at least one time in milliseconds. They bear the odd slow run, which a mean does not
    (T. Hoefler and R. Belli, "Scientific Benchmarking of Parallel Computing Systems", 2015)."""
    low, median, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    return Summary(median, (low, high))


def copy_ms(bytes_moved: int, rounds: int = 20) -> float:
    """Median milliseconds of a device-to-device copy that reads and writes `bytes_moved` bytes in all.

    It is the roof for work that moves these bytes and computes little: S. Williams, A. Waterman and D. Patterson,
    "Roofline: An Insightful Visual Performance Model for Multicore Architectures", CACM 52(4), 2009.
    """
    import torch

    source = torch.zeros(max(1, bytes_moved // 2), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = time_interleaved({"copy": functools.partial(target.copy_, source)}, rounds)["copy"]
    del source, target
    torch.cuda.empty_cache()  # the worker is another process: what is cached here is lost to it
    return summary(times).median_ms
