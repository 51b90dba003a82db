"""Times calls on a GPU. Also times a copy of as many bytes, which is the roof that the calls are compared with."""

import functools
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from course.device import gpu
from course.errors import CourseError

WARM_UPS = 3
COPY_ROUNDS = 20
# Slow calls are timed in fewer rounds, so that nobody waits for minutes. All rounds together may take ENOUGH_SECONDS,
# but at least FEWEST_ROUNDS rounds are made.
ENOUGH_SECONDS = 10
FEWEST_ROUNDS = 5
SLOW_SECONDS = 1  # a slower warm-up round is the last one, except the first round, in which torch.compile runs


@dataclass(frozen=True)
class Summary:
    """The median and the first and third quartiles of the times of one call, in milliseconds."""

    median_ms: float
    iqr_ms: tuple[float, float]


@dataclass(frozen=True)
class Roof:
    """The least time that any variant is expected to take, in milliseconds, with a description of this limit."""

    name: str
    ms: float


@dataclass(frozen=True)
class Timings:
    """The times of one task on one device: those of each variant, and that of a copy of the bytes that it must move."""

    device: str  # the name of the GPU
    sizes: Mapping[str, int]  # of the task, at which the variants were timed
    bytes_moved: int  # the fewest bytes that the task must read and write
    copy_ms: float  # of a copy that moves `bytes_moved` bytes: see the function `copy_ms`
    operations: int  # the floating-point operations of the task
    peak_flops: float  # fp32 operations per second that the device can do: see `course.device.arithmetic_peak`
    variants: Mapping[str, Summary]  # by name

    @property
    def roof(self) -> Roof:
        """The longer of two times: the time of a copy of the bytes, and the time of the operations at the peak.

        The model is that of S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance
        Model for Multicore Architectures", CACM 52(4), 2009.
        """
        arithmetic_ms = self.operations / self.peak_flops * 1e3
        if arithmetic_ms > self.copy_ms:
            return Roof("the operations at the arithmetic peak", arithmetic_ms)
        return Roof("a copy of the same bytes", self.copy_ms)


def time_interleaved(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Time calls on the GPU in turns, with device events.

    Before each call, a buffer eight times the size of the L2 cache is written, so that no call finds its inputs in the
    cache. While the device writes, the host queues the call, so the time of the launch is not counted. The calls take
    turns, and each round starts with another call, so that a change of the clock affects all calls alike. The method is
    that of Triton's `triton.testing.do_bench`, except that the calls take turns.

    Parameters
    ----------
    calls : mapping of str to callable
        The functions to time, by name. They are called without arguments.
    rounds : int
        How often each function is called. Slow functions are called fewer times: see `affordable`.

    Returns
    -------
    dict of str to list of float
        For each name, the times in milliseconds, in the order of the rounds.

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
        for name in names[shift:] + names[:shift]:
            events[name] = start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flush.zero_()
            start.record()
            result = calls[name]()
            end.record()
            del result  # so that the next call's output may be at the same address
        torch.cuda.synchronize()
        for name, (start, end) in events.items():
            times[name].append(start.elapsed_time(end))
    return times


def _warm_up(calls: Collection[Callable[[], object]]) -> float:
    """Call each function a few times, and return the seconds that the last round took."""
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
    """The number of rounds to make if one takes `seconds`: at least `FEWEST_ROUNDS`, but never more than `rounds`."""
    return min(rounds, max(FEWEST_ROUNDS, int(ENOUGH_SECONDS / seconds)))


def summary(times: list[float]) -> Summary:
    """The median and the quartiles, by linear interpolation, of at least one time in milliseconds.

    Unlike a mean, median and quartiles are robust against a few slow calls: T. Hoefler and R. Belli, "Scientific
    Benchmarking of Parallel Computing Systems", SC 2015.
    """
    low, median, high = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else times * 3
    return Summary(median, (low, high))


def copy_ms(bytes_moved: int) -> float:
    """The median time of a device-to-device copy in milliseconds: the roof of a task that computes little.

    `bytes_moved` is what the copy reads plus what it writes, so each of its two tensors has half of these bytes. Raises
    CourseError if this machine has no GPU.
    """
    import torch

    source = torch.zeros(max(1, bytes_moved // 2), dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = time_interleaved({"copy": functools.partial(target.copy_, source)}, COPY_ROUNDS)["copy"]
    del source, target
    torch.cuda.empty_cache()  # the worker, another process, could not use the cached memory
    return summary(times).median_ms


def show_ms(ms: float) -> str:
    """A time in milliseconds, in words: "0.0354 ms"."""
    return f"{three_digits(ms)} ms"


def three_digits(x: float) -> str:
    """A number with three significant digits, never in powers of ten. A larger whole number keeps all its digits."""
    exponent = int(f"{x:.2e}".split("e")[1])
    return f"{x:.{max(0, 2 - exponent)}f}"
