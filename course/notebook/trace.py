"""`trace`: the hazards and the memory traffic of one call's kernels, in tables and pictures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import torch

from course.build import Function, UnbuiltFunction, load_traced
from course.device import free_memory
from course.errors import CourseError, Hazard, KernelError
from course.explain.counts import SECTOR, WARP, Access, Layout, Lines, Touched, Traffic, Work, busiest, busiest_line
from course.explain.limits import Bound, Demand, card, two_digits
from course.explain.texts import Found, say
from course.html import render
from course.notebook.pictures.explorer import with_explorer
from course.notebook.pictures.placed import MAX_PANELS, request_figure
from course.notebook.pictures.requests import first_requests, source_line
from course.notebook.pictures.svg import Figure
from course.notebook.plots import show_ratio
from course.notebook.saved import bundle, line_mark, marked_lines
from course.notebook.tables import Table
from course.progress import interruptible, progress
from course.toolchains.emulator.calls import counting
from course.toolchains.emulator.self_test import counting_problem

UNITS = {"global": "sector", "shared": "wavefront"}
MAX_ACCESSES = 50_000_000  # tracing this many takes one or two seconds; of a longer launch only a part is traced
UNEVEN = 2  # times the mean of a launch's warps; a busier warp is named
SHADOW_BYTES = 4 << 30  # the most memory that the tracer uses for MAX_ACCESSES accesses


@dataclass(frozen=True, repr=False)
class Trace:
    """How the kernels of one call used memory: `hazards`, in the order in which they were found, `remarks`, and counts.

    In a launch of more than `MAX_ACCESSES` accesses, only some blocks are traced, and `sampled` says so. These are
    spread over the grid, including its edges, and the counts are scaled. Scaled counts are exact if blocks differ only
    at the edges of the grid, and otherwise an estimate. For such a launch, races between blocks are not reported. Nor
    are touched sectors, since blocks may share them.

    If a hazard ended the kernel, there are no counts. `sectors_touched` has the different sectors (32 bytes) that each
    launch read and wrote, `work` how each spread its work, and `demand` what all of them ask of a card. `accesses` are
    the first 100,000 of block (0, 0, 0) of each kernel's first launch, and `accesses_left_out` is the number of further
    ones. `layouts` are those of the tensors in `accesses`, by name. Line numbers refer to `source`, the text of the
    module `cell`.
    """

    hazards: tuple[Hazard, ...]
    remarks: tuple[str, ...]
    traffic: tuple[Traffic, ...]
    sectors_touched: tuple[Touched, ...]
    work: tuple[Work, ...]
    demand: Demand
    accesses: tuple[Access, ...]
    accesses_left_out: int
    layouts: Mapping[str, Layout]
    sampled: str | None
    source: str
    cell: str

    def total(self, space: str) -> "Total":
        """The traffic of all lines to `space`, "global" or "shared": sectors of 32 bytes, or wavefronts."""
        of_space = [line for line in self.traffic if line.space == space]
        return Total(*(sum(getattr(line, each.name) for line in of_space) for each in fields(Total)))

    def bound(self, on: str = "H200") -> Bound:
        """The least time of the call on a card, by the limits that the counts tell: see `course.explain.limits`.

        Raises CourseError if the card's constants are not known, or nothing was counted.
        """
        if not self.traffic:
            raise CourseError("There is no least time, since no launch was counted.")
        return self.demand.bound(card(on))

    def plot(self, what: str = "requests", *, line: int | None = None, array: str | None = None) -> Figure:
        """Draw how block (0, 0, 0) of the first launch of each kernel uses memory.

        Parameters
        ----------
        what : {"requests", "banks"}
            `"requests"`: one request of each line to global memory, with its lanes, addresses and sectors.
            `"banks"`: one request of each line to shared memory, with its banks, counted from the start of the array.
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
            If there is nothing to draw.
        """
        chosen = tuple(a for a in self.accesses if line in (None, a.line) and array in (None, a.array))
        part = replace(self, accesses=chosen)
        match what:
            case "requests":
                figure = _request_plot(part, "global" if line is None else None)
            case "banks":
                figure = _request_plot(part, "shared")
            case _:
                raise CourseError(f'plot draws "requests" or "banks", not {what!r}.')
        if figure is None:
            raise CourseError(self._nothing_to_draw(what, line, array))
        return figure

    def sectors(self) -> dict[str, int]:
        """The sectors of the first request to each tensor that `plot("requests")` draws, by the tensor's name."""
        found: dict[str, int] = {}
        for request in first_requests(self.accesses):
            if request.space == "global":
                found.setdefault(request.array, len(request.sectors))
        return dict(sorted(found.items()))

    def wavefronts(self) -> dict[str, int]:
        """The wavefronts of each request that `plot("banks")` draws first, by its name, such as "store tile"."""
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
        return "\n".join(map(str, self._parts()))

    def _repr_html_(self) -> str:
        heading, *parts = self._parts()
        return render("parts.html", name="trace", heading=heading, parts=parts)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict:
        marks = []
        if self.total("global").requests:
            line = busiest(self.traffic, "sectors")
            if line.is_wasteful("sectors"):
                most = say(Found("most_asked", busiest_line(self.traffic, "sectors", Lines(self.source))))
                marks.append(line_mark(line.line, most, "cost"))
        return bundle(**marked_lines(self.cell, self.source, marks, self.hazards))

    def _parts(self) -> list[str | Table]:
        """The sentences and tables of the output, from top to bottom."""
        count = len(self.hazards)
        parts: list[str | Table] = [f"✗ {count} hazard{'s' * (count > 1)}." if count else "✓ No hazard."]
        if count:
            parts.append(Table([("hazard", "what happened"), *((each.kind, each.detail) for each in self.hazards)]))
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
                f"move these {SECTOR * (read + written):,} bytes even if the cache keeps everything."
            )
        parts += self._uneven()
        if self.traffic:
            parts.append(self._least_time())
            parts.append("The counts follow the written source: the compiler for a GPU may merge or move loads.")
        elif count:
            parts.append("Nothing was counted: no kernel ran to its end.")
        return parts

    def _least_time(self) -> str:
        bound = self.bound()
        if not bound.limits or bound.limits[0].ms < bound.card.launch_ms:
            launch = two_digits(bound.card.launch_ms)
            return f"This call is too small for {bound.card}: the launch alone takes {launch} ms, and all else less."
        unknown = ", without DRAM traffic, which a sample of the blocks does not show" * bool(self.sampled)
        return f"This call takes {bound}{unknown}."

    def _uneven(self) -> list[str]:
        """Sentences about the work of a launch that a few warps, or one address, must do one after another."""
        found = []
        for launch in self.work:
            if launch.contended > WARP:
                found.append(
                    f"{launch.kernel}: contention, since {launch.contended:,} atomic operations of threads go to one "
                    "address, which changes once at a time."
                )
            warps = launch.blocks * -(-launch.threads_per_block // WARP)
            requests = sum(line.requests for line in self.traffic if line.kernel == launch.kernel)
            same = sum(other.kernel == launch.kernel for other in self.work)
            if same == 1 and launch.busiest_warp >= WARP and launch.busiest_warp * warps > UNEVEN * requests:
                found.append(
                    f"{launch.kernel}: the busiest warp makes {launch.busiest_warp:,} requests, "
                    f"{launch.busiest_warp * warps / requests:.2g} times as many as a warp on average."
                )
        return found

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


@dataclass(frozen=True)
class Total:
    """Traffic of several lines: requests, the sectors or wavefronts that served them, the fewest that could, lanes."""

    requests: int
    units: int
    ideal: int
    lanes: int

    @property
    def over_least(self) -> float:
        """`units` divided by `ideal`; 1 if nothing was requested."""
        return self.units / self.ideal if self.ideal else 1.0


@interruptible("trace")
def trace(function: Any, *arguments: Any) -> Trace:
    """Call a function of a `%%cuda` module and trace every access to memory, to show hazards, traffic and pictures.

    The call runs in the emulator, even on a machine with a GPU. The result of the function is discarded.

    Parameters
    ----------
    function : Function
        A function of a `%%cuda` module, such as `relu.forward`.
    *arguments
        The arguments of the function. Small tensors are enough. Those on a GPU are copied to the host; if tensors share
        memory, so do their copies.

    Returns
    -------
    Trace
        The hazards, traffic and accesses of the call's kernels.

    Raises
    ------
    CourseError
        If the call cannot be traced, because the function is not from a CUDA source or did not build, because the
        tensors are too large for this machine's memory, or because this machine's compiler makes the tracer count
        wrongly.
    Exception
        Any exception that the function itself raises. Hazards raise no exception: the Trace lists them.
    """
    with progress(f"Tracing {getattr(function, 'name', 'the function')}"):
        return _traced(function, arguments)


def _traced(function: Any, arguments: Sequence[Any]) -> Trace:
    if isinstance(function, UnbuiltFunction):
        function()
    if not isinstance(function, Function):
        raise CourseError(
            f"trace takes a function of a %%cuda module, such as relu.forward, not a {type(function).__name__}."
            " To trace a %%candidate script, put its CUDA source into a %%cuda cell."
        )
    size = sum(argument.untyped_storage().nbytes() for argument in arguments if isinstance(argument, torch.Tensor))
    # Copies of the tensors, and what the call allocates, take about twice the tensors' bytes. The tracer's data about
    # accessed elements take eight times as much as both, but at most SHADOW_BYTES.
    needed, free = 2 * size + min(16 * size, SHADOW_BYTES), free_memory("cpu")
    if needed > free:
        raise CourseError(
            f"Tracing a call with {size / 2**20:,.0f} MiB of tensors takes up to {needed / 2**20:,.0f} MiB, but"
            f" only {free / 2**20:,.0f} MiB are free. Smaller tensors show the same use of memory."
        )
    if problem := counting_problem():
        raise CourseError(problem)
    traced = load_traced(function)
    hazards: tuple[Hazard, ...] = ()
    with counting(MAX_ACCESSES, in_full=True) as counted:
        try:
            traced(*_on_host(arguments))
        except KernelError as error:
            hazards = error.hazards
    return Trace(
        hazards=hazards,
        remarks=tuple(counted.remarks),
        traffic=tuple(counted.traffic),
        sectors_touched=tuple(counted.touched),
        work=tuple(counted.work),
        demand=counted.demand,
        accesses=counted.accesses,
        accesses_left_out=counted.left_out,
        layouts=counted.layouts,
        sampled=counted.sampled,
        source=function.source,
        cell=function.module,
    )


def _on_host(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, with GPU tensors copied to the host. If tensors share memory, so do their copies."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.cpu()
        there = torch.empty(0, dtype=tensor.dtype)
        return there.set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())

    return [copied(a) if isinstance(a, torch.Tensor) and a.is_cuda else a for a in arguments]


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


def _block(trace: Trace) -> str:
    """The block that is traced and its kernels, in words."""
    return f"block (0, 0, 0) of {', '.join(dict.fromkeys(access.kernel for access in trace.accesses))}"


def _costs(each: Traffic | Total) -> tuple[str, ...]:
    lanes = f"{each.lanes / each.requests:.3g}"
    return lanes, f"{each.requests:,}", f"{each.units:,}", f"{each.ideal:,}", show_ratio(each.units / each.ideal)


def _lines(numbers: Iterable[int]) -> str:
    *others, last = map(str, numbers)
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"
