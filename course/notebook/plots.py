"""Figures: a PNG with its own words, so that a reader who cannot see it gets the same numbers."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from course.measure import Roof, Summary, Timings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# M. Okabe and K. Ito, "Color Universal Design", 2008: distinguishable with any colour vision. The hatch says the same.
BASELINE: dict[str, Any] = {"facecolor": "#DDDDDD", "hatch": "//"}
VARIANT: dict[str, Any] = {"facecolor": "#56B4E9", "hatch": ""}
ROOF = "#B34700"  # their vermilion, darkened until letters in it stand out on white

OFFSET: dict[str, Any] = {"textcoords": "offset points"}
LOG_BEYOND = 30  # times the fastest: if the slowest takes longer, a linear axis shows nothing of the fast ones


@dataclass(frozen=True)
class Figure:
    """A picture for a notebook.

    Attributes
    ----------
    png : bytes
        The picture.
    alt : str
        What it shows, in sentences: its alternative text.
    """

    png: bytes
    alt: str

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.png).decode()
        # The picture is white whatever the page is, so that its black letters can be read on a dark one.
        # Where a page is narrower than what keeps the letters legible, as at 200%, it scrolls.
        style = "width:9in;max-width:100%;min-width:7in;background:white;border-radius:4px"
        image = f'<img alt="{escape(self.alt)}" style="{style}" src="data:image/png;base64,{data}">'
        return f'<figure style="margin:0 0 1em;overflow-x:auto">{image}</figure>'


def speedup_chart(variants: Mapping[str, Summary], roof: Roof, title: str) -> Figure:
    """Draw the median time of each variant as a bar, with its quartiles and its speed-up over the first variant.

    Parameters
    ----------
    variants : mapping of str to Summary
        Times in milliseconds, by the names that the bars get. At least one.
    roof : Roof
        A time on the same device, in milliseconds, that is drawn as a line.
    title : str
        The title of the chart.

    Returns
    -------
    Figure
        A PNG, and the same in words. The time axis is logarithmic if the slowest time is more than `LOG_BEYOND` times
        the fastest.
    """
    return Figure(png(draw_speedups(variants, roof, title)), _describe_speedups(variants, roof, title))


def roofline(timings: Timings, title: str) -> Figure:
    """Draw the roofline: operations per second of each variant under the device's two roofs.

    The horizontal axis is the intensity, in operations per byte. All variants have the same one, the task's operations
    over the least bytes that must move, since a kernel's time does not tell how many bytes it really moved.

    The model is that of S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance Model
    for Multicore Architectures", CACM 52(4), 2009. The memory's roof is the bandwidth of a copy on the same device.

    Parameters
    ----------
    timings : Timings
        The times of the variants in milliseconds, the task's bytes and operations, and the device's peak.
    title : str
        The title of the chart.

    Returns
    -------
    Figure
        A PNG, and the same in words.
    """
    return Figure(png(draw_roofline(timings, title)), _describe_roofline(timings, title))


def draw_speedups(variants: Mapping[str, Summary], roof: Roof, title: str) -> Canvas:
    """The figure that `speedup_chart` saves as a PNG."""
    canvas, axes = _paper(1.7 + 0.55 * len(variants), title)
    first = next(iter(variants.values())).median_ms
    for row, s in enumerate(variants.values()):
        style = VARIANT if row else BASELINE
        low, high = s.iqr_ms
        spread = [[s.median_ms - low], [high - s.median_ms]]
        axes.barh(row, s.median_ms, height=0.62, edgecolor="#555555", xerr=spread, capsize=3, **style)
        label = f"{show_ms(s.median_ms)} ({show_ratio(first / s.median_ms)})"
        plate = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # the roof's line must not cross the letters
        axes.annotate(label, (high, row), (8, 0), **OFFSET, va="center", fontsize=11, bbox=plate)
    axes.set_yticks(range(len(variants)), [textwrap.fill(name, 26) for name in variants], fontsize=11)
    axes.set_ylim(len(variants) - 0.4, -0.6)
    times = [roof.ms, *(time for s in variants.values() for time in (s.median_ms, s.iqr_ms[1]))]
    _scale_axis(axes, min(times), max(times))
    _draw_roof(axes, roof)
    return canvas


def _paper(height: float, title: str) -> tuple[Canvas, Axes]:
    """A figure of notebook width, `height` inches high, with one pair of axes."""
    from matplotlib.figure import Figure as Canvas  # imported late: 0.3 s that most cells do not need

    canvas = Canvas(figsize=(9, height), layout="constrained")
    canvas.suptitle(textwrap.fill(title, 90), fontsize=12, fontweight="bold")
    axes = canvas.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=10)
    return canvas, axes


def _scale_axis(axes: Axes, low: float, high: float) -> None:
    """The time axis, from the shortest to the longest time; the layout makes room for the labels beside the bars."""
    log = high > LOG_BEYOND * low
    if log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(low / 1.5, high * 1.5)
    else:
        axes.set_xlim(0, high * 1.05)
    scale = ", logarithmic axis" if log else ""
    axes.set_xlabel(f"time of one call in ms{scale} (in brackets: speed-up over the first)", fontsize=11)


def _draw_roof(axes: Axes, roof: Roof) -> None:
    """The roof's line, with its words above it, on the side where there is room."""
    axes.axvline(roof.ms, color=ROOF, linestyle="--", linewidth=2)
    place = axes.transAxes.inverted().transform(axes.transData.transform((roof.ms, 0)))[0]
    words = f"{roof.name}: {show_ms(roof.ms)}"
    top, side = axes.get_xaxis_transform(), "left" if place < 0.5 else "right"
    axes.annotate(words, (roof.ms, 1), (0, 4), xycoords=top, **OFFSET, ha=side, color=ROOF, fontsize=11)


