"""Charts of times as PNGs, with alternative texts that give the same numbers."""

from __future__ import annotations

import base64
import io
import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course.explain.counts import WARP
from course.explain.limits import Bound, two_digits
from course.html import render
from course.measure import Roof, Summary, Timings, show_ms, three_digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Colours from M. Okabe and K. Ito, "Color Universal Design", 2008, distinguishable with any colour vision. The first
# variant also differs in lightness. Hatching marks what was not measured.
BASELINE: dict[str, Any] = {"facecolor": "#DDDDDD", "edgecolor": "#000000", "linewidth": 1.5}
VARIANT: dict[str, Any] = {"facecolor": "#56B4E9", "edgecolor": "#555555"}
AT_LEAST: dict[str, Any] = {"facecolor": "#FFFFFF", "edgecolor": "#0072B2", "hatch": "//////"}
ROOF = "#B34700"  # the vermilion of Okabe and Ito, darkened so that letters are legible on white

OFFSET: dict[str, Any] = {"textcoords": "offset points"}
# A white background for letters, so that no line crosses them.
PLATE: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
LINE, NAME_LINE, GAP = 0.22, 0.19, 0.11  # heights in inches: a bar, a line of a name, the gap between variants
LOG_BEYOND = 30  # if slowest / fastest is larger, the axis is logarithmic, so that fast variants can be seen
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, repr=False)
class Chart:
    """A chart for a notebook: the drawing, and the alternative text, which says in sentences what it shows."""

    drawing: Canvas
    alt: str

    def __repr__(self) -> str:
        return self.alt

    @property
    def png(self) -> bytes:
        """A PNG of 150 dots per inch, in 64 colours: a third of the bytes of all colours."""
        from PIL import Image  # installed with matplotlib, which requires it

        full, small = io.BytesIO(), io.BytesIO()
        self.drawing.savefig(full, format="png", dpi=150, facecolor="white")
        Image.open(full).convert("RGB").quantize(64).save(small, format="png", optimize=True, dpi=(150, 150))
        return small.getvalue()

    def _repr_html_(self) -> str:
        return render("chart.html", alt=self.alt, data=base64.b64encode(self.png).decode())


def speedup_chart(
    variants: Mapping[str, Summary], roof: Roof, title: str, at_least: Mapping[str, Bound] = NOTHING
) -> Chart:
    """Draw the median time of each variant, with its quartiles and its speed-up over the first variant.

    Times are bars on a linear axis. If the longest is more than `LOG_BEYOND` times the shortest, they are dots on a
    logarithmic axis, where the length of a bar would mean nothing. The vertical axis is in inches. `roof` is drawn as a
    line. `at_least` has the least times of the learner's own kernels, if `variants` has recorded times. They are
    hatched, below the recorded time of the same name or in a separate row.
    """
    names = list({**variants, **at_least})
    wrapped = [_literal(textwrap.fill(name, 26)) for name in names]
    marks = [[name in variants, name in at_least] for name in names]
    heights = [
        max(LINE * sum(lines), NAME_LINE * (1 + label.count("\n"))) + GAP
        for lines, label in zip(marks, wrapped, strict=True)
    ]
    bottoms = list(itertools.accumulate(heights))
    middles = [bottom - height / 2 for bottom, height in zip(bottoms, heights, strict=True)]
    canvas, axes = _paper(1.35 + 0.25 * bool(at_least) + bottoms[-1], title)
    axes.set_yticks(middles, wrapped, fontsize=11)
    axes.set_ylim(bottoms[-1], 0)
    log = _scale_axis(axes, _times(variants, roof, at_least))
    first = next(iter(variants.values())).median_ms
    for name, lines, middle in zip(names, marks, middles, strict=True):
        place = iter(middle + LINE * (line - (sum(lines) - 1) / 2) for line in range(sum(lines)))
        if s := variants.get(name):
            y, (low, high) = next(place), s.iqr_ms
            _mark(axes, s.median_ms, y, log, BASELINE if name == next(iter(variants)) else VARIANT)
            spread = [[s.median_ms - low], [high - s.median_ms]]
            axes.errorbar(s.median_ms, y, xerr=spread, fmt="none", ecolor="black", capsize=3)
            _write(axes, max(high, s.median_ms), y, f"{show_ms(s.median_ms)} ({show_ratio(first / s.median_ms)})")
        if name in at_least:
            y = next(place)
            bound = at_least[name]
            _mark(axes, bound.ms, y, log, AT_LEAST)
            _write(axes, bound.ms, y, f"yours ≥ {two_digits(bound.ms)} ms ({bound.binding})")
    _draw_roof(axes, roof)
    if at_least:
        _draw_legend(canvas)
    return Chart(canvas, _describe_speedups(variants, roof, title, at_least))


