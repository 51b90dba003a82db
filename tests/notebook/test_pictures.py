"""The pictures of a block's accesses: what is drawn, what is said beside it, and that all of it can be read."""

import itertools
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course import build, trace
from course.explain.counts import Access, Layout
from course.notebook.pictures.placed import request_figure
from course.notebook.pictures.requests import Request, element_name, first_requests, source_line
from course.notebook.pictures.svg import BLUE
from tests.kernels import kernel
from tests.notebook.drawings import boxes, lines, size, texts

SOURCE = "\n" * 13 + "    C[i * N + j] = A[i] * B[i * N + j];\n"
NUMBERS = itertools.count()  # numbers of requests


def warps(threads, line, space, op, size, array, offset, interval=0):
    """The accesses of threads in x. Thread x accesses the bytes from `offset(x)`, or none if this is None."""
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
UNITS = {"global": "memory", "shared": "bank"}  # the name of the row below the lanes
MATRIX = {"B": Layout((50, 100), (100, 1), 4, 0)}


# Requests


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (COALESCED, "Line 14 loads B: 32 lanes of 4 bytes, 4 sectors. `C[i * N + j] = A[i] * B[i * N + j];`. Lanes 0 to"
         " 31 are active. The lowest address is B[0, 0], the highest B[0, 31]. Neighbouring lanes request neighbouring"
         " addresses: coalesced. All 128 bytes of the sectors are requested."),
        (STRIDED, "Line 14 stores B: 32 lanes of 4 bytes, 32 sectors; 4 would be enough. `C[i * N + j] ="
         " A[i] * B[i * N + j];`. Lanes 0 to 31 are active. The lowest address is B[0, 0], the highest B[31, 0]. The "
         "addresses of neighbouring"
         " lanes are 400 bytes apart: strided. 128 of 1,024 bytes of the sectors are requested."),
        (BROADCAST, "32 lanes of 4 bytes, 1 sector. `C[i * N + j] = A[i] * B[i * N + j];`. Lanes 0 to 31 are"
         " active. The address is B[0, 9]. All lanes request the same address: a broadcast. 4 of 32 bytes of the sector"
         " are requested."),
        (FLOAT4, "32 lanes of 16 bytes, 16 sectors."),
        (TWO_ROWS, "5 sectors; 4 would be enough."),
        (TWO_ROWS, "32 different addresses, in 2 runs of neighbours."),
        (ONE_LANE, "stores B: 1 lane of 8 bytes, 1 sector."),
        (ONE_LANE, "Lane 3 is active. The lowest address is B[0, 0], the highest B[0, 1]. Only one lane is active."),
        (NO_CONFLICT, "32 lanes of 4 bytes, 1 wavefront."),
        (NO_CONFLICT, "No two of the words are in the same bank: no conflict."),
        (CONFLICT, "stores tile: 32 lanes of 4 bytes, 16 wavefronts; 1 would be enough."),
        (CONFLICT, "The lowest address is byte 0, the highest byte 1,987. A conflict: 16 different words are in each"
         " of the banks 0, 16."),
        (SHARED_WORD, "no conflict. x16: one word for 16 lanes."),
        (WIDE, "32 lanes of 16 bytes, 4 wavefronts."),
        (WIDE, "4 parts of the warp, one after another. No two of the words are in the same bank: no conflict."),
        (TOWER, "A conflict: 32 different words are in bank 0."),
    ],
)  # fmt: skip
def test_the_words_say_what_a_request_costs_and_why(request_, words):
    assert words in request_figure([request_], SOURCE, MATRIX, "t").alt


def outlines(figure):
    """The sectors that are drawn."""
    return [box for box in boxes(figure) if box.edge == 1.2]


@pytest.mark.parametrize("name", REQUESTS)
def test_each_lane_that_asks_has_its_line_and_each_unit_its_place(name):
    request = REQUESTS[name]
    drawn = request_figure([request], SOURCE, MATRIX, "t")
    rows = {text.text: text.y for text in reversed(texts(drawn))}
    lanes, memory = rows["lane"], rows[UNITS[request.space]]
    between = [line for line in lines(drawn) if lanes < line[1] < line[3] < memory]
    assert len(between) == len(request.lanes)
    assert len(outlines(drawn)) == len(request.sectors) * (request.space == "global")
    fronts = [text for text in texts(drawn) if text.text.startswith("wavefront ")]
    assert len(fronts) == len(request.wavefronts) * (request.space == "shared")


