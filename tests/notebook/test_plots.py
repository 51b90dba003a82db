"""The figures: what they say in words, what the picture shows, and that nothing is cut off."""

import base64
import io
import itertools
import re

import pytest
from matplotlib.collections import PathCollection
from matplotlib.text import Text
from PIL import Image

from course.explain.limits import H200, Bound, Limit
from course.measure import Roof, Summary, Timings, show_ms
from course.notebook.plots import roofline, show_flops, show_ratio, speedup_chart

WIDE = {
    "torch.diag(A) @ B": Summary(2.69, (2.66, 2.75)),
    "A[:, None] * B": Summary(0.0543, (0.0538, 0.0550)),
    "one thread per element, in a grid of two dimensions": Summary(0.0367, (0.0362, 0.0372)),
}
NARROW = {name: s for name, s in WIDE.items() if s.median_ms < 1}
ONE = {"alone": Summary(3.0, (2.9, 3.2))}


def copy(ms: float) -> Roof:
    return Roof("a copy of the same bytes", ms)


def matmul(variants: dict[str, Summary]) -> Timings:
    slower = {name: Summary(100 * s.median_ms, s.iqr_ms) for name, s in variants.items()}  # none above the roof
    return Timings("H200", {"M": 2048}, 235_000_000, 0.06, 137_400_000_000, 66.9e12, slower)


def scaling(variants: dict[str, Summary]) -> Timings:
    return Timings("H200", {"M": 4096}, 134_234_112, 0.0354, 16_777_216, 66.9e12, variants)


CLOCKS = 132 * 1.98e9  # of all multiprocessors of an H200, per second
LONG_TITLE = "row_scaling, M = 4096, N = 4096, measured on this NVIDIA GeForce RTX 4090 Laptop GPU"


def test_the_words_say_every_number_of_the_picture():
    alt = speedup_chart(WIDE, copy(0.0354), "row_scaling, recorded on an H200").alt
    for number in ("2.69 ms", "0.0543 ms", "49.5x", "0.0367 ms", "73.3x", "0.0354 ms", "recorded on an H200"):
        assert number in alt


@pytest.mark.parametrize("name", [r"$\frac$", r"\$ $x$", "10 $"])
def test_dollar_signs_in_a_name_are_no_formula(name):
    variants = {name: Summary(0.1, (0.1, 0.1))}
    for chart in (speedup_chart(variants, copy(0.03), name), roofline(scaling(variants), name, CLOCKS)):
        canvas = chart.drawing
        canvas.draw_without_rendering()
        shown = [text.get_text() for text in canvas.findobj(Text)]
        assert sum(each.replace(r"\$", "$").startswith(name) for each in shown) >= 2


def test_the_words_of_a_roofline_say_the_roof_and_what_each_variant_reaches():
    alt = roofline(scaling(WIDE), "row_scaling, recorded on an H200", CLOCKS).alt
    # 16,777,216 operations on 134,234,112 bytes: 0.0354 ms at the roof; the variants take 2.69, 0.0543 and 0.0367 ms
    for part in (
        "0.125 operations",
        "memory: 474 GFLOP/s",
        "6.24 GFLOP/s",
        "309 GFLOP/s",
        "457 GFLOP/s",
        "recorded on",
    ):
        assert part in alt
    alt = roofline(matmul(WIDE), "t", CLOCKS, {"mine": least(137.3)}).alt
    assert "arithmetic: 66.9 TFLOP/s" in alt and "L1 and shared memory allow 8.36 TFLOP/s" in alt
    assert "Your mine reaches at most 1.00 TFLOP/s." in alt


def test_html_carries_a_white_picture_of_notebook_width_and_its_words():
    html = speedup_chart(NARROW, copy(0.0354), 'a "quoted" <title>')._repr_html_()
    assert 'alt="Bar chart: a &#34;quoted&#34; &lt;title&gt;.' in html
    data = re.search(r"data:image/png;base64,([^\"]+)", html)[1]
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert image.width == 9 * 150
    assert image.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
    assert len(data) < 60_000


def test_where_there_is_no_html_a_chart_is_its_words():
    chart = speedup_chart(NARROW, copy(0.0354), "t")
    assert repr(chart) == chart.alt


@pytest.mark.parametrize(("variants", "scale"), [(WIDE, "log"), (NARROW, "linear"), (ONE, "linear")])
def test_the_axis_is_logarithmic_only_where_times_are_far_apart(variants, scale):
    axes = speedup_chart(variants, copy(min(s.median_ms for s in variants.values()) * 0.9), "t").drawing.axes[0]
    assert axes.get_xscale() == scale
    assert ("logarithmic" in axes.get_xlabel()) == (scale == "log")
    assert "ms" in axes.get_xlabel()
    bars, dots = axes.patches, [marks for marks in axes.collections if isinstance(marks, PathCollection)]
    assert (len(bars), len(dots)) == ((0, len(variants)) if scale == "log" else (len(variants), 0))