def _literal(text: str) -> str:
    """`text` with its dollar signs escaped, since matplotlib draws text between two dollar signs as a formula."""
    return text.replace("$", r"\$")


def _times(variants: Mapping[str, Summary], roof: Roof, at_least: Mapping[str, Bound]) -> list[float]:
    """All times that a chart shows, in milliseconds."""
    measured = [time for s in variants.values() for time in (s.median_ms, s.iqr_ms[1])]
    return [roof.ms, *measured, *(bound.ms for bound in at_least.values())]


def _mark(axes: Axes, ms: float, y: float, log: bool, style: Mapping[str, Any]) -> None:
    """Draw a time as a bar from zero, or as a dot on a logarithmic axis, which has no zero."""
    if log:
        axes.axhline(y, color="#DDDDDD", linewidth=1, zorder=0)  # leads from the name to the dot
        axes.scatter(ms, y, s=120, zorder=3, **style)
    else:
        axes.barh(y, ms, height=0.8 * LINE, **style)


def _write(axes: Axes, ms: float, y: float, words: str) -> None:
    """Write the words beside a mark."""
    axes.annotate(words, (ms, y), (10, 0), **OFFSET, va="center", fontsize=11, bbox=PLATE)


def _draw_legend(canvas: Canvas) -> None:
    """Draw the legend, which explains solid and hatched marks."""
    from matplotlib.patches import Patch

    words = {
        "recorded on an H200, with the course's kernel": VARIANT,
        "your least time, by the limit in brackets, not measured": AT_LEAST,
    }
    handles = [Patch(label=text, **style) for text, style in words.items()]
    canvas.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=10, frameon=False)


def _paper(height: float, title: str) -> tuple[Canvas, Axes]:
    """A figure of notebook width, `height` inches high, with one pair of axes."""
    from matplotlib.figure import Figure as Canvas  # imported here, since it takes 0.3 s and few cells need it
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # The padding is in inches: the layout is a pixel or two off where words end at an edge.
    canvas = Canvas(figsize=(9, height), layout=ConstrainedLayoutEngine(w_pad=0.08))
    canvas.suptitle(_literal(textwrap.fill(title, 90)), fontsize=12, fontweight="bold")
    axes = canvas.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=10)
    return canvas, axes


def _scale_axis(axes: Axes, times: Sequence[float]) -> bool:
    """Set up the axis of `times`, and return whether it is logarithmic. Leave room for the words beside the marks."""
    low, high = min(times), max(times)
    log = high > LOG_BEYOND * low
    if log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(low / 1.5, high * 1.5)
    else:
        axes.set_xlim(0, high * 1.05)
    scale = ", logarithmic axis" if log else ""
    axes.set_xlabel(f"time of one call in ms{scale} (in brackets: speed-up over the first)", fontsize=11)
    return log


def _draw_roof(axes: Axes, roof: Roof) -> None:
    """Draw the line of the roof, with words above it on the side where there is room."""
    axes.axvline(roof.ms, color=ROOF, linestyle="--", linewidth=2)
    place = axes.transAxes.inverted().transform(axes.transData.transform((roof.ms, 0)))[0]
    words = f"{roof.name}: {show_ms(roof.ms)}"
    top, side = axes.get_xaxis_transform(), "left" if place < 0.5 else "right"
    axes.annotate(words, (roof.ms, 1), (0, 4), xycoords=top, **OFFSET, ha=side, color=ROOF, fontsize=11)


