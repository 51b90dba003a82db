"""What a notebook calls: the magics `%%cuda` and `%%candidate`, `check`, `trace`, `compare`, `held_against`."""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import linecache
import math
import os
import runpy
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from types import FunctionType
from typing import Any

import course
from course import build, pictures, recorded, tracing
from course.build import Unbuilt, UnbuiltFunction
from course.device import arithmetic_peak, device, this_gpu
from course.estimate import Estimates
from course.judge import CALL_SECONDS, judge
from course.measure import Timings, copy_ms, summary
from course.plots import Figure, roofline, show_ms, show_ratio, speedup_chart, three_digits
from course.progress import progress
from course.tasks import Case, Task, free_memory, load_task
from course.toolchains.base import CourseError
from course.verdict import html_table
from course.worker import Answer, TimedOut, Worker, inside_worker, warm

ROUNDS = 30  # calls of each variant that `compare` times


@dataclass(frozen=True)
class Candidate:
    """A whole KernelBench script with its `ModelNew`: what `%%candidate NAME` binds."""

    source: str


class Mark(float):
    """The points of a question, all or none unless its time is marked, with the reason as HTML.

    Its `repr` is the bare number, which is what nbgrader reads; `print(mark)` says why.
    """

    points: float  # what the question gives
    _text: str
    _html: str

    def __new__(cls, points: float, correct: bool, text: str, html: str, share: float = 1.0) -> Mark:
        """`points`: what the question gives, `share`: the part of them that is earned where the answer is correct;
        `text` and `html`: the reason, in either form."""
        mark = super().__new__(cls, points * share if correct else 0.0)
        mark.points, mark._text, mark._html = points, text, html
        return mark

    def __str__(self) -> str:
        return f"{self._head()}{self._text}"

    def _repr_html_(self) -> str:
        return f'<div class="course-mark"><strong>{self._head()}</strong>{self._html}</div>'

    def _head(self) -> str:
        return f"{self:g} of {self.points:g} points. " if self.points else ""  # a check that earns nothing


def check(task: str, function: object, *, points: float, cases: str = "visible") -> Mark:
    """Judge an answer in a process of its own.

    `function` is a function of a `%%cuda` module, what a `%%candidate` cell bound, a Python function or a class of
    models defined in a cell (all of that cell is the answer), or a prediction: a number, a string, a tuple or a dict,
    None for not answered yet.
    `cases` is `"visible"`, or `"hidden"`, which only the instructor's copy of the course has, or `"timed"`, where the
    autograder marks the time beside the solution's.

    Raises CourseError when it cannot judge: an unknown task, bad points, something that is no answer; and, while
    nbgrader validates, when the mark is not full, since Validate shows the learner nothing but errors.
    """
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 <= points < math.inf:
        raise CourseError(f"points must be a number, 0 or more, and it is {points!r}.")
    mark = _judged(task, function, points, _cases(task, cases))
    if os.environ.get("NBGRADER_VALIDATING") and mark < points:
        raise CourseError(str(mark))
    return mark


def _judged(task: str, function: object, points: float, cases: Sequence[Case] | None) -> Mark:
    if cases is None:
        return _unjudged(points, "These cases are judged by the instructor, after you hand in.")
    if function is None or (isinstance(function, dict) and all(value is None for value in function.values())):
        return _unjudged(points, "Not answered yet.")
    answer = answer_of(function)
    if answer.function == "prediction":
        answer = _cell_that_predicts(task) or answer
    with progress(f"Judging {answer.function}") as say:
        verdict = judge(answer, task, cases=cases, progress=say)
    return Mark(points, verdict.correct, verdict.text(), verdict._repr_html_())


def _unjudged(points: float, sentence: str) -> Mark:
    return Mark(points, False, sentence, f"<p>{escape(sentence)}</p>")


