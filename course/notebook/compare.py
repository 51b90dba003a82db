"""`compare`: shows the times of variants of one task: measured here, recorded on an H200, or estimated."""

import functools
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from course import build, recorded
from course.device import FMA_PER_CLOCK, arithmetic_peak, device, free_memory, this_gpu
from course.errors import CourseError
from course.explain.limits import H200, Bound
from course.html import render
from course.measure import Timings, copy_ms, show_ms, summary
from course.notebook.answers import answer_of
from course.notebook.bets import OVER, Settled, settle
from course.notebook.estimate import Estimates, estimate
from course.notebook.plots import Chart, roofline, show_ratio, speedup_chart
from course.notebook.reset import is_given
from course.notebook.tables import Table
from course.progress import interruptible, progress
from course.referee.judge import judge
from course.tasks import Case, Task, load_task
from course.worker.protocol import Answer
from course.worker.worker import Worker

ROUNDS = 30  # calls of each variant that `compare` times


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `compare`: the times, in milliseconds, of the variants that were right, or None if there are none.

    If they were not `measured` here, they were recorded on an H200 with the course's kernels, and `estimates` has the
    least times of the learner's own kernels. `refused` has the reason for each variant without a time, and `bets` the
    learner's bets.
    """

    task: str
    timings: Timings | None
    measured: bool
    refused: Mapping[str, str]
    estimates: Estimates | None = None
    bets: Sequence[Settled] = ()

    @property
    def median_ms(self) -> dict[str, float]:
        """The median time of each variant in milliseconds, by name. Empty if nothing was timed."""
        return {name: s.median_ms for name, s in self.timings.variants.items()} if self.timings else {}

    @functools.cached_property
    def figure(self) -> Chart | None:
        """The chart of times and speed-ups; None if nothing was timed."""
        if not self.timings:
            return None
        return speedup_chart(self.timings.variants, self.timings.roof, self._title(self.timings), self._bounds)

    @property
    def _bounds(self) -> Mapping[str, Bound]:
        """The least times of the learner's own kernels on an H200, by name."""
        return self.estimates.bounds if self.estimates else {}

    @functools.cached_property
    def roofline(self) -> Chart | None:
        """The roofline, with each variant under the device's two roofs; None if nothing was timed."""
        if not self.timings:
            return None
        capability = this_gpu().capability if self.measured else H200.capability
        wavefronts = self.timings.peak_flops / (2 * FMA_PER_CLOCK.get(capability, 128))  # one per clock
        return roofline(self.timings, self._title(self.timings), wavefronts, self._bounds)

    def __repr__(self) -> str:
        parts = [self._origin(), *self._table(), *self._remarks(), *self._estimate(), self._basis]
        return "\n".join(filter(None, map(str, parts)))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """The measured times, which the benchmark records. IPython adds the text and the HTML."""
        return {recorded.MIME: {self.task: asdict(self.timings)}} if self.timings and self.measured else {}

    def _repr_html_(self) -> str:
        figure = [self.figure] if self.figure else []
        parts = [*figure, *self._table(), *self._remarks(), *self._estimate()]
        return render("parts.html", name="comparison", parts=parts, basis=self._basis)

    def _title(self, timings: Timings) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in timings.sizes.items())
        return f"{self.task}, {sizes}, {self._origin()}"

    def _origin(self) -> str:
        if not self.timings:
            return "nothing to draw"
        return f"{'measured on this' if self.measured else 'recorded on an'} {self.timings.device}"

    def _remarks(self) -> list[str]:
        uncounted = self.estimates.uncounted.items() if self.estimates else ()
        unknown = [f"No least time is known for your {name}: {reason}" for name, reason in uncounted]
        bets = map(_describe_bet, self.bets)
        return [*bets, *(f"{name}: {reason}" for name, reason in self.refused.items()), *unknown]

    def _estimate(self) -> list[Table]:
        """The least times of the learner's own kernels, with what limits each."""
        return [Table(self.estimates.rows(), self.estimates.title)] if self.estimates and self._bounds else []

    @property
    def _basis(self) -> str:
        """What the least times are, if there are any."""
        return self.estimates.basis if self.estimates and self._bounds else ""

    def _table(self) -> list[Table]:
        if not self.timings:
            return []
        roof, variants = self.timings.roof, self.timings.variants
        first = next(iter(variants.values())).median_ms
        rows: list[tuple[str, ...]] = [
            ("variant", "median", "middle half of the times", "speed-up", "share of the roof")
        ]
        for name, s in variants.items():
            low, high = map(show_ms, s.iqr_ms)
            speedup, share = show_ratio(first / s.median_ms), f"{roof.ms / s.median_ms:.0%}"
            rows.append((name, show_ms(s.median_ms), f"{low} to {high}", speedup, share))
        rows.append((roof.name, show_ms(roof.ms), "", show_ratio(first / roof.ms), "100%"))
        return [Table(rows)]