def test_bytes_are_filled_where_they_lie_in_their_sector():
    drawn = request_figure([BROADCAST], SOURCE, MATRIX, "t")  # byte 36: the second word of its sector
    (sector,) = outlines(drawn)
    (used,) = (box for box in boxes(drawn) if box.fill == BLUE)
    assert used.x - sector.x == pytest.approx(sector.width / 8, abs=0.2)
    assert used.width == pytest.approx(sector.width / 8, abs=0.2)


def test_a_piece_of_a_copied_struct_may_lie_in_two_sectors():
    assert one("global", "load", 16, lambda x: 20 if x == 1 else None).sectors == [0, 1]


def test_neighbouring_sectors_touch_and_others_do_not():
    def gaps(request):
        drawn = sorted(outlines(request_figure([request], SOURCE, MATRIX, "t")))
        return len({round(b.x - a.x) for a, b in itertools.pairwise(drawn)})

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
    table = [table[lane & ~pairs] for lane in range(32)]  # lanes whose requests are paired are served together
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


def test_elements_are_found_by_strides_and_start():
    transposed = Layout((3, 5), (1, 4), 2, start=6)  # of 2 bytes
    assert element_name("x", 2 * (6 + 2 + 4 * 4), transposed) == "x[2, 4]"
    assert element_name("x", 2 * (6 + 3), transposed) == "byte 18"  # between two rows
    assert element_name("x", 2 * 5, transposed) == "byte 10"  # before the first
    assert element_name("x", 64, None) == "byte 64"
    assert element_name("x", 4 * 23, Layout((2, 3, 4), (12, 4, 1), 4, 0)) == "x[1, 2, 3]"


# All pictures

ALL = {
    **{name: request_figure([request], SOURCE, MATRIX, "t") for name, request in REQUESTS.items()},
    "many": request_figure(list(REQUESTS.values()), SOURCE, {}, "t"),
}


@pytest.mark.parametrize("name", ALL)
def test_no_text_is_cut_off_or_too_small_or_on_another(name):
    (width, height), written = size(ALL[name]), texts(ALL[name])
    for text in written:
        assert text.size >= 10 and text.left >= -2 and text.right <= width + 4 and 0 < text.y < height, text
    for box in boxes(ALL[name]):
        assert box.x >= 0 and box.y >= 0 and box.x + box.width <= width + 1 and box.y + box.height <= height, box
    for text, other in itertools.combinations(written, 2):
        wide = min(text.right, other.right) - max(text.left, other.left)
        high = min(text.y, other.y) - max(text.y - 0.8 * text.size, other.y - 0.8 * other.size)
        assert wide <= 2 or high <= 1, (text, other)


@pytest.mark.parametrize("name", sorted(ALL.keys() - {"many"}))
def test_a_picture_fits_a_page_and_is_small(name):
    assert size(ALL[name])[1] <= 680 and len(ALL[name].svg) < 25_000


def test_wavefronts_tell_the_lanes_of_each_bank():
    assert Request("k", 1, "shared", "load", 4, "t", ((0, 0), (1, 128), (2, 4), (3, 4))).wavefronts == [
        {0: [0], 1: [2, 3]}, {0: [1]}
    ]  # fmt: skip


def test_a_line_is_the_compiler_s_and_no_letter_of_it_breaks_the_drawing():
    source = "a;  // \u2028\x0c\nb;  // \x1b\x00\ufffe"
    assert source_line(source, 2) == "b;  // \x1b\x00\ufffe"
    request = replace(COALESCED, line=2)
    figure = request_figure([request], source, {}, "t")
    assert "b; // \ufffd\ufffd\ufffd" in [text.text for text in texts(figure)]
    assert "`b;  // \ufffd\ufffd\ufffd`" in figure.alt
