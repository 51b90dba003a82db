"""`sweep`: the times of a kernel for each pair of values of two of its constants, as a map in colours."""

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from course import recorded
from course.build import UnbuiltFunction
from course.device import device
from course.errors import CourseError
from course.html import render
from course.notebook.answers import answer_of
from course.notebook.compare import Comparison, compare
from course.notebook.plots import Chart, time_map


@dataclass(frozen=True, repr=False)
class Sweep(Comparison):
    """The times of `compare` for each pair of `constants`, and the pair of the learner's source, `own`."""

    constants: Mapping[str, Sequence[int]] = field(default_factory=dict)
    own: tuple[int, ...] = ()

    @functools.cached_property
    def figure(self) -> Chart | None:
        if not self.timings:
            return None
        times = {pair: self.median_ms.get(_named(self.constants, pair)) for pair in _pairs(self.constants)}
        return time_map(times, self.constants, self.own, self.timings.copy_ms, self._title(self.timings))

    def __repr__(self) -> str:
        return "\n".join(map(str, [self.figure or self._origin(), *self._remarks()]))

    def _repr_html_(self) -> str:
        figure = [self.figure] if self.figure else []
        return render("parts.html", name="comparison", parts=[*figure, *self._remarks()])


def sweep(function: object, *, task: str, **constants: Sequence[int]) -> Comparison:
    """Time a kernel with other values of two `constexpr int` constants of its source.

    On a GPU, the kernel is built, judged and timed with each pair of values. Without a GPU, the times are those that
    were recorded on an H200 with the course's kernel.

    Parameters
    ----------
    function : object
        A function of a `%%cuda` module.
    task : str
        The name of a task that `compare` can time.
    **constants : sequence of int
        The values of each of the two constants, by its name: the first names the rows of the map, the second the
        columns.

    Returns
    -------
    Comparison
        The times in milliseconds. If the kernel as it stands is not right, a comparison that says so.

    Raises
    ------
    CourseError
        If the source has no such constant, or as `compare` does.
    """
    answer = answer_of(function)
    found = {name: re.search(_CONSTANT.format(name), answer.source) for name in constants}
    if missing := [name for name, match in found.items() if not match]:
        raise CourseError(f"The source has no line `constexpr int {missing[0]} = ...;` with a number.")
    own = tuple(int(match[2]) for match in found.values() if match)
    if device() != "cuda":
        return Sweep(task, recorded.read(task), False, {}, constants=constants, own=own)
    alone = compare({_named(constants, own): function}, task=task)
    if alone.refused:
        return alone

    def changed(pair: tuple[int, ...]) -> UnbuiltFunction:
        source = answer.source
        for name, value in zip(constants, pair, strict=True):
            source = re.sub(_CONSTANT.format(name), rf"\g<1>{value};", source)
        return UnbuiltFunction("sweep", answer.function, source)

    all_of = compare({_named(constants, pair): changed(pair) for pair in _pairs(constants)}, task=task)
    return Sweep(task, all_of.timings, True, all_of.refused, constants=constants, own=own)


_CONSTANT = r"(constexpr int {} = )(\d+);"


def _pairs(constants: Mapping[str, Sequence[int]]) -> list[tuple[int, ...]]:
    return list(itertools.product(*constants.values()))


def _named(constants: Mapping[str, Sequence[int]], pair: tuple[int, ...]) -> str:
    """The name of a pair in a record, such as "kLoads = 2, kThreads = 128"."""
    return ", ".join(f"{name} = {value}" for name, value in zip(constants, pair, strict=True))