def _cases(task: str, which: str) -> Sequence[Case] | None:
    """The cases of a task; None for hidden ones that are not here."""
    rules = load_task(task)
    if which == "visible":
        return rules.cases
    if which == "timed":
        return None
    if which != "hidden":
        raise CourseError(f'cases is "visible", "hidden" or "timed", and it is {which!r}.')
    # By its path, since this package does not import autograder, and a student's copy of the course has none.
    hidden = Path(course.__file__).parents[1] / "autograder" / "hidden" / f"{rules.name}.py"
    return runpy.run_path(str(hidden))["CASES"] if hidden.exists() else None


def answer_of(function: object) -> Answer:
    """The text that is judged, for each thing that may be an answer. Raises CourseError for anything else."""
    if inside_worker():
        # The cell that defines a function is run again to judge it: would it judge too, there would be no end.
        # No CourseError, since this is the answer's mistake and the referee is to say so.
        raise RuntimeError("a cell that defines an answer cannot judge it: put check or compare in a cell of its own")
    match function:
        case build.Function():
            return Answer("cuda", function.source, function.name, function.built_from.cuda_cflags)
        case UnbuiltFunction():
            return Answer("cuda", function.source, function.name)
        case Candidate():
            return Answer("candidate", function.source, "ModelNew")
        case FunctionType():
            return Answer("python", _cell_of(function), function.__name__)
        case type() if isinstance(forward := getattr(function, "forward", None), FunctionType):
            return Answer("python", _cell_of(forward), function.__name__)
        case bool() | int() | str() | tuple() | dict():
            return Answer("python", f"prediction = {function!r}", "prediction")
        case float():
            return Answer("python", f"prediction = float({str(function)!r})", "prediction")
    raise CourseError(
        f"A {type(function).__name__} is no answer: give the function itself (`module.function`, without a call), "
        "the name of a %%candidate cell, or a number, string, tuple or dict."
    )


def _cell_that_predicts(task: str) -> Answer | None:
    """The cell that bound the name in the running cell's `check("task", name, ...)`; None outside a notebook.

    A prediction is marked by its cell's text alone: one that takes a number from another cell must fail here already.
    """
    shell = getattr(builtins, "get_ipython", None)  # there while IPython runs a cell
    if shell is None:
        return None
    *earlier, running = shell().history_manager.input_hist_raw
    for node in ast.walk(_parsed(running)):
        match node:
            case ast.Call(func=ast.Name("check"), args=[ast.Constant(value), ast.Name(name), *_]) if value == task:
                cells = (cell for cell in reversed(earlier) if _binds(cell, name))
                return next((Answer("python", cell, name) for cell in cells), None)
    return None


def _binds(cell: str, name: str) -> bool:
    nodes = ast.walk(_parsed(cell))
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in nodes)


def _parsed(cell: str) -> ast.AST:
    """The tree of a cell, an empty one where it is not plain Python."""
    try:
        return ast.parse(cell)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def _cell_of(function: FunctionType) -> str:
    """The whole text of the cell, or file, that defines a function."""
    text = "".join(linecache.getlines(function.__code__.co_filename))
    if not text or function.__name__ == "<lambda>":
        raise CourseError(
            f"The text of {function.__name__} is not to be found: define it with `def` in a notebook cell."
        )
    return text


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `compare` found.

    `timings` holds the medians and quartiles, in milliseconds, of the variants that were right, measured here or, where
    `measured` is false, recorded on an H200; None where there is nothing to show. `refused` says of each other variant
    why it has no time. `estimates`, where a variant that was right has no record, are by counted traffic: of it, and of
    the others that it can be held against.
    """

    task: str
    timings: Timings | None
    measured: bool
    refused: Mapping[str, str]
    estimates: Estimates | None = None

    @property
    def median_ms(self) -> dict[str, float]:
        """Milliseconds by the name of the variant; empty where nothing was timed."""
        return {name: s.median_ms for name, s in self.timings.variants.items()} if self.timings else {}

    @functools.cached_property
    def figure(self) -> Figure | None:
        """The chart, None where there is nothing to show."""
        if not self.timings:
            return None
        return speedup_chart(self.timings.variants, self.timings.roof, self._title(self.timings))

    @functools.cached_property
    def roofline(self) -> Figure | None:
        """Each variant under the device's two roofs, None where there is nothing to show."""
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
        """What stands apart from the times that were measured: title, table, what is assumed, the order."""
        if not self.estimates:
            return []
        said, others = [], list(self.estimates.over_least)
        for name in [name for name in others if name not in self.median_ms]:
            others.remove(name)
            if others:
                said.append(f"By this estimate {name} is {self.estimates.order(name, others)}.")
        return [f"{self.estimates.title}.", Table(self.estimates.rows()), self.estimates.assumption, *said]

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


