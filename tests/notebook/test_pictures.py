"""The pictures of a block's accesses: what is drawn, what is said beside it, and that all of it can be read."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from course import build, trace
from course.notebook.pictures.draw import rectangles
from course.notebook.pictures.elements import element_name
from course.notebook.pictures.intervals import draw_intervals, interval_figure, intervals
from course.notebook.pictures.requests import Request, draw_requests, first_requests, request_figure
from course.notebook.pictures.tiles import draw_tile, tile_figure, uses
from course.notebook.tracing import Access, Layout
from tests.kernels import kernel

SOURCE = "\n" * 13 + "    C[i * N + j] = A[i] * B[i * N + j];\n"
NUMBERS = itertools.count()  # of requests


def warps(threads, line, space, op, size, array, offset, interval=0):
    """The accesses of threads in x, of each the bytes from `offset(x)`; where that is None, of none."""
    made = []
    for first in range(0, threads, 32):
        request = next(NUMBERS)
        for x in range(first, min(first + 32, threads)):
            if offset(x) is not None:
                place = ((0, 0, 0), (x, 0, 0), x % 32, request, interval)
                made.append(Access("k", line, space, op, size, array, offset(x), *place))
    return made


def one(space, op, size, offset, array="B"):
    (request,) = first_requests(warps(32, 14, space, op, size, array, offset))
    return request


COALESCED = one("global", "load", 4, lambda x: 4 * x)
STRIDED = one("global", "store", 4, lambda x: 400 * x)
BROADCAST = one("global", "load", 4, lambda x: 36)
FLOAT4 = one("global", "load", 16, lambda x: 16 * x)
TWO_ROWS = one("global", "load", 4, lambda x: 4 * (100 * (x // 16) + x % 16))
ONE_LANE = one("global", "store", 8, lambda x: 0 if x == 3 else None)
NO_CONFLICT = one("shared", "load", 4, lambda x: 4 * x)
CONFLICT = one("shared", "store", 4, lambda x: 4 * 16 * x, "tile")
SHARED_WORD = one("shared", "load", 4, lambda x: 4 * (x // 16))
WIDE = one("shared", "load", 16, lambda x: 16 * x)
TOWER = one("shared", "load", 4, lambda x: 128 * x)
REQUESTS = {
    "coalesced": COALESCED, "strided": STRIDED, "broadcast": BROADCAST, "float4": FLOAT4, "two rows": TWO_ROWS,
    "one lane": ONE_LANE, "no conflict": NO_CONFLICT, "conflict": CONFLICT, "shared word": SHARED_WORD, "wide": WIDE,
    "tower": TOWER,
}  # fmt: skip
MATRIX = {"B": Layout((50, 100), (100, 1), 4, 0)}


# Requests


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (COALESCED, "Line 14 loads B: 32 lanes of 4 bytes, 4 sectors. `C[i * N + j] = A[i] * B[i * N + j];`. Lanes 0 to"
         " 31 ask, the lowest address is B[0, 0], the highest B[0, 31]. Neighbouring lanes ask for neighbouring"
         " addresses: coalesced. All 128 bytes of the sectors are asked for."),
        (STRIDED, "Line 14 stores B: 32 lanes of 4 bytes, 32 sectors; 4 would do. `C[i * N + j] = A[i] * B[i * N + j];"
         "`. Lanes 0 to 31 ask, the lowest address is B[0, 0], the highest B[31, 0]. From lane to lane 400 bytes:"
         " strided. 128 of 1,024 bytes of the sectors are asked for."),
        (BROADCAST, "32 lanes of 4 bytes, 1 sector. `C[i * N + j] = A[i] * B[i * N + j];`. Lanes 0 to 31 ask for B[0, "
         "9]. All ask for the same address: a broadcast. 4 of 32 bytes of the sector are asked for."),
        (FLOAT4, "32 lanes of 16 bytes, 16 sectors."),
        (TWO_ROWS, "5 sectors; 4 would do."),
        (TWO_ROWS, "32 different addresses, in 2 runs of neighbours."),
        (ONE_LANE, "stores B: 1 lane of 8 bytes, 1 sector."),
        (ONE_LANE, "Lane 3 asks, the lowest address is B[0, 0], the highest B[0, 1]. One lane asks."),
        (NO_CONFLICT, "32 lanes of 4 bytes, 1 wavefront."),
        (NO_CONFLICT, "No bank is asked for two words: no conflict."),
        (CONFLICT, "stores tile: 32 lanes of 4 bytes, 16 wavefronts; 1 would do."),
        (CONFLICT, "the lowest address is byte 0, the highest byte 1,987. A conflict: banks 0, 16 are each asked for 16"
         " words."),
        (SHARED_WORD, "no conflict. x16: one word for 16 lanes."),
        (WIDE, "32 lanes of 16 bytes, 4 wavefronts."),
        (WIDE, "4 parts of the warp, one after another. No bank is asked for two words: no conflict."),
        (TOWER, "A conflict: bank 0 is asked for 32 words."),
    ],
)  # fmt: skip
def test_the_words_say_what_a_request_costs_and_why(request_, words):
    assert words in request_figure([request_], SOURCE, MATRIX, "t").alt


@pytest.mark.parametrize("name", REQUESTS)
def test_each_lane_that_asks_has_its_line_and_each_unit_its_place(name):
    request = REQUESTS[name]
    axes = draw_requests([request], SOURCE, MATRIX, "t").axes[0]
    between = [line for line in axes.lines if line.get_color() == "#444444"]
    assert len(between) == len(request.lanes)
    black = [box for box in axes.patches if box.get_edgecolor()[:3] == (0, 0, 0)]
    fronts = {text.get_text() for text in axes.texts if "wavefront " in text.get_text()}
    assert len(black) == len(request.sectors) * (request.space == "global")
    assert len(fronts - {axes.texts[1].get_text()}) == len(request.wavefronts) * (request.space == "shared")


def test_bytes_are_filled_where_they_lie_in_their_sector():
    axes = draw_requests([BROADCAST], SOURCE, MATRIX, "t").axes[0]  # byte 36: the second word of its sector
    (sector,) = (box for box in axes.patches if box.get_edgecolor()[:3] == (0, 0, 0))
    (used,) = (box for box in axes.patches if box.get_linewidth() == 0)
    assert used.get_x() - sector.get_x() == pytest.approx(sector.get_width() / 8)
    assert used.get_width() == pytest.approx(sector.get_width() / 8)


def test_a_piece_of_a_copied_struct_may_lie_in_two_sectors():
    assert one("global", "load", 16, lambda x: 20 if x == 1 else None).sectors == [0, 1]


def test_neighbouring_sectors_touch_and_others_do_not():
    def gaps(request):
        axes = draw_requests([request], SOURCE, MATRIX, "t").axes[0]
        boxes = sorted(box.get_extents().x0 for box in axes.patches if box.get_edgecolor()[:3] == (0, 0, 0))
        return len({round(b - a, 3) for a, b in itertools.pairwise(boxes)})

    assert gaps(COALESCED) == gaps(STRIDED) == 1 and gaps(TWO_ROWS) == 2


def test_of_a_line_that_request_is_drawn_in_which_most_lanes_take_part():
    accesses = warps(70, 3, "global", "load", 4, "A", lambda x: 4 * x if x > 5 else None)
    accesses += warps(32, 3, "global", "store", 4, "A", lambda x: 4 * x)
    load, store = first_requests(accesses)
    assert load.op == "load" and load.lanes == tuple((lane, 4 * (32 + lane)) for lane in range(32))
    assert store.op == "store"


def test_more_requests_than_a_page_takes_are_counted():
    many = [one("global", "load", 4, lambda x: 4 * x, f"A{i}") for i in range(11)]
    alt = request_figure(many, SOURCE, {}, "title").alt
    assert alt.startswith("title (the first 8 of 11).") and "A7" in alt and "A8" not in alt


@pytest.fixture(scope="module")
def gather():
    """Kernels that load one element of 4, 8 or 16 bytes per lane from global and from shared memory, by a table."""
    source = kernel("pictures/gather")
    return build.load_inline("gather", cuda_sources=source, functions=["gathered"], toolchain="emulator").gathered


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-1, 127), min_size=32, max_size=32),
    st.sampled_from([4, 8, 16]),
    st.sampled_from([0, 1, 2]),
)
def test_a_picture_counts_as_the_tracer_does(gather, table, size, pairs):
    table = [table[lane & ~pairs] for lane in range(32)]  # lanes that ask in pairs are served together
    found = trace(gather, torch.randn(512), torch.tensor(table, dtype=torch.int32), size)
    drawn = {(r.line, r.space, r.op): r for r in first_requests(found.accesses)}
    for place in ((9, "shared", "load"), (10, "global", "load")):
        counted = [t for t in found.traffic if (t.line, t.space, t.op) == place]
        if max(table) < 0:
            assert not counted and place not in drawn
            continue
        (request, (line,)) = drawn[place], counted
        units, unit = (request.sectors, 32) if place[1] == "global" else (request.wavefronts, 128)
        assert (line.requests, line.lanes, line.units) == (1, len(request.lanes), len(units))
        assert line.ideal == request.ideal(unit)


# Tiles


def naive_and_tiled():
    """A block of 4 x 8 threads of a matrix product, 8 x 8 times 8 x 8, without and with tiles of 4 values of k."""
    naive, tiled = [], []
    for k in range(8):
        naive += warps(32, 5, "global", "load", 4, "A", lambda x, k=k: 4 * (8 * (x // 8) + k))
        naive += warps(32, 5, "global", "load", 4, "B", lambda x, k=k: 4 * (8 * k + x % 8))
    for step in range(2):
        tiled += warps(
            16, 5, "global", "load", 4, "A", lambda x, s=step: 4 * (8 * (x // 4) + 4 * s + x % 4), interval=2 * step
        )
        tiled += warps(32, 6, "global", "load", 4, "B", lambda x, s=step: 4 * (32 * s + x), interval=2 * step)
    store = warps(32, 9, "global", "store", 4, "C", lambda x: 4 * x)
    return naive + store, tiled + store


SQUARE = {name: Layout((8, 8), (8, 1), 4, 0) for name in "ABC"}


def test_a_tile_counts_how_often_each_element_is_asked_for():
    naive, tiled = (uses(accesses, SQUARE) for accesses in naive_and_tiled())
    rows, all_rows = np.arange(8)[:, None] < 4, np.ones((8, 8))
    assert [use.array for use in naive] == [use.array for use in tiled] == ["A", "B", "C"]
    assert (naive[0].reads == 8 * rows).all() and (naive[1].reads == 4 * all_rows).all()
    assert (tiled[0].reads == rows).all() and (tiled[1].reads == all_rows).all()
    assert (naive[2].writes == rows).all() and not naive[2].reads.any()
    alt = tile_figure(naive, "t").alt
    assert "A (8 x 8): 32 elements read, 8 times each (rows 0 to 3, columns 0 to 7)." in alt
    assert "C (8 x 8): 32 elements written, once each (rows 0 to 3, columns 0 to 7)." in alt


def test_a_tile_tells_the_parts_that_are_loaded_between_barriers():
    _, tiled = (uses(accesses, SQUARE) for accesses in naive_and_tiled())
    axes = draw_tile(tiled, "t").axes
    assert [text.get_text() for text in axes[0].texts] == [text.get_text() for text in axes[1].texts] == ["0", "2"]
    assert not axes[2].texts
    left, right = sorted(patch.get_x() for patch in axes[0].patches)
    assert (left, right) == (-0.5, 3.5)  # columns 0 to 3, then 4 to 7
    assert "first asked for in 2 intervals" in tile_figure(tiled, "t").alt


def test_reads_are_the_darker_the_more_and_writes_are_hatched():
    used = uses(naive_and_tiled()[0], SQUARE)
    a, b, c = (axes.patches[0] for axes in draw_tile(used, "t").axes)
    assert sum(a.get_facecolor()) < sum(b.get_facecolor())  # 8 times, 4 times
    assert c.get_hatch() and not a.get_hatch()


def test_elements_are_found_by_strides_and_start():
    transposed = Layout((3, 5), (1, 4), 2, start=6)  # of 2 bytes
    assert element_name("x", 2 * (6 + 2 + 4 * 4), transposed) == "x[2, 4]"
    assert element_name("x", 2 * (6 + 3), transposed) == "byte 18"  # between two rows
    assert element_name("x", 2 * 5, transposed) == "byte 10"  # before the first
    assert element_name("x", 64, None) == "byte 64"
    assert element_name("x", 4 * 23, Layout((2, 3, 4), (12, 4, 1), 4, 0)) == "x[1, 2, 3]"
    accesses = warps(4, 3, "global", "load", 4, "x", lambda x: 2 * (6 + 4 * x))  # two elements each
    (use,) = uses(accesses, {"x": transposed})
    assert use.reads.tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 0]]


def test_a_small_part_of_a_large_tensor_is_drawn_large_enough_to_be_seen():
    accesses = warps(32, 3, "global", "atomic", 4, "x", lambda x: 4 * (5000 + x))
    (use,) = uses(accesses, {"x": Layout((100, 1000), (1000, 1), 4, 0)})
    (axes,) = draw_tile([use], "t").axes
    assert use.reads[5, :32].all() and use.writes[5, :32].all()
    assert axes.get_xlim()[1] < 100 and axes.get_ylim()[0] < 20


@given(st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=1, max_size=6))
def test_rectangles_cover_each_element_once_by_its_value(labels):
    covered = np.zeros((len(labels), 6), dtype=int)
    for row, column, height, width, value in rectangles(np.array(labels)):
        assert not covered[row : row + height, column : column + width].any()
        covered[row : row + height, column : column + width] = value
    assert covered.tolist() == labels


# Intervals


def tree(barriers=True):
    """The sum of 8 words by 8 threads; without barriers all of it in one interval."""
    accesses = warps(8, 3, "shared", "store", 4, "partial", lambda x: 4 * x)
    for step, half in enumerate((4, 2, 1), 1):
        for op, shift in (("load", 0), ("load", half), ("store", 0)):
            accesses += warps(
                8, 5, "shared", op, 4, "partial", lambda x, h=half, s=shift: 4 * (x + s) if x < h else None,
                interval=step * barriers,
            )  # fmt: skip
    return accesses


def test_each_interval_says_what_is_read_and_written_in_it_and_by_how_many():
    alt = interval_figure(intervals(tree()), "t").alt
    assert "Interval 0: partial: 8 elements written (8 threads write)." in alt
    assert (
        "Interval 1: partial: 4 elements read, 4 elements read and written, each by one thread (4 threads read, 4 "
        "write)." in alt
    )
    assert "Interval 3: partial: 1 element read, 1 element read and written" in alt


def test_without_the_barrier_elements_go_from_one_thread_to_another():
    (only,) = intervals(tree(barriers=False))
    alt = interval_figure([only], "t").alt  # element 0 is thread 0's alone
    assert "1 element read and written, each by one thread, 7 elements written by one thread, used by another" in alt


def test_intervals_that_do_the_same_are_drawn_once():
    accesses = []
    for step in range(3):
        accesses += warps(64, 3, "shared", "store", 4, "tile", lambda x: 4 * x, interval=2 * step)
        accesses += warps(64, 4, "shared", "load", 4, "tile", lambda x: 4 * (63 - x), interval=2 * step + 1)
    shown = intervals(accesses)
    assert [each.alike for each in shown] == [(0, 2, 4), (1, 3, 5)]
    axes = draw_intervals(shown, "t").axes[0]
    words = [text.get_text() for text in axes.texts]
    assert words.count("__syncthreads()") == 1 and "Interval 0 (alike: 2, 4)" in words


def test_elements_smaller_than_a_word_are_told_apart():
    accesses = warps(8, 3, "shared", "store", 2, "halves", lambda x: 2 * x)
    (only,) = intervals(accesses)
    assert len(only.states["halves"]) == 8 and "8 elements written (8" in interval_figure([only], "t").alt


# All pictures

VECTORS = {name: Layout((4096,), (1,), 4, 0) for name in "AC"}
TWO_ARRAYS = tree(barriers=False) + [access._replace(array="other") for access in tree(barriers=False)]
ALL = {
    **{name: (draw_requests, [request], SOURCE, MATRIX) for name, request in REQUESTS.items()},
    "many": (draw_requests, list(REQUESTS.values()), SOURCE, {}),
    "naive": (draw_tile, uses(naive_and_tiled()[0], SQUARE)),
    "tiled": (draw_tile, uses(naive_and_tiled()[1], SQUARE)),
    "vectors": (draw_tile, uses(naive_and_tiled()[0], VECTORS)),
    "tree": (draw_intervals, intervals(tree())),
    "race": (draw_intervals, intervals(TWO_ARRAYS)),
}


@pytest.mark.parametrize("name", ALL)
def test_no_text_is_cut_off_or_too_small_or_on_another(name):
    draw, *what = ALL[name]
    canvas = draw(*what, "A title")
    canvas.draw_without_rendering()
    outside = {
        label
        for axes in canvas.axes
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, sorted(axes.get_ylim())))
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not low <= tick.get_loc() <= high
    }
    texts = [text for text in canvas.findobj(Text) if text.get_text() and text.get_visible() and text not in outside]
    boxes = [(text, text.get_window_extent()) for text in texts]
    for text, box in boxes:
        assert text.get_fontsize() >= 9
        assert box.x0 >= 0 and box.x1 <= canvas.bbox.x1 and box.y0 >= 0 and box.y1 <= canvas.bbox.y1, text
    for (text, box), (other, its) in itertools.combinations(boxes, 2):
        wide = min(box.x1, its.x1) - max(box.x0, its.x0)
        high = min(box.y1, its.y1) - max(box.y0, its.y0)
        assert wide <= 1 or high <= 3, (text, other)


def test_a_picture_is_of_notebook_width_and_small():
    figure = request_figure([COALESCED, STRIDED, BROADCAST], SOURCE, MATRIX, "t")
    assert 1000 < len(figure.png) < 70_000
    assert all(isinstance(patch, Rectangle) for patch in draw_requests([WIDE], SOURCE, {}, "t").axes[0].patches)


def test_wavefronts_tell_the_lanes_of_each_bank():
    assert Request("k", 1, "shared", "load", 4, "t", ((0, 0), (1, 128), (2, 4), (3, 4))).wavefronts == [
        {0: [0], 1: [2, 3]}, {0: [1]}
    ]  # fmt: skip