def time_map(
    times: Mapping[tuple[int, ...], float | None],
    constants: Mapping[str, Sequence[int]],
    own: tuple[int, ...],
    copy_ms: float,
    title: str,
) -> Chart:
    """Draw a table of times, the darker the longer, with the cell of the pair `own` framed.

    The first of the two `constants` names the rows, the second the columns. A copy's time is in the words below.
    """
    (down, rows), (along, columns) = constants.items()
    known = [ms for ms in times.values() if ms]
    low, high = min(known, default=0.0), max(known, default=0.0)
    canvas, axes = _paper(1.2 + 0.45 * len(rows), title)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_xticks(range(len(columns)), map(str, columns), fontsize=11)
    axes.set_yticks(range(len(rows)), map(str, rows), fontsize=11)
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.set_ylabel(down, fontsize=11)
    axes.set_xlabel(
        f"{along}; in the table: µs of one call. A copy of the same bytes: {copy_ms * 1e3:.1f}", fontsize=11
    )
    for pair, ms in times.items():
        place = (columns.index(pair[1]), rows.index(pair[0]))
        shade = 0.7 * (ms - low) / (high - low) if ms and high > low else 0
        edge: dict[str, Any] = (
            {"edgecolor": ROOF, "linewidth": 4, "zorder": 2} if pair == own else {"edgecolor": "white"}
        )
        axes.bar(place[0], 1, 1, place[1] - 0.5, facecolor=str(0.95 - shade), **edge)
        words = (f"{ms * 1e3:.1f}" if ms else "not timed") + ("\nyours" if pair == own else "")
        color = "white" if shade > 0.45 else "black"
        axes.annotate(words, place, ha="center", va="center", fontsize=11, color=color, zorder=3)
    named = {f"{down} = {row}, {along} = {column}": ms for (row, column), ms in times.items()}
    sentences = [f"{name} takes {show_ms(ms)}." for name, ms in named.items() if ms]
    yours = f"The learner's source has {down} = {own[0]} and {along} = {own[1]}."
    return Chart(
        canvas, " ".join([f"Table of times: {title}.", *sentences, yours, f"A copy takes {show_ms(copy_ms)}."])
    )


