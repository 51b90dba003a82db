"""`trace`: shows how the kernels of one call use memory, in tables and pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from course.errors import CourseError
from course.explain.costs import Lines, busiest, is_wasteful, most_asked
from course.notebook import tracing
from course.notebook.line_marks import hazard_marks, line_mark, marked_lines
from course.notebook.mime import bundle
from course.notebook.pictures.draw import MAX_PANELS, source_line
from course.notebook.pictures.explorer import with_explorer
from course.notebook.pictures.intervals import interval_figure, intervals
from course.notebook.pictures.races import race_figure
from course.notebook.pictures.requests import first_requests, request_figure
from course.notebook.pictures.svg import Figure
from course.notebook.pictures.tiles import tile_figure, uses
from course.notebook.plots import show_ratio
from course.notebook.tables import Table
from course.progress import progress

PLOTS = ("requests", "banks", "tile", "intervals")
UNITS = {"global": "sector", "shared": "wavefront"}


def trace(function: Any, *arguments: Any) -> Trace:
    """Call a function of a `%%cuda` module and trace every access to memory, to show hazards, traffic and pictures.

    The call runs in the emulator, even on a machine with a GPU. The result of the function is discarded.

    Parameters
    ----------
    function : Function
        A function of a `%%cuda` module, such as `relu.forward`.
    *arguments
        The arguments of the function. Small tensors are enough; those on a GPU are copied.

    Returns
    -------
    Trace
        The hazards, traffic and accesses of the call's kernels.

    Raises
    ------
    CourseError
        If the call cannot be traced, because the function is not from a CUDA source or did not build, or because the
        tensors are too large for this machine's memory.
    Exception
        Any exception that the function itself raises. Hazards raise no exception: the Trace lists them.
    """
    with progress(f"Tracing {getattr(function, 'name', 'the function')}"):
        found = tracing.trace(function, *arguments)
    return Trace(**vars(found), source=function.source, cell=function.module)


@dataclass(frozen=True, repr=False)
class Trace(tracing.Trace):
    """How the kernels of one call used memory, in a form that a notebook shows.

    Attributes
    ----------
    source : str
        The text that the line numbers refer to.
    cell : str
        The name of the function's module.

    The other attributes are those of `course.notebook.tracing.Trace`.
    """

    source: str
    cell: str

    def plot(self, what: str = "requests", *, line: int | None = None, array: str | None = None) -> Figure:
        """Draw how block (0, 0, 0) of the first launch of each kernel uses memory.

        Parameters
        ----------
        what : {"requests", "banks", "tile", "intervals"}
            `"requests"`: one request of each line to global memory, with its lanes, addresses and sectors.
            `"banks"`: one request of each line to shared memory, with its banks, counted from the start of the array.
            `"tile"`: the elements of each tensor that the block uses, and how often it uses them.
            `"intervals"`: the elements of shared memory that the block reads and writes between two barriers.
        line : int, optional
            Draw only the accesses of this line of the source. `"requests"` then shows requests to both memories.
        array : str, optional
            Draw only the accesses to the tensor or the shared array of this name.

        Returns
        -------
        Figure
            An SVG, with its content in words.

        Raises
        ------
        CourseError
            If there is nothing to draw, or `"tile"` or `"intervals"` needs more accesses than are kept.
        """
        chosen = tuple(a for a in self.accesses if line in (None, a.line) and array in (None, a.array))
        part = replace(self, accesses=chosen)
        match what:
            case "requests":
                figure = _request_plot(part, "global" if line is None else None)
            case "banks":
                figure = _request_plot(part, "shared")
            case "tile":
                self._check_complete()
                figure = _tile_plot(part)
            case "intervals":
                self._check_complete()
                figure = _interval_plot(part)
            case _:
                raise CourseError(f"plot draws {_listed(PLOTS)}, not {what!r}.")
        if figure is None:
            raise CourseError(self._nothing_to_draw(what, line, array))
        return figure

    def _check_complete(self) -> None:
        """Raise CourseError if the trace did not keep all accesses of the block."""
        if self.accesses_left_out:
            raise CourseError(
                f"The block makes {len(self.accesses) + self.accesses_left_out:,} accesses, but only the first "
                f"{len(self.accesses):,} are kept. Trace smaller tensors for this picture."
            )

    def sectors(self) -> dict[str, int]:
        """The number of sectors that one request of a warp touches in each tensor.

        Returns
        -------
        dict of str to int
            For each tensor, by name, the sectors of the first request to it that `plot("requests")` draws.
        """
        found: dict[str, int] = {}
        for request in first_requests(self.accesses):
            if request.space == "global":
                found.setdefault(request.array, len(request.sectors))
        return dict(sorted(found.items()))

    def wavefronts(self) -> dict[str, int]:
        """The number of wavefronts that serve one request of a warp to shared memory.

        Returns
        -------
        dict of str to int
            For each operation and array, such as `"store tile"`, the wavefronts of the first request that
            `plot("banks")` draws.
        """
        found: dict[str, int] = {}
        for request in first_requests(self.accesses):
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
        return "\n".join(str(part) for part in self._parts() if not isinstance(part, Figure))

    def _repr_html_(self) -> str:
        first, *parts = (
            f"<p>{escape(part)}</p>" if isinstance(part, str) else part._repr_html_() for part in self._parts()
        )
        return f'<div class="course-trace"><strong>{first}</strong>{"".join(parts)}</div>'

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        marks = hazard_marks(self.hazards)
        if self.total("global").requests:
            line = busiest(self.traffic, "sectors")
            if is_wasteful(line, "sectors"):
                marks.append(line_mark(line.line, most_asked(self.traffic, "sectors", Lines(self.source)), "cost"))
        return bundle(**marked_lines(self.cell, self.source, marks))

    def _parts(self) -> list[str | Table | Figure]:
        """The sentences, tables and pictures of the output, from top to bottom."""
        count = len(self.hazards)
        parts: list[str | Table | Figure] = [f"✗ {count} hazard{'s' * (count > 1)}." if count else "✓ No hazard."]
        if count:
            parts.append(Table([("hazard", "what happened"), *((each.kind, each.detail) for each in self.hazards)]))
        if races := race_figure(self.hazards, self.source):
            parts.append(races)
        parts += self.remarks
        if self.sampled:
            parts.append(self.sampled)
        parts += [self._table(space, unit) for space, unit in UNITS.items() if self.total(space).requests]
        if self.total("global").requests and not self.sampled:
            read, written = (
                sum(getattr(launch, way) for launch in self.sectors_touched) for way in ("read", "written")
            )
            parts.append(
                f"Different sectors: {read:,} read and {written:,} written, each counted once per launch; DRAM must "
                f"move these {tracing.SECTOR * (read + written):,} bytes even if the cache keeps everything."
            )
        if self.traffic:
            parts.append("The counts follow the written source: the compiler for a GPU may merge or move loads.")
        elif count:
            parts.append("Nothing was counted: no kernel ran to its end.")
        return parts

    def _table(self, space: str, unit: str) -> Table:
        """A table with the traffic of one memory, line by line, and the sum."""
        rows: list[tuple[str, ...]] = [
            ("operation", "bytes per lane", "lanes per request", "requests", f"{unit}s", "least", "ratio")
        ]
        of_space = [each for each in self.traffic if each.space == space]
        kernels = len({each.kernel for each in of_space})
        above = None
        for each in of_space:
            if above != (above := (each.kernel, each.line)):
                name = f"{each.kernel}, " * (kernels > 1)
                rows.append((f"{name}line {each.line}: {source_line(self.source, each.line)}",))
            rows.append((each.op, str(each.bytes_each), *_costs(each)))
        total = self.total(space)
        if len(of_space) > 1:
            rows += [("all lines",), ("all", "", *_costs(total))]
        units = f"{total.units:,} {unit}{'s' * (total.units != 1)}"
        caption = f"{space.capitalize()} memory: {units}, {show_ratio(total.over_least)} the least"
        return Table(rows, caption)


def _request_plot(trace: Trace, space: str | None) -> Figure | None:
    """A figure of one request of each line to `space`, or to both memories; None if there are no requests."""
    chosen = [access for access in trace.accesses if space in (None, access.space)]
    requests = first_requests(chosen)
    if not requests:
        return None
    lines = {request.line for request in requests}
    summary = f"One request of {'each line' if len(lines) > 1 else f'line {min(lines)}'}"
    title = f"{summary}, by a warp of {_block(trace)}"
    for panels in (MAX_PANELS, MAX_PANELS // 2):  # fewer panels if the explorer has no room for all
        figure = request_figure(requests, trace.source, trace.layouts, title, panels)
        if explorable := with_explorer(figure, summary, chosen, trace.source, trace.layouts):
            return explorable
    return figure


def _tile_plot(trace: Trace) -> Figure | None:
    """A figure of the elements of each tensor that the block uses; None if it uses none."""
    named = _with_kernels_in_names(trace)
    used = uses(named.accesses, named.layouts)
    return tile_figure(used, f"What {_block(trace)} uses") if used else None


def _interval_plot(trace: Trace) -> Figure | None:
    """A figure of what the block does to shared memory between barriers; None if it uses no shared memory."""
    shown = intervals(_with_kernels_in_names(trace).accesses)
    return interval_figure(shown, f"Shared memory between the barriers of {_block(trace)}") if shown else None


def _block(trace: Trace) -> str:
    """The block that is traced and its kernels, in words."""
    return f"block (0, 0, 0) of {', '.join(dict.fromkeys(access.kernel for access in trace.accesses))}"


def _with_kernels_in_names(trace: Trace) -> Trace:
    """The trace. If it has several kernels, the name of each array gets that of its kernel."""
    kernels = {access.kernel for access in trace.accesses}
    if len(kernels) < 2:
        return trace
    accesses = tuple(access._replace(array=f"{access.array} of {access.kernel}") for access in trace.accesses)
    layouts = {f"{array} of {kernel}": layout for array, layout in trace.layouts.items() for kernel in kernels}
    return replace(trace, accesses=accesses, layouts=layouts)


def _costs(each: tracing.Traffic | tracing.Total) -> tuple[str, ...]:
    lanes = f"{each.lanes / each.requests:.3g}"
    return lanes, f"{each.requests:,}", f"{each.units:,}", f"{each.ideal:,}", show_ratio(each.units / each.ideal)


def _listed(words: Iterable[str]) -> str:
    *others, last = (f'"{word}"' for word in words)
    return f"{', '.join(others)} or {last}"


def _lines(numbers: Iterable[int]) -> str:
    *others, last = map(str, numbers)
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"