def least(ms: float) -> Bound:
    return Bound(H200, (Limit("shared wavefronts", ms - H200.launch_ms),))


@pytest.mark.parametrize("roof", [0.001, 0.03, 0.5, 40.0])
@pytest.mark.parametrize("variants", [WIDE, NARROW, ONE])
def test_no_text_is_cut_off_and_none_is_too_small(variants, roof):
    assert_legible(speedup_chart(variants, copy(roof), LONG_TITLE).drawing)
    names = list(variants)
    at_least = {names[-1]: least(0.028), "a kernel without a record": least(0.04)}
    assert_legible(speedup_chart(variants, copy(roof), LONG_TITLE, at_least).drawing)


@pytest.mark.parametrize("timings", [matmul, scaling])
@pytest.mark.parametrize("variants", [WIDE, NARROW, ONE])
def test_no_text_of_a_roofline_is_cut_off_and_no_name_is_on_another(timings, variants):
    canvas = roofline(timings(variants), LONG_TITLE, CLOCKS, {"mine": least(20.0)}).drawing
    assert_legible(canvas)
    names = [text for text in canvas.axes[0].texts if "FLOP/s" in text.get_text()]
    extents = [Text.get_window_extent(text) for text in names]  # an annotation's own extent would include its line
    boxes = sorted((box.y0, box.y1) for box in extents)
    assert len(names) == len(variants) + 2 + (timings is matmul)  # the learner's own, the roofs of arithmetic and L1
    assert all(below[1] <= above[0] for below, above in itertools.pairwise(boxes))


def assert_legible(canvas):
    """No text is cut off, and none is too small."""
    canvas.draw_without_rendering()
    paper = canvas.bbox
    axes = canvas.axes[0]
    legends = [text for legend in canvas.legends for text in legend.get_texts()]
    for text in [
        *legends,
        *axes.texts,
        *axes.get_xticklabels(),
        *axes.get_yticklabels(),
        axes.xaxis.label,
        canvas._suptitle,
    ]:
        low, high = axes.get_xlim()
        if text in axes.get_xticklabels() and not low <= text.get_position()[0] <= high:
            continue  # a tick outside the axis, which is not drawn
        if text in axes.get_yticklabels() and not min(axes.get_ylim()) <= text.get_position()[1] <= max(
            axes.get_ylim()
        ):
            continue
        box = text.get_window_extent()
        assert text.get_fontsize() >= 10
        assert box.x0 >= paper.x0 and box.x1 <= paper.x1 and box.y0 >= paper.y0 and box.y1 <= paper.y1, text


def test_the_first_bar_is_told_apart_without_colour_and_only_what_was_not_measured_is_hatched():
    first, second, third, hatched = (
        speedup_chart(NARROW | {"third": NARROW["A[:, None] * B"]}, copy(0.03), "t", {"third": least(0.02)})
        .drawing.axes[0]
        .patches
    )
    light, dark = (0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in (x.get_facecolor() for x in (first, second)))
    assert light - dark > 0.2
    assert hatched.get_hatch() and not any(bar.get_hatch() for bar in (first, second, third))


@pytest.mark.parametrize("variants", [WIDE, NARROW])
def test_the_learners_least_time_is_hatched_below_the_record(variants):
    *_, name = variants
    bounds = {name: least(0.028), "new": least(0.04)}
    canvas = speedup_chart(variants, copy(0.0354), "t", bounds).drawing
    axes = canvas.axes[0]
    heights = {text.get_text(): text.xy[1] for text in axes.texts}
    recorded = heights["0.0367 ms (73.3x)" if variants is WIDE else "0.0367 ms (1.48x)"]
    first, second = (heights[f"yours ≥ {ms} ms (shared wavefronts)"] for ms in ("0.028", "0.040"))
    assert recorded < first < second
    marks = axes.patches if variants is NARROW else [m for m in axes.collections if isinstance(m, PathCollection)]
    assert sum(bool(mark.get_hatch()) for mark in marks) == 2
    words = [text.get_text() for text in canvas.legends[0].get_texts()]
    assert "recorded on an H200" in words[0] and "not measured" in words[1]
    alt = speedup_chart(variants, copy(0.0354), "t", bounds).alt
    assert f"Your {name} takes at least 0.028 ms on an H200, bound by shared wavefronts" in alt and "Your new" in alt


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0.0354, "0.0354 ms"), (0.09996, "0.100 ms"), (2.694, "2.69 ms"), (81, "81.0 ms"), (1234.5, "1234 ms")],
)
def test_times_have_three_digits_and_no_powers(ms, text):
    assert show_ms(ms) == text


@pytest.mark.parametrize(
    ("flops", "text"), [(66.9e12, "66.9 TFLOP/s"), (474.2e9, "474 GFLOP/s"), (12.0, "12.0 FLOP/s")]
)
def test_operations_a_second_have_three_digits_and_a_unit(flops, text):
    assert show_flops(flops) == text


def test_a_slower_variant_has_a_speed_up_below_one():
    assert show_ratio(0.5) == "0.500x"