@dataclass(frozen=True, repr=False)
class Trace(tracing.Trace):
    """What `trace` saw, for a notebook to show; `source` is the text in which the lines are."""

    source: str

    def plot(self, what: str = "requests", *, line: int | None = None, array: str | None = None) -> Figure:
        """A picture of what block (0, 0, 0) asks of memory.

        `"requests"`: of each line one request to global memory, with the lanes, the addresses and the sectors;
        `"banks"`: of each line one request to shared memory, with the banks, counted from the start of the array;
        `"tile"`: the elements of each tensor that the block uses, and how often; `"intervals"`: what it does to shared
        memory between two barriers. With `line`, that line alone, and of `"requests"` those to both memories; with
        `array`, that tensor or shared array alone. Raises CourseError where there is nothing to draw.
        """
        accesses = [a for a in self.accesses if line in (None, a.line) and array in (None, a.array)]
        block = f"block (0, 0, 0) of {', '.join(dict.fromkeys(access.kernel for access in accesses))}"
        if what not in _PICTURES:
            raise CourseError(f"plot draws {_listed(_PICTURES)}, and not {what!r}.")
        if what in ("tile", "intervals") and self.accesses_left_out:
            raise CourseError(
                f"The block makes {len(self.accesses) + self.accesses_left_out:,} accesses, and the first "
                f"{len(self.accesses):,} are kept: for this picture trace smaller tensors."
            )
        if what == "requests" and line is None:
            accesses = [access for access in accesses if access.space == "global"]
        layouts = self.layouts
        if what in ("tile", "intervals"):
            accesses, layouts = _told_apart(accesses, layouts)
        figure = _PICTURES[what](accesses, layouts, self.source, block)
        if figure is None:
            raise CourseError(self._nothing_to_draw(what, line, array))
        return figure

    def sectors(self) -> dict[str, int]:
        """The sectors that a warp asks for in one request, by tensor: in the first that `plot` draws of each."""
        found: dict[str, int] = {}
        for request in pictures.first_requests(self.accesses):
            if request.space == "global":
                found.setdefault(request.array, len(request.sectors))
        return dict(sorted(found.items()))

    def wavefronts(self) -> dict[str, int]:
        """The wavefronts of one request of a warp to shared memory, by operation and array, such as `"store tile"`.

        It is the first request that `plot` draws of each.
        """
        found: dict[str, int] = {}
        for request in pictures.first_requests(self.accesses):
            if request.space == "shared":
                found.setdefault(f"{request.op} {request.array}", len(request.wavefronts))
        return found

    def _nothing_to_draw(self, what: str, line: int | None, array: str | None) -> str:
        if not self.accesses:
            ended = "a hazard ended the kernel" if self.hazards else "no kernel accessed any"
            return f"There are no accesses to memory to draw: {ended}."
        where = ("" if array is None else f" of {array}") + ("" if line is None else f" in line {line}")
        there = sorted({(access.space, access.line) for access in self.accesses})
        lines = (
            f"{space} memory in {_lines(number for each, number in there if each == space)}"
            for space in dict.fromkeys(space for space, _ in there)
        )
        return f'There is nothing to draw as "{what}"{where}: block (0, 0, 0) uses {" and ".join(lines)}.'

    def __repr__(self) -> str:
        return "\n".join(map(str, self._parts()))

    def _repr_html_(self) -> str:
        first, *parts = (
            part._repr_html_() if isinstance(part, Table) else f"<p>{escape(part)}</p>" for part in self._parts()
        )
        return f'<div class="course-trace"><strong>{first}</strong>{"".join(parts)}</div>'

    def _parts(self) -> list[str | Table]:
        """Sentences and tables, from top to bottom."""
        count = len(self.hazards)
        parts: list[str | Table] = [f"✗ {count} hazard{'s' * (count > 1)}." if count else "✓ No hazard."]
        if count:
            parts.append(Table([("hazard", "what happened"), *((each.kind, each.detail) for each in self.hazards)]))
        parts += self.remarks
        if self.sampled:
            parts.append(self.sampled)
        parts += [self._table(space, unit) for space, unit in _UNITS.items() if self.total(space).requests]
        if self.total("global").requests and not self.sampled:
            read, written = (
                sum(getattr(launch, way) for launch in self.sectors_touched) for way in ("read", "written")
            )
            parts.append(
                f"Different sectors: {read:,} read and {written:,} written, each counted once a launch; DRAM must move "
                f"these {tracing.SECTOR * (read + written):,} bytes even if the cache keeps everything."
            )
        if self.traffic:
            parts.append("Counted as the source is written: the compiler for a GPU may merge or move loads.")
        elif count:
            parts.append("Nothing was counted: no kernel ran to its end.")
        return parts

    def _table(self, space: str, unit: str) -> Table:
        """The traffic of one memory, line by line, and its sum."""
        rows: list[tuple[str, ...]] = [
            ("operation", "bytes a lane", "lanes a request", "requests", f"{unit}s", "least", "ratio")
        ]
        of_space = [each for each in self.traffic if each.space == space]
        kernels = len({each.kernel for each in of_space})
        above = None
        for each in of_space:
            if above != (above := (each.kernel, each.line)):
                name = f"{each.kernel}, " * (kernels > 1)
                rows.append((f"{name}line {each.line}: {pictures.source_line(self.source, each.line)}",))
            rows.append((each.op, str(each.bytes_each), *_costs(each)))
        total = self.total(space)
        if len(of_space) > 1:
            rows += [("all lines",), ("all", "", *_costs(total))]
        units = f"{total.units:,} {unit}{'s' * (total.units != 1)}"
        caption = f"{space.capitalize()} memory: {units}, {show_ratio(total.over_least)} the least"
        return Table(rows, caption)


