"""`compare`: the times of variants of one task side by side, measured here, recorded on an H200, or estimated."""

from __future__ import annotations

import functools
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, replace
from html import escape

from course import build, recorded
from course.device import arithmetic_peak, device, free_memory, this_gpu
from course.errors import CourseError
from course.measure import Timings, copy_ms, summary
from course.notebook.answers import answer_of
from course.notebook.estimate import Estimates
from course.notebook.plots import Figure, roofline, show_ms, show_ratio, speedup_chart
from course.notebook.tables import Table
from course.notebook.tracing import SECTOR
from course.progress import progress
from course.referee.judge import judge
from course.referee.trial import CALL_SECONDS
from course.tasks import Case, Task, load_task
from course.worker.handle import Worker
from course.worker.protocol import Answer, TimedOut

ROUNDS = 30  # calls of each variant that `compare` times


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    task : str
        The name of the task.
    timings : Timings or None
        Medians and quartiles, in milliseconds, of the variants that were right; None where there are no times.
    measured : bool
        Whether the times were measured here. If not, they were recorded on an H200.
    refused : mapping of str to str
        For each variant without a time, the reason.
    estimates : Estimates or None
        Estimates by counted traffic, where a variant that was right has no recorded time: of that variant and of the
        others that it can be compared with.
    """

    task: str
    timings: Timings | None
    measured: bool
    refused: Mapping[str, str]
    estimates: Estimates | None = None

    @property
    def median_ms(self) -> dict[str, float]:
        """The median time of each variant in milliseconds, by name; empty where nothing was timed."""
        return {name: s.median_ms for name, s in self.timings.variants.items()} if self.timings else {}

    @functools.cached_property
    def figure(self) -> Figure | None:
        """The chart of times and speed-ups, None where nothing was timed."""
        if not self.timings:
            return None
        return speedup_chart(self.timings.variants, self.timings.roof, self._title(self.timings))

    @functools.cached_property
    def roofline(self) -> Figure | None:
        """The roofline: each variant under the device's two roofs, None where nothing was timed."""
        return roofline(self.timings, self._title(self.timings)) if self.timings else None

    def __repr__(self) -> str:
        return "\n".join([self._origin(), *map(str, [*self._table(), *self._remarks(), *self._estimate()])])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """What the benchmark records; IPython adds the text and the HTML."""
        return {recorded.MIME: {self.task: asdict(self.timings)}} if self.timings and self.measured else {}

    def _repr_html_(self) -> str:
        figure = [self.figure] if self.figure else []
        parts = [*figure, *self._table(), *self._remarks(), *self._estimate()]
        shown = "".join(f"<p>{escape(part)}</p>" if isinstance(part, str) else part._repr_html_() for part in parts)
        return f'<div class="course-comparison">{shown}</div>'

    def _title(self, timings: Timings) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in timings.sizes.items())
        return f"{self.task}, {sizes}, {self._origin()}"

    def _origin(self) -> str:
        if not self.timings:
            return "nothing to draw"
        return f"{'measured on this' if self.measured else 'recorded on an'} {self.timings.device}"

    def _remarks(self) -> list[str]:
        return [f"{name}: {reason}" for name, reason in self.refused.items()]

    def _estimate(self) -> list[str | Table]:
        """What is shown apart from the measured times: title, table, what is assumed, the order."""
        if not self.estimates:
            return []
        sentences, others = [], list(self.estimates.over_least)
        for name in [name for name in others if name not in self.median_ms]:
            others.remove(name)
            if others:
                sentences.append(f"By this estimate {name} is {self.estimates.order(name, others)}.")
        return [f"{self.estimates.title}.", Table(self.estimates.rows()), self.estimates.assumption, *sentences]

    def _table(self) -> list[Table]:
        if not self.timings:
            return []
        roof, variants = self.timings.roof, self.timings.variants
        first = next(iter(variants.values())).median_ms
        rows = [("variant", "median", "middle half of the times", "speed-up", "share of the roof")]
        for name, s in variants.items():
            low, high = map(show_ms, s.iqr_ms)
            speedup, share = show_ratio(first / s.median_ms), f"{roof.ms / s.median_ms:.0%}"
            rows.append((name, show_ms(s.median_ms), f"{low} to {high}", speedup, share))
        return [Table([*rows, (roof.name, show_ms(roof.ms), "", show_ratio(first / roof.ms), "100%")])]