@interruptible("compare")
def compare(functions: Mapping[str, object], *, task: str, size: str | None = None) -> Comparison:
    """Time functions that compute the same thing, side by side.

    The values of each function are first compared with the task's reference. A function that is wrong, crashes, hangs
    or does not build is not timed, and the comparison says why. On a GPU, the functions are timed in turns by device
    events (`measure.time_interleaved`). Without a GPU, the values are checked at the tiny size, and the times are those
    that were recorded on an H200 under these names. Then the comparison also shows the least times of the learner's own
    CUDA kernels, by what they ask of a card: see `course.explain.limits`.

    Parameters
    ----------
    functions : mapping of str to object
        The functions to time, by the names that the chart shows. They can be anything that `check` accepts except
        predictions. The first function is the baseline of the speed-ups.
    task : str
        The name of a task that has `bytes_moved()` and `operations()`.
    size : str, optional
        The name of one of the task's sizes; by default the largest size that fits the GPU. It has no effect without a
        GPU.

    Returns
    -------
    Comparison
        The times in milliseconds, with a chart and a roofline.

    Raises
    ------
    CourseError
        If there are no functions, the task or the size is unknown, the task cannot be timed, or one of the functions is
        not an answer.
    """
    if not functions:
        raise CourseError('Give compare at least one function: compare({"name": function}, task="...").')
    measured = device() == "cuda"
    rules = _sized(load_task(task), size, measured)
    if not hasattr(rules.module, "bytes_moved") or not hasattr(rules.module, "operations"):
        raise CourseError(
            f"The task {task} cannot be timed: it does not say how many bytes it moves and how many operations it has."
        )
    right, refused = {}, {}
    for name, answer in {name: answer_of(function) for name, function in functions.items()}.items():
        with progress(f"Checking the values of {name}"):
            verdict = judge(answer, task, cases=[Case(rules.sizes)], traced=False)  # only `check` traces
        if verdict.correct:
            right[name] = answer
        else:
            refused[name] = f"not timed, since it is not right: {verdict.message}"
    timings = _measured(rules, right) if measured else _recorded(task, right)
    bets = settle({name: s.median_ms for name, s in timings.variants.items()}) if timings else []
    if measured:
        return Comparison(task, timings, measured, refused, bets=bets)
    new = [name for name in right if not timings or name not in timings.variants]
    known = recorded.read(task)
    own = {name: answer for name, answer in right.items() if answer.kind == "cuda" and not is_given(answer.source)}
    counted = own | {name: right[name] for name in new}
    estimates = estimate(rules, counted, known.sizes if known else rules.named_sizes[0][1])
    refused |= {name: "right, but there is no record of it on an H200." for name in new}
    return Comparison(task, timings, measured, refused, estimates, bets)


def _describe_bet(bet: Settled) -> str:
    """A bet and its result, in sentences."""
    off = max(bet.guess, bet.factor) / min(bet.guess, bet.factor)
    made = f'Your bet on "{bet.variant}{OVER}{bet.other}" was {show_ratio(bet.guess)}.'
    return f"{made} The ratio is {show_ratio(bet.factor)}, a factor of {off:.2g} away."


def _recorded(task: str, names: Container[str]) -> Timings | None:
    """The recorded times of the variants with these names; None if there are none."""
    timings = recorded.read(task)
    if not timings:
        return None
    variants = {name: s for name, s in timings.variants.items() if name in names}
    return replace(timings, variants=variants) if variants else None


def _sized(task: Task, size: str | None, measured: bool) -> Task:
    """The task at `size`, or at the largest size that fits the GPU for None. Without a GPU, at the smallest size."""
    sizes = dict(task.named_sizes)
    smallest = list(sizes)[-1]
    if size is not None and size not in sizes:
        raise CourseError(f"The task {task.name} has no size {size!r}; it has {', '.join(sizes)}.")
    if not measured:
        size = smallest
    elif size is None:
        # Memory for four times the bytes: the reference in double precision counts twice, and both the referee and the
        # worker hold the tensors.
        fits = (name for name in sizes if 4 * task.sized(sizes[name]).footprint()[0] < free_memory("cuda"))
        size = next(fits, smallest)
    return task.sized(sizes[size])


def _measured(task: Task, answers: Mapping[str, Answer]) -> Timings | None:
    """The times of right answers, which are timed in turns in one worker; None if there are no answers."""
    if not answers:
        return None
    with progress(f"Timing {', '.join(answers)}"), Worker(build.default_toolchain()) as worker:
        for name, answer in answers.items():
            worker.load(name, answer, task)
        times = worker.time(list(answers), task, Case(task.sizes), seed=0, rounds=ROUNDS)
    bytes_moved, operations = task.module.bytes_moved(), task.module.operations()
    variants = {name: summary(samples) for name, samples in times.items()}
    return Timings(
        this_gpu().name, task.sizes, bytes_moved, copy_ms(bytes_moved), operations, arithmetic_peak(), variants
    )