_UNITS = {"global": "sector", "shared": "wavefront"}


def _costs(each: tracing.Traffic | tracing.Total) -> tuple[str, ...]:
    lanes = f"{each.lanes / each.requests:.3g}"
    return lanes, f"{each.requests:,}", f"{each.units:,}", f"{each.ideal:,}", show_ratio(each.units / each.ideal)


Layouts = Mapping[str, tracing.Layout]


def _told_apart(accesses: list[tracing.Access], layouts: Layouts) -> tuple[list[tracing.Access], Layouts]:
    """Accesses and layouts in which the arrays of several kernels have names of their own."""
    kernels = {access.kernel for access in accesses}
    if len(kernels) < 2:
        return accesses, layouts
    named = {f"{array} of {kernel}": layout for array, layout in layouts.items() for kernel in kernels}
    return [access._replace(array=f"{access.array} of {access.kernel}") for access in accesses], named


def _draw_requests(accesses: Sequence[tracing.Access], layouts: Layouts, source: str, block: str) -> Figure | None:
    requests = pictures.first_requests(accesses)
    lines = {request.line for request in requests}
    title = f"One request of {'each line' if len(lines) > 1 else f'line {min(lines, default=0)}'}, by a warp of {block}"
    return pictures.request_figure(requests, source, layouts, title) if requests else None


def _draw_banks(accesses: Sequence[tracing.Access], layouts: Layouts, source: str, block: str) -> Figure | None:
    return _draw_requests([access for access in accesses if access.space == "shared"], layouts, source, block)


def _draw_tile(accesses: Sequence[tracing.Access], layouts: Layouts, _: str, block: str) -> Figure | None:
    used = pictures.uses(accesses, layouts)
    return pictures.tile_figure(used, f"What {block} uses") if used else None


