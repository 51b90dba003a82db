"""Figures: a PNG that carries its own words, so that who cannot see it reads the same numbers."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from course.measure import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# M. Okabe and K. Ito, "Color Universal Design", 2008: told apart with any colour vision. The hatch says the same.
BASELINE = {"facecolor": "#DDDDDD", "hatch": "//"}
VARIANT = {"facecolor": "#56B4E9", "hatch": ""}
ROOF = "#B34700"  # their vermilion, darkened until letters in it stand out on white

OFFSET = {"textcoords": "offset points"}
LOG_BEYOND = 30  # where the slowest is this many times the fastest, a linear axis shows the fast ones as nothing


@dataclass(frozen=True)
class Figure:
    """A picture and `alt`, the same in sentences."""

    png: bytes
    alt: str

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.png).decode()
        # The picture is white whatever the page is, so that its black letters can be read on a dark one.
        style = "max-width:100%;width:9in;background:white;border-radius:4px"
        image = f'<img alt="{escape(self.alt)}" style="{style}" src="data:image/png;base64,{data}">'
        return f'<figure style="margin:0 0 1em">{image}</figure>'


def speedup_chart(variants: Mapping[str, Summary], roof_ms: float, title: str) -> Figure:
    """Bars of the median time of each variant, with its quartiles and its speed-up over the first one.

    `roof_ms` is the time of a copy of the same bytes on the same device, drawn as a line.
    """
    return Figure(_png(draw(variants, roof_ms, title)), _alt(variants, roof_ms, title))


def draw(variants: Mapping[str, Summary], roof_ms: float, title: str) -> Canvas:
    """The chart as matplotlib has it, for `speedup_chart` to print."""
    from matplotlib.figure import Figure as Canvas  # imported late: 0.3 s that most cells do not need

    canvas = Canvas(figsize=(9, 1.7 + 0.55 * len(variants)), layout="constrained")
    canvas.suptitle(textwrap.fill(title, 90), fontsize=12, fontweight="bold")
    axes = canvas.subplots()
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
    axes.spines[["top", "right"]].set_visible(False)
    times = [roof_ms, *(time for s in variants.values() for time in (s.median_ms, s.iqr_ms[1]))]
    _scale_axis(axes, min(times), max(times))
    _draw_roof(axes, roof_ms)
    return canvas


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
    axes.tick_params(axis="x", labelsize=10)


def _draw_roof(axes: Axes, roof_ms: float) -> None:
    """The line of the copy, with its words above it, on the side where there is room."""
    axes.axvline(roof_ms, color=ROOF, linestyle="--", linewidth=2)
    place = axes.transAxes.inverted().transform(axes.transData.transform((roof_ms, 0)))[0]
    side = {"ha": "left"} if place < 0.5 else {"ha": "right"}
    words = f"a copy of the same bytes: {show_ms(roof_ms)}"
    top = {"xycoords": axes.get_xaxis_transform()}
    axes.annotate(words, (roof_ms, 1), (0, 4), **OFFSET, **top, **side, color=ROOF, fontsize=11)


def show_ms(ms: float) -> str:
    """Milliseconds: "0.0354 ms"."""
    return f"{three_digits(ms)} ms"


def show_ratio(ratio: float) -> str:
    """A speed-up: "1.50x" is half as fast again, "0.500x" half as fast."""
    return f"{three_digits(ratio)}x"


def three_digits(x: float) -> str:
    """Three significant digits, never in powers of ten; all digits of a larger whole number."""
    exponent = int(f"{x:.2e}".split("e")[1])
    return f"{x:.{max(0, 2 - exponent)}f}"


def _alt(variants: Mapping[str, Summary], roof_ms: float, title: str) -> str:
    (first, baseline), *others = variants.items()
    sentences = [f"Bar chart: {title}.", f"{first} takes {show_ms(baseline.median_ms)}."]
    for name, s in others:
        ratio = show_ratio(baseline.median_ms / s.median_ms)
        sentences.append(f"{name} takes {show_ms(s.median_ms)}, a speed-up of {ratio}.")
    return " ".join([*sentences, f"A copy of the same bytes takes {show_ms(roof_ms)}."])


def _png(canvas: Canvas) -> bytes:
    """150 dots an inch, in 64 colours: a third of the bytes, which every saved notebook carries."""
    from PIL import Image  # which matplotlib needs and brings

    full, small = io.BytesIO(), io.BytesIO()
    canvas.savefig(full, format="png", dpi=150, facecolor="white")
    Image.open(full).convert("RGB").quantize(64).save(small, format="png", optimize=True, dpi=(150, 150))
    return small.getvalue()
