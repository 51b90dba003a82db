"""Times calls on a GPU, and times a copy of the same bytes, the roof with which they are compared."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from course.device import gpu
from course.errors import CourseError

WARM_UPS = 3
COPY_ROUNDS = 20
# Slow calls are timed fewer times, so that nobody waits for minutes: the seconds that all rounds may take, and
# the least number of rounds.
ENOUGH_SECONDS = 10
FEWEST_ROUNDS = 5
SLOW_SECONDS = 1  # a warm-up round as long as this is the last one, except the first, in which torch.compile compiles


@dataclass(frozen=True)
class Summary:
    """The median, and the first and third quartile, of many times of one call, in milliseconds."""

    median_ms: float
    iqr_ms: tuple[float, float]


@dataclass(frozen=True)
class Roof:
    """The limit that no variant is expected to beat: a description, and its milliseconds."""

    name: str
    ms: float


@dataclass(frozen=True)
class Timings:
    """What was measured on one device for one task: each variant, and a copy of the bytes that the task must move.

    Attributes
    ----------
    device : str
        The name of the GPU.
    sizes : mapping of str to int
        The sizes of the task at which it was timed.
    bytes_moved : int
        The least bytes that the task must read and write.
    copy_ms : float
        Milliseconds of a copy that moves as many bytes: see `copy_ms`.
    operations : int
        The floating-point operations of the task.
    peak_flops : float
        fp32 operations per second that the device can do: see `course.device.arithmetic_peak`.
    variants : mapping of str to Summary
        The times of each variant, by name.
    """

    device: str
    sizes: Mapping[str, int]
    bytes_moved: int
    copy_ms: float
    operations: int
    peak_flops: float
    variants: Mapping[str, Summary]

    @property
    def roof(self) -> Roof:
        """The longer of two times: that of a copy of the bytes, and that of the operations at the arithmetic peak.

        The model is that of S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance
        Model for Multicore Architectures", CACM 52(4), 2009.
        """
        arithmetic_ms = self.operations / self.peak_flops * 1e3
        if arithmetic_ms > self.copy_ms:
            return Roof("the operations at the arithmetic peak", arithmetic_ms)
        return Roof("a copy of the same bytes", self.copy_ms)


def time_interleaved(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    *,
    before_round: Callable[[], object] = lambda: None,
    after_call: Callable[[str, object], object] = lambda name, result: None,
) -> dict[str, list[float]]:
    """Time calls on the GPU in turns, with device events.

    Before each call, a buffer eight times the size of the L2 cache is written, so that no call finds its inputs in the
    cache. While the device writes, the host queues the call, so that the time to launch is not counted. The calls take
    turns and each round starts with the next one, so that a drifting clock slows all of them alike. The method is that
    of Triton's `triton.testing.do_bench`, interleaved.

    Parameters
    ----------
    calls : mapping of str to callable
        What to time, by name. Each is called without arguments.
    rounds : int
        How often each is called. Slow calls are timed fewer times: see `affordable`.
    before_round : callable, optional
        Called untimed before each round, for instance to change the inputs.
    after_call : callable, optional
        Called untimed after each call, with its name and its result.

    Returns
    -------
    dict of str to list of float
        For each name the samples in milliseconds, in the order of the rounds.

    Raises
    ------
    CourseError
        If this machine has no GPU.
    """
    import torch

    card = gpu()
    if not card:
        raise CourseError("Times are measured on a GPU, and this machine has none: see `course doctor`.")
    flush = torch.empty(8 * card.l2, dtype=torch.uint8, device="cuda")
    names = list(calls)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(affordable(rounds, _warm_up(calls.values()))):
        shift = turn % len(names)
        events = {}
        before_round()
        for name in names[shift:] + names[:shift]:
            events[name] = start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flush.zero_()
            start.record()
            result = calls[name]()
            end.record()
            after_call(name, result)
            del result  # so that the next call's output may be at the same address
        torch.cuda.synchronize()
        for name, (start, end) in events.items():
            times[name].append(start.elapsed_time(end))
    return times


def _warm_up(calls: Collection[Callable[[], object]]) -> float:
    """Make each call a few times, and return the seconds of the last round."""
    import torch

    for turn in range(WARM_UPS):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for call in calls:
            call()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - began
        if turn and seconds > SLOW_SECONDS:
            break
    return seconds


def affordable(rounds: int, seconds: float) -> int:
    """How many of `rounds` to make if one takes `seconds`: at least `FEWEST_ROUNDS`, unless `rounds` is less."""
    return min(rounds, max(FEWEST_ROUNDS, int(ENOUGH_SECONDS / seconds)))


def summary(times: list[float]) -> Summary:
    """Median and quartiles of times in milliseconds.

    Unlike a mean, they are robust against a few slow runs: T. Hoefler and R. Belli, "Scientific Benchmarking of
    Parallel Computing Systems", SC 2015.

    Parameters
    ----------
    times : list of float
        At least one time in milliseconds.

    Returns
    -------
    Summary
        The median, and the first and third quartile by linear interpolation.
    """
    low, median, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    return Summary(median, (low, high))


def copy_ms(bytes_moved: int) -> float:
    """The time of a device-to-device copy: the roof for work that moves as many bytes and computes little.

    Parameters
    ----------
    bytes_moved : int
        The bytes that the copy reads and writes together, so that each tensor has half of them.

    Returns
    -------
    float
        The median in milliseconds.

    Raises
    ------
    CourseError
        If this machine has no GPU.
    """
    import torch

    source = torch.zeros(max(1, bytes_moved // 2), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = time_interleaved({"copy": functools.partial(target.copy_, source)}, COPY_ROUNDS)["copy"]
    del source, target
    torch.cuda.empty_cache()  # the worker is another process, which cannot use memory that is cached here
    return summary(times).median_ms