def _draw_intervals(accesses: Sequence[tracing.Access], _: Layouts, __: str, block: str) -> Figure | None:
    shown = pictures.intervals(accesses)
    return pictures.interval_figure(shown, f"Shared memory between the barriers of {block}") if shown else None


_PICTURES = {"requests": _draw_requests, "banks": _draw_banks, "tile": _draw_tile, "intervals": _draw_intervals}


def _listed(words: Iterable[str]) -> str:
    *others, last = (f'"{word}"' for word in words)
    return f"{', '.join(others)} or {last}"


def _lines(numbers: Iterable[int]) -> str:
    *others, last = map(str, numbers)
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"


def trace(function: Any, *arguments: Any) -> Trace:
    """Call a function of a `%%cuda` module with every access to memory looked at: hazards, traffic, pictures.

    The arguments are those of the function; small tensors do. It runs in the emulator, on a machine with a GPU as
    well, and the result is thrown away. Raises what the function raises, but for hazards, and CourseError
    for what cannot be traced.
    """
    with progress(f"Tracing {getattr(function, 'name', 'the function')}"):
        found = tracing.trace(function, *arguments)
    return Trace(**vars(found), source=function.source)


def compare(functions: Mapping[str, object], *, task: str, size: str | None = None) -> Comparison:
    """Time functions that do the same, side by side; the first is the one the others are measured against.

    The values of each are compared with the task's reference first: one that is wrong, crashes, hangs or does not
    build is named and not timed. On a GPU, at the largest of the task's sizes that fits it, or `size`. Without a GPU,
    the values are checked at the tiny size and the times are those that were recorded on an H200 for these names; where
    there is none for one, its traffic at the tiny size gives an estimate.
    Each function is anything that `check` takes but a prediction. Raises CourseError where there is nothing to compare.
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
    """What was recorded for these variants, None where nothing was."""
    timings = recorded.read(task)
    if not timings:
        return None
    variants = {name: s for name, s in timings.variants.items() if name in names}
    return replace(timings, variants=variants) if variants else None


def _estimates(task: Task, answers: Mapping[str, Answer]) -> tuple[Estimates, dict[str, str]]:
    """Estimates of answers by what they ask of memory at the sizes of `task`, and why some have none."""
    module, over_least, reasons = task.module, {}, {}
    for name, answer in answers.items():
        with progress(f"Counting what {name} asks of memory"):
            touched, lacking = _sectors_touched(task, answer)
        if lacking:
            reasons[name] = lacking
        else:
            over_least[name] = tracing.SECTOR * touched / module.bytes_moved()
    known = recorded.read(task.name)
    sizes = known.sizes if known else task.named_sizes[0][1]
    full = task.sized(sizes).module
    return Estimates(sizes, task.sizes, full.bytes_moved(), full.operations(), over_least), reasons


def _sectors_touched(task: Task, answer: Answer) -> tuple[int, str]:
    """The sectors that one call touches, or 0 and why they cannot be told."""
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
    """The task at a size by name, or at its largest that fits the GPU; at its smallest where nothing is measured."""
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
    """The times of answers that are right, taken in turns in one worker; None where there are none."""
    if not answers:
        return None
    with progress(f"Timing {', '.join(answers)}"), Worker(build.default_toolchain()) as worker:
        for name, answer in answers.items():
            worker.load(name, answer, task)
        times = worker.time(list(answers), task, Case(task.sizes), seed=0, rounds=ROUNDS)
    bytes_moved, operations = task.module.bytes_moved(), task.module.operations()
    variants = {name: summary(laps) for name, laps in times.items()}
    return Timings(
        this_gpu().name, task.sizes, bytes_moved, copy_ms(bytes_moved), operations, arithmetic_peak(), variants
    )


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of text, the first of them the heads, shown as a table in a notebook: see `html_table`."""

    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __repr__(self) -> str:
        whole = [row for row in self.rows if len(row) == len(self.rows[0])]
        widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in self.rows]
        return "\n".join([self.caption] * bool(self.caption) + lines)

    def _repr_html_(self) -> str:
        return html_table(self.rows[0], self.rows[1:], self.caption)