def draw_roofline(timings: Timings, title: str) -> Canvas:
    """The figure that `roofline` saves as a PNG."""
    intensity, bandwidth, peak, reached = _roofs(timings)
    ridge = peak / bandwidth  # operations per byte from which on arithmetic is the lower roof
    left, right = min(intensity, ridge) / 10, max(intensity, ridge) * 10
    floor = min(bandwidth * left, *reached.values()) / 2
    canvas, axes = _paper(5.5, title)
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(floor, peak * 3))
    axes.set_xlabel("operations for each byte that must move (logarithmic axis)", fontsize=11)
    axes.set_ylabel("operations a second (logarithmic axis)", fontsize=11)
    axes.yaxis.set_major_formatter(lambda y, _: "{:g} {}".format(*_flops_unit(y)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.plot([left, ridge, right], [bandwidth * left, peak, peak], color=ROOF, linewidth=2)
    axes.axvline(intensity, color="#999999", linestyle=":", linewidth=1)
    words: dict[str, Any] = {"color": ROOF, "fontsize": 11, "va": "bottom"}
    copy = f"memory, by a copy:\n{three_digits(bandwidth / 1e12)} TB/s"
    axes.annotate(copy, (ridge, peak), (-12, 4), **OFFSET, **words, ha="right")
    axes.annotate(f"arithmetic: {show_flops(peak)}", (right, peak), (0, 4), **OFFSET, **words, ha="right")
    _draw_points(axes, intensity, reached)
    return canvas


def _draw_points(axes: Axes, intensity: float, reached: Mapping[str, float]) -> None:
    """A mark for each variant above the intensity, and its name beside it, no name on top of another."""
    place = axes.transAxes.inverted().transform
    across = place(axes.transData.transform((intensity, 1)))[0]
    side, column, edge = ("left", across + 0.06, 0) if across < 0.5 else ("right", across - 0.06, 1)
    line = 0.065  # the height of a line of text, as a part of the axes'
    names = sorted(reached, key=reached.__getitem__, reverse=True)
    free = 1.0
    for left, name in zip(range(len(names), 0, -1), names, strict=True):
        # Downwards from the mark, where the roof is not, but not so far that there is no room for those below.
        height = place(axes.transData.transform((intensity, reached[name])))[1]
        free = max(min(free - line, height), (left - 0.5) * line)
        axes.annotate(
            f"{name}: {show_flops(reached[name])}",
            (intensity, reached[name]),
            (column, free),
            textcoords="axes fraction",
            ha=side,
            va="center",
            fontsize=11,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
            arrowprops={"arrowstyle": "-", "color": "#999999", "shrinkB": 4, "relpos": (edge, 0.5)},
        )
    axes.plot([intensity] * len(reached), list(reached.values()), "o", color="#0072B2", markersize=8)


def show_ms(ms: float) -> str:
    """A time in milliseconds, in words: "0.0354 ms"."""
    return f"{three_digits(ms)} ms"


def show_ratio(ratio: float) -> str:
    """A speed-up in words: "1.50x" is one and a half times as fast, "0.500x" half as fast."""
    return f"{three_digits(ratio)}x"


def three_digits(x: float) -> str:
    """Three significant digits, never in powers of ten; all digits of a whole number that has more."""
    exponent = int(f"{x:.2e}".split("e")[1])
    return f"{x:.{max(0, 2 - exponent)}f}"


def show_flops(flops: float) -> str:
    """A rate in operations per second, in words: "66.9 TFLOP/s"."""
    number, unit = _flops_unit(flops)
    return f"{three_digits(number)} {unit}"


def _flops_unit(flops: float) -> tuple[float, str]:
    """A rate in the largest unit of which it has at least one, and that unit."""
    size, prefix = next(((s, p) for s, p in ((1e12, "T"), (1e9, "G"), (1e6, "M")) if flops >= s), (1.0, ""))
    return flops / size, f"{prefix}FLOP/s"


def _roofs(timings: Timings) -> tuple[float, float, float, dict[str, float]]:
    """Operations per byte, bytes per second of a copy, operations per second of the device and of each variant."""
    bandwidth = timings.bytes_moved / (timings.copy_ms * 1e-3)
    reached = {name: timings.operations / (s.median_ms * 1e-3) for name, s in timings.variants.items()}
    return timings.operations / timings.bytes_moved, bandwidth, timings.peak_flops, reached


def _describe_speedups(variants: Mapping[str, Summary], roof: Roof, title: str) -> str:
    (first, baseline), *others = variants.items()
    sentences = [f"Bar chart: {title}.", f"{first} takes {show_ms(baseline.median_ms)}."]
    for name, s in others:
        ratio = show_ratio(baseline.median_ms / s.median_ms)
        sentences.append(f"{name} takes {show_ms(s.median_ms)}, a speed-up of {ratio}.")
    return " ".join([*sentences, f"The roof, {roof.name}, takes {show_ms(roof.ms)}."])


def _describe_roofline(timings: Timings, title: str) -> str:
    intensity, bandwidth, peak, reached = _roofs(timings)
    sentences = [f"Roofline: {title}.", f"At {three_digits(intensity)} operations for each byte that must move,"]
    bound = "arithmetic" if intensity * bandwidth > peak else "memory"
    sentences.append(f"the lower roof is that of the {bound}: {show_flops(min(peak, intensity * bandwidth))}.")
    sentences += [f"{name} reaches {show_flops(flops)}." for name, flops in reached.items()]
    return " ".join(sentences)


def png(canvas: Canvas) -> bytes:
    """Save a matplotlib figure.

    Parameters
    ----------
    canvas : matplotlib.figure.Figure
        The figure.

    Returns
    -------
    bytes
        A PNG of 150 dots per inch in 64 colours. That is a third of the bytes of all colours, which every saved
        notebook would contain.
    """
    from PIL import Image  # which matplotlib needs and brings

    full, small = io.BytesIO(), io.BytesIO()
    canvas.savefig(full, format="png", dpi=150, facecolor="white")
    Image.open(full).convert("RGB").quantize(64).save(small, format="png", optimize=True, dpi=(150, 150))
    return small.getvalue()