def roofline(timings: Timings, title: str, wavefronts: float, at_least: Mapping[str, Bound] = NOTHING) -> Chart:
    """Draw the roofline: operations per second of each variant under the device's roofs.

    The horizontal axis is the intensity, in operations per byte. All variants have the same intensity: the task's
    operations divided by the fewest bytes that must move. A kernel's time does not tell how many bytes it really moved.
    The L1 cache and shared memory serve `wavefronts` warps per second, so a kernel that loads both factors of each
    multiply-add from there has a lower roof than the arithmetic. `at_least` has the least times of the learner's own
    kernels, which are drawn as the most operations per second that they can reach.

    The model is that of S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance Model
    for Multicore Architectures", CACM 52(4), 2009. The memory roof is the speed of a copy on the same device.
    """
    intensity, bandwidth, peak, reached = _roofs(timings)
    ridge = peak / bandwidth  # from this intensity on, the arithmetic roof is the lower one
    left, right = min(intensity, ridge) / 10, max(intensity, ridge) * 10
    most = {name: timings.operations / (bound.ms * 1e-3) for name, bound in at_least.items()}
    floor = min(bandwidth * left, *reached.values(), *most.values()) / 2
    canvas, axes = _paper(5.5, title)
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(floor, peak * 3))
    axes.set_xlabel("operations per byte that must move (logarithmic axis)", fontsize=11)
    axes.set_ylabel("operations per second (logarithmic axis)", fontsize=11)
    axes.yaxis.set_major_formatter(lambda y, _: "{:g} {}".format(*_flops_unit(y)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.plot([left, ridge, right], [bandwidth * left, peak, peak], color=ROOF, linewidth=2)
    axes.axvline(intensity, color="#999999", linestyle=":", linewidth=1)
    words: dict[str, Any] = {"color": ROOF, "fontsize": 11, "va": "bottom"}
    copy = f"memory, by a copy:\n{three_digits(bandwidth / 1e12)} TB/s"
    axes.annotate(copy, (ridge, peak), (-12, 4), **OFFSET, **words, ha="right")
    axes.annotate(f"arithmetic: {show_flops(peak)}", (right, peak), (0, 4), **OFFSET, **words, ha="right")
    loads = WARP * wavefronts
    if intensity * bandwidth > loads:
        axes.plot([loads / bandwidth, right], [loads, loads], color=ROOF, linewidth=1, linestyle="--")
        of_loads = f"L1 and shared memory, two loads\nper multiply-add: {show_flops(loads)}"
        axes.annotate(of_loads, (right, loads), (0, 4), **OFFSET, **words, ha="right")
    labels = {f"{name}: {show_flops(flops)}": flops for name, flops in reached.items()}
    labels |= {f"{name}, yours: at most {show_flops(flops)}": flops for name, flops in most.items()}
    _write_labels(axes, intensity, labels)
    for flops, face in ((reached, "#0072B2"), (most, "white")):
        values = list(flops.values())
        axes.plot([intensity] * len(values), values, "o", color="#0072B2", markerfacecolor=face, markersize=8)
    return Chart(canvas, _describe_roofline(timings, title, loads, most))


def _write_labels(axes: Axes, intensity: float, labels: Mapping[str, float]) -> None:
    """Write a label beside the place of each mark, so that no labels overlap."""
    place = axes.transAxes.inverted().transform
    across = place(axes.transData.transform((intensity, 1)))[0]
    side, column, edge = ("left", across + 0.06, 0) if across < 0.5 else ("right", across - 0.06, 1)
    line = 0.065  # the height of a line of text, as a fraction of the height of the axes
    names = sorted(labels, key=labels.__getitem__, reverse=True)
    free = 1.0
    for left, name in zip(range(len(names), 0, -1), names, strict=True):
        # Names go below their marks, away from the roof, but not so low that the next names have no room.
        height = place(axes.transData.transform((intensity, labels[name])))[1]
        free = max(min(free - line, height), (left - 0.5) * line)
        axes.annotate(
            _literal(name),
            (intensity, labels[name]),
            (column, free),
            textcoords="axes fraction",
            ha=side,
            va="center",
            fontsize=11,
            bbox=PLATE,
            arrowprops={"arrowstyle": "-", "color": "#999999", "shrinkB": 4, "relpos": (edge, 0.5)},
        )


def show_ratio(ratio: float) -> str:
    """A speed-up in words: "1.50x" is one and a half times as fast, "0.500x" half as fast."""
    return f"{three_digits(ratio)}x"


def show_flops(flops: float) -> str:
    """A rate in operations per second, in words: "66.9 TFLOP/s"."""
    number, unit = _flops_unit(flops)
    return f"{three_digits(number)} {unit}"


def _flops_unit(flops: float) -> tuple[float, str]:
    """A rate in the largest unit in which it is at least 1, and that unit."""
    size, prefix = next(((s, p) for s, p in ((1e12, "T"), (1e9, "G"), (1e6, "M")) if flops >= s), (1.0, ""))
    return flops / size, f"{prefix}FLOP/s"


def _roofs(timings: Timings) -> tuple[float, float, float, dict[str, float]]:
    """Operations per byte, bytes per second of a copy, and operations per second of the device and of each variant."""
    bandwidth = timings.bytes_moved / (timings.copy_ms * 1e-3)
    reached = {name: timings.operations / (s.median_ms * 1e-3) for name, s in timings.variants.items()}
    return timings.operations / timings.bytes_moved, bandwidth, timings.peak_flops, reached


def _describe_speedups(variants: Mapping[str, Summary], roof: Roof, title: str, at_least: Mapping[str, Bound]) -> str:
    times = _times(variants, roof, at_least)
    (first, baseline), *others = variants.items()
    kind = "Dot chart with a logarithmic axis" if max(times) > LOG_BEYOND * min(times) else "Bar chart"
    sentences = [f"{kind}: {title}.", f"{first} takes {show_ms(baseline.median_ms)}."]
    for name, s in others:
        ratio = show_ratio(baseline.median_ms / s.median_ms)
        sentences.append(f"{name} takes {show_ms(s.median_ms)}, a speed-up of {ratio}.")
    sentences += [f"Your {name} takes {bound}; this is counted, not measured." for name, bound in at_least.items()]
    return " ".join([*sentences, f"The roof, {roof.name}, takes {show_ms(roof.ms)}."])


def _describe_roofline(timings: Timings, title: str, loads: float, most: Mapping[str, float]) -> str:
    intensity, bandwidth, peak, reached = _roofs(timings)
    sentences = [f"Roofline: {title}.", f"At {three_digits(intensity)} operations per byte that must move,"]
    bound = "arithmetic" if intensity * bandwidth > peak else "memory"
    sentences.append(f"the lower roof is that of the {bound}: {show_flops(min(peak, intensity * bandwidth))}.")
    if intensity * bandwidth > loads:
        sentences.append(f"With two loads for each multiply-add, L1 and shared memory allow {show_flops(loads)}.")
    sentences += [f"{name} reaches {show_flops(flops)}." for name, flops in reached.items()]
    sentences += [f"Your {name} reaches at most {show_flops(flops)}." for name, flops in most.items()]
    return " ".join(sentences)