def held_against(
    prediction: float | str | dict[str, object] | None, happened: float | str | dict[str, object], unit: str = ""
) -> Table:
    """A prediction beside what happened, as a table of two rows.

    Two numbers have their ratio beside them; of a dict each key has a column. What happened is not told to who has not
    said anything yet.
    """
    if isinstance(happened, dict):
        said = prediction if isinstance(prediction, dict) else {}
        yours = (_shown(said.get(key)) for key in happened)
        facts = (_told(said.get(key), value) for key, value in happened.items())
        return Table([(unit, *happened), ("you said", *yours), ("it was", *facts)])
    rows: list[tuple[str, ...]] = [("", unit or "value"), ("you said", _shown(prediction))]
    rows.append(("it was", _told(prediction, happened)))
    numbers = [x for x in (prediction, happened) if isinstance(x, int | float) and not isinstance(x, bool) and x > 0]
    if len(numbers) == 2:
        factor = max(numbers) / min(numbers)
        remarks = ("", "exactly" if factor == 1 else f"off by a factor of {three_digits(factor)}", "")
        rows = [(*row, remark) for row, remark in zip(rows, remarks, strict=True)]
    return Table(rows)


def _told(prediction: object, happened: object) -> str:
    return "told when you have said something" if prediction is None else _shown(happened)


def _shown(value: object) -> str:
    if value is None:
        return "nothing yet"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)


def load_magics(shell: Any) -> None:
    """Give an IPython shell `%%cuda` and `%%candidate`."""

    def cuda(line: str, cell: str) -> None:
        """`%%cuda NAME [--toolchain torch|nvcc|emulator]`: build the cell as CUDA source and bind NAME to the module.

        The same as `NAME = course.load_inline("NAME", cuda_sources=<this cell>, functions=[...])` with the functions
        that take or return tensors.
        """
        name, toolchain = _named("cuda", line)
        # The magic's own line is line 1 in the editor, so the source begins with an empty one: line numbers agree.
        source = "\n" + cell
        shell.push({name: Unbuilt(name, source)})
        start = time.monotonic()
        functions = build.bindable_functions(source)
        module = build.load_inline(name, cuda_sources=source, functions=functions, toolchain=toolchain)
        shell.push({name: module})
        print(f"{name} is built, in {time.monotonic() - start:.1f} s.")

    def candidate(line: str, cell: str) -> None:
        """`%%candidate NAME`: bind NAME to the cell's text, a whole KernelBench script with `ModelNew`."""
        name, toolchain = _named("candidate", line)
        if toolchain:
            raise CourseError("%%candidate takes a name and nothing else: its own text says how it is built.")
        source = "\n" + cell  # as above
        shell.push({name: Candidate(source)})
        _check_script(source)

    warm()  # the first check will not have to wait for it
    shell.register_magic_function(cuda, "cell", "cuda")
    shell.register_magic_function(candidate, "cell", "candidate")


def _named(magic: str, line: str) -> tuple[str, str | None]:
    """The name and the toolchain that stand behind a magic."""
    match line.split():
        case [name]:
            toolchain = None
        case [name, "--toolchain", toolchain]:
            pass
        case _:
            name, toolchain = "", None
    if not name.isidentifier() or keyword.iskeyword(name):
        raise CourseError(f"Write %%{magic} and the Python name it shall bind, as in `%%{magic} scale`.")
    return name, toolchain


def _check_script(source: str) -> None:
    """Raise CourseError where a candidate is no Python or has no `ModelNew`: sooner than when it is judged."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise CourseError(f"Line {error.lineno} is not valid Python ({error.msg}): {text}") from None
    if not any(isinstance(node, ast.ClassDef) and node.name == "ModelNew" for node in tree.body):
        raise CourseError("A candidate must define the class ModelNew: this cell does not.")