def compare(functions: Mapping[str, object], *, task: str, size: str | None = None) -> Comparison:
    """Time functions that compute the same thing, side by side.

    The values of each function are compared with the task's reference first. One that is wrong, crashes, hangs or does
    not build is named and not timed. On a GPU the times are measured, interleaved, by device events
    (`measure.time_interleaved`). Without a GPU, the values are checked at the tiny size, and the times are those that
    were recorded on an H200 for these names. Where there is no record for a name, its traffic at the tiny size gives an
    estimate.

    Parameters
    ----------
    functions : mapping of str to object
        What to time, by the names that the chart shows: anything that `check` takes except a prediction. The speed-ups
        of the others are over the first one.
    task : str
        The name of a task that has `bytes_moved()` and `operations()`.
    size : str, optional
        The name of one of the task's sizes. By default the largest that fits the GPU. Without a GPU it has no effect.

    Returns
    -------
    Comparison
        Times in milliseconds, with a chart and a roofline.

    Raises
    ------
    CourseError
        If there is nothing to compare: no functions, an unknown task or size, a task that cannot be timed, or something
        that is no answer.
    """
    if not functions:
        raise CourseError('Give compare at least one function: compare({"name": function}, task="...").')
    measured = device() == "cuda"
    rules = _sized(load_task(task), size, measured)
    if not hasattr(rules.module, "bytes_moved") or not hasattr(rules.module, "operations"):
        raise CourseError(f"The task {task} has nothing to time: it does not say what it moves and computes.")
    right, refused = {}, {}
    for name, answer in {name: answer_of(function) for name, function in functions.items()}.items():
        with progress(f"Checking the values of {name}"):
            verdict = judge(answer, task, cases=[Case(rules.sizes)], traced=False)  # `check` traces
        if verdict.correct:
            right[name] = answer
        else:
            refused[name] = f"not timed, since it is not right: {verdict.message}"
    timings = _measured(rules, right) if measured else _recorded(task, right)
    new = [] if measured else [name for name in right if not timings or name not in timings.variants]
    if not new:
        return Comparison(task, timings, measured, refused)
    estimates, reasons = _estimates(rules, right)
    for name in new:
        instead = (
            f"there is no estimate either: {reasons[name]}" if name in reasons else "the estimate is by its traffic."
        )
        refused[name] = f"right, but there is no record of it on an H200; {instead}"
    return Comparison(task, timings, measured, refused, estimates if set(new) - set(reasons) else None)


def _recorded(task: str, names: Container[str]) -> Timings | None:
    """What was recorded for the variants with these names, None if nothing was."""
    timings = recorded.read(task)
    if not timings:
        return None
    variants = {name: s for name, s in timings.variants.items() if name in names}
    return replace(timings, variants=variants) if variants else None


def _estimates(task: Task, answers: Mapping[str, Answer]) -> tuple[Estimates, dict[str, str]]:
    """Estimates of answers by their traffic at the sizes of `task`, and by name why some have none."""
    module, over_least, reasons = task.module, {}, {}
    for name, answer in answers.items():
        with progress(f"Counting what {name} asks of memory"):
            touched, lacking = _sectors_touched(task, answer)
        if lacking:
            reasons[name] = lacking
        else:
            over_least[name] = SECTOR * touched / module.bytes_moved()
    known = recorded.read(task.name)
    sizes = known.sizes if known else task.named_sizes[0][1]
    full = task.sized(sizes).module
    return Estimates(sizes, task.sizes, full.bytes_moved(), full.operations(), over_least), reasons


def _sectors_touched(task: Task, answer: Answer) -> tuple[int, str]:
    """The number of sectors that one call touches, or 0 and why it is unknown."""
    if answer.kind == "python":
        return 0, "only what a CUDA kernel asks of memory can be counted."
    try:
        with Worker("traced", CALL_SECONDS) as worker:
            worker.load("answer", answer, task)
            outcome = worker.run("answer", task, Case(), 0, counting=True)
    except TimedOut:  # the answer is right, so it ends
        return 0, f"its traffic was not counted within {CALL_SECONDS:g} s; run the cell again when less else runs here."
    except CourseError as error:
        return 0, str(error)
    return outcome.sectors_touched, str(outcome.failure or outcome.uncounted)


def _sized(task: Task, size: str | None, measured: bool) -> Task:
    """The task at the size of that name, else at its largest that fits the GPU; at its smallest without a GPU."""
    sizes = dict(task.named_sizes)
    smallest = list(sizes)[-1]
    if size is not None and size not in sizes:
        raise CourseError(f"The task {task.name} has no size {size!r}; it has {', '.join(sizes)}.")
    if not measured:
        size = smallest
    elif size is None:
        # Four times: the reference in double precision, and what the referee and the worker each hold.
        fits = (name for name in sizes if 4 * task.sized(sizes[name]).footprint()[0] < free_memory("cuda"))
        size = next(fits, smallest)
    return task.sized(sizes[size])


def _measured(task: Task, answers: Mapping[str, Answer]) -> Timings | None:
    """The times of answers that are right, interleaved in one worker; None if there are none."""
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
