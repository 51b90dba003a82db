"""What a Trace has besides requests and units: lanes, the sectors touched, the accesses of one block."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import torch

from course import trace
from course.build import Module, Unbuilt, bindable_functions, load_inline
from course.errors import CourseError
from course.notebook import trace as tracing
from course.notebook.answers import Candidate
from course.notebook.trace import Access, Layout, Total, Touched, Trace
from tests.kernels import joined

SOURCE = joined("accesses")


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("accesses", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def line_with(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def of_line(found: Trace, text: str) -> list[Access]:
    return [access for access in found.accesses if access.line == line_with(text)]


def test_lanes_are_the_threads_that_took_part(run: Module) -> None:
    found = {(t.kernel, t.line, t.space, t.op): t for t in trace(run.in_tiles, torch.randn(256)).traffic}
    # 2 blocks of 256 threads. In each block, one row of 16 threads reads the column. Only one block stores.
    assert found["tiles", line_with("// filled"), "global", "load"].lanes == 512
    assert found["tiles", line_with("// a column"), "shared", "load"].lanes == 32
    assert found["tiles", line_with("// spread"), "global", "store"].lanes == 256


def test_totals_are_sums_over_the_lines(run: Module) -> None:
    found = trace(run.in_tiles, torch.randn(256))
    # Loads of both blocks and the stores of one: 8 warps per block, 4 sectors per request.
    assert found.total("global") == Total(requests=24, units=96, ideal=96, lanes=768)
    # In each block, 8 requests store two rows each, 17 words apart, so that two lanes share bank 0. Half a warp
    # reads the column and stores it. The block that spreads the column reads 16 words in each of 8 requests.
    assert found.total("shared") == Total(requests=28, units=44, ideal=28, lanes=512 + 64 + 256)
    assert found.total("shared").over_least == 44 / 28 and found.total("global").over_least == 1.0


def test_sectors_are_touched_once_in_a_launch_however_often_they_are_asked(run: Module) -> None:
    # 256 floats fill 32 sectors, which both blocks read and one writes.
    assert trace(run.in_tiles, torch.randn(256)).sectors_touched == (Touched("tiles", 32, 32),)
    # 48 floats are 6 sectors, and `offsets` is one more; in the second launch 16 floats are 2 sectors. The two
    # counters, 32 bytes apart, are both read and written.
    found = trace(run.twice, torch.randn(56), torch.randn(56)).sectors_touched
    assert found == (Touched("add", 7, 6), Touched("add", 3, 2), Touched("count", 2, 2))


def test_the_first_block_of_a_kernel_is_logged_access_by_access(run: Module) -> None:
    found = trace(run.in_tiles, torch.randn(256))
    loads = [a for a in of_line(found, "// filled") if a.space == "global"]
    stores = [a for a in of_line(found, "// filled") if a.space == "shared"]
    column = [a for a in of_line(found, "// a column") if a.op == "load"]
    spread = [a for a in of_line(found, "// spread") if a.op == "store"]
    assert len(found.accesses) == 2 * 256 + 2 * 16 + 2 * 256 and not found.accesses_left_out
    assert all((a.kernel, a.bytes_each, a.block) == ("tiles", 4, (0, 0, 0)) for a in found.accesses)
    assert [(a.array, a.op, a.thread, a.offset) for a in loads] == [
        ("A", "load", (x, y, 0), 4 * (16 * y + x)) for y in range(16) for x in range(16)
    ]
    assert [(a.array, a.op, a.offset) for a in stores] == [
        ("tile", "store", 4 * (17 * a.thread[1] + a.thread[0])) for a in stores
    ]
    assert [(a.array, a.offset) for a in column] == [("tile", 4 * (17 * x + 1)) for x in range(16)]
    assert {a.array for a in of_line(found, "// a column")} == {"tile", "row"}
    assert {(a.array, a.interval) for a in spread} == {("out", 2)}  # new: named as the kernel's parameter
    assert [{a.interval for a in each} for each in (loads, stores, column)] == [{0}, {0}, {1}]


def test_the_lanes_of_one_request_share_its_number(run: Module) -> None:
    found = trace(run.in_tiles, torch.randn(256))
    together = collections.defaultdict(list)
    for access in found.accesses:
        together[access.request].append(access)
    assert sorted(together) == list(range(8 + 8 + 1 + 1 + 8 + 8))
    for accesses in together.values():
        assert len({(a.line, a.space, a.op, a.thread[1] // 2, a.interval) for a in accesses}) == 1
        assert len(accesses) == len({a.thread for a in accesses}) == (16 if accesses[0].interval == 1 else 32)


def test_arrays_are_named_after_the_wrapper_s_parameters_else_the_kernel_s_and_never_alike(run: Module) -> None:
    found = trace(run.twice, torch.randn(56), torch.randn(56))
    # `sums` is the kernel's A, and the kernel's B is the wrapper's A. The kernel's second launch is not logged.
    assert {(a.kernel, a.op, a.array) for a in found.accesses} == {
        ("add", "store", "A (new)"), ("add", "load", "A"), ("add", "load", "offsets"), ("count", "atomic", "counts")
    }  # fmt: skip
    assert {a.offset for a in found.accesses if a.array == "A"} == {4 * (8 + i) for i in range(40)}


def test_layouts_say_which_element_an_offset_is(run: Module) -> None:
    found = trace(run.twice, torch.randn(4, 20)[1:].T, torch.randn(2, 4, 8)[0])
    assert found.layouts == {
        "A": Layout((20, 3), (1, 20), itemsize=4, start=20),  # a view that begins in the second row
        "A (new)": Layout((20, 3), (1, 20), itemsize=4, start=0),
        "counts": Layout((16,), (1,), itemsize=4, start=0),
    }


def test_a_lane_is_a_thread_s_place_in_its_warp_though_others_take_no_part(run: Module) -> None:
    found = trace(run.in_tiles, torch.randn(256))
    assert all((a.warp, a.lane) == divmod(a.thread[0] + 16 * a.thread[1], 32) for a in found.accesses)
    assert {a.warp for a in found.accesses} == {*range(8)}
    assert [a.lane for a in trace(run.twice, torch.randn(56), torch.randn(56)).accesses[:40]] == [*range(32), *range(8)]


def test_lanes_at_one_instruction_in_two_spaces_make_two_requests(run: Module) -> None:
    found = [t for t in trace(run.of_either, torch.randn(32)).traffic if t.line == line_with("// from either")]
    assert {(t.space, t.op, t.requests, t.units, t.lanes) for t in found} == {
        ("shared", "load", 1, 1, 8), ("global", "load", 1, 3, 24), ("global", "store", 1, 4, 32)
    }  # fmt: skip


def test_the_pieces_of_a_copy_have_their_own_sizes(run: Module) -> None:
    found = {(t.op, t.bytes_each): t for t in trace(run.of_structs, torch.randn(160)).traffic}
    # Each thread copies 20 bytes as one piece of 16 and one of 4. All threads together touch about 20 sectors.
    assert set(found) == {("load", 16), ("load", 4), ("store", 16), ("store", 4)}
    assert all(t.requests == 1 and t.lanes == 32 for t in found.values())


def test_a_long_log_ends_at_a_whole_request_and_says_so(run: Module) -> None:
    found = trace(run.of_rounds, torch.randn(32), 4000)
    assert len(found.accesses) == 100_000 and found.accesses_left_out == 32 * 4001 - 100_000
    assert not trace(run.of_rounds, torch.randn(32), 3000).accesses_left_out


SAMPLED = joined("accesses_sampled")


@pytest.fixture(scope="module")
def large() -> Module:
    return load_inline("sampled", cuda_sources=SAMPLED, functions=bindable_functions(SAMPLED), toolchain="emulator")


def sampled_and_whole(monkeypatch: pytest.MonkeyPatch, most: int, *call: Any) -> tuple[Trace, Trace]:
    whole = trace(*call)
    monkeypatch.setattr(tracing, "MAX_ACCESSES", most)
    return trace(*call), whole


@pytest.mark.parametrize("size", [20_000, 20_001, 20_063])
def test_an_element_wise_kernel_is_counted_exactly_from_a_sample(monkeypatch, large: Module, size: int) -> None:
    sample, whole = sampled_and_whole(monkeypatch, 4000, large.plus_one, torch.randn(size))
    assert (
        sample.sampled
        == (f"add_one was traced on 5 of its {-(-size // 64)} blocks, and its counts are scaled to all of them")
        and not whole.sampled
    )
    assert sample.traffic == whole.traffic and sample.hazards == ()
    assert len(whole.sectors_touched) == 1 and sample.sectors_touched == ()  # blocks may share them: not scaled


def test_a_matmul_with_ragged_edges_is_counted_exactly_from_a_sample(monkeypatch, large: Module) -> None:
    # A row's length is a multiple of 8 floats, so each row begins at a sector. Only the last blocks in x and y differ.
    call = large.matmul, torch.randn(75, 40), torch.randn(40, 88 + 4)
    sample, whole = sampled_and_whole(monkeypatch, 20_000, *call)
    assert sample.sampled and sample.accesses == whole.accesses
    for one, other in zip(sample.traffic, whole.traffic, strict=True):
        assert (one.line, one.op, one.requests, one.lanes) == (other.line, other.op, other.requests, other.lanes)
        assert abs(one.units - other.units) <= 0.05 * other.units  # since rows of C begin in the middle of a sector
        assert (one.units == other.units) or one.space == "global"


def test_a_thread_a_row_is_counted_from_a_sample_within_what_its_blocks_differ(monkeypatch, large: Module) -> None:
    # Rows of 33 floats: a block's 64 rows begin anywhere in a sector, but in the same way in every block.
    sample, whole = sampled_and_whole(monkeypatch, 40_000, large.row_a_thread, torch.randn(2000, 33))
    assert sample.sampled and sample.traffic == whole.traffic


def test_blocks_that_all_differ_are_counted_from_a_sample_to_a_few_percent(monkeypatch, large: Module) -> None:
    # Block b loads b + 1 floats. The first blocks are counted one by one until the launch turns out to be large.
    sample, whole = sampled_and_whole(monkeypatch, 50_000, large.sums, torch.randn(1000))
    (loads, exact), (stores, all_stores) = zip(sample.traffic, whole.traffic, strict=True)
    assert exact.requests == 1000 * 1001 // 2 and sample.sampled and stores.requests == all_stores.requests == 1000
    assert abs(loads.requests - exact.requests) < 0.03 * exact.requests


def test_a_sample_has_the_first_and_the_last_block(monkeypatch, large: Module) -> None:
    sample, whole = sampled_and_whole(monkeypatch, 4000, large.past_the_end, torch.zeros(64 * 300))
    for found in (sample, whole):
        assert [(h.kind, h.where[0]["block"]) for h in found.hazards] == [("out-of-bounds", [300, 0, 0])]


def test_races_between_blocks_are_not_told_from_a_sample(monkeypatch, large: Module) -> None:
    sample, whole = sampled_and_whole(monkeypatch, 100, large.races, torch.zeros(1000))
    assert [h.kind for h in whole.hazards] == ["race"] and sample.hazards == () and sample.sampled


def test_what_reads_the_blocks_outside_of_a_sample_is_not_counted(monkeypatch, large: Module) -> None:
    sample, whole = sampled_and_whole(monkeypatch, 4000, large.plus_two, torch.randn(20_000))
    assert whole.traffic and sample.traffic == () and sample.accesses == () and sample.hazards == ()
    assert sample.remarks == (
        "a block reads data that blocks outside of the sample may have written, so its work is unknown: trace "
        "smaller inputs",
    )


def test_a_sample_is_the_same_every_time(monkeypatch, large: Module) -> None:
    monkeypatch.setattr(tracing, "MAX_ACCESSES", 4000)
    A = torch.randn(300, 33)
    assert trace(large.row_a_thread, A) == trace(large.row_a_thread, A)


def test_tensors_for_which_memory_is_too_small_are_refused(monkeypatch, large: Module) -> None:
    monkeypatch.setattr(tracing, "free_memory", lambda device: 17 << 20)
    trace(large.plus_one, torch.zeros(1 << 16))
    with pytest.raises(CourseError, match=r"a call with 1 MiB of tensors takes up to 18 MiB, but only 17 MiB are free"):
        trace(large.plus_one, torch.zeros(1 << 18))


def test_trace_refuses_in_a_sentence_what_it_cannot_trace() -> None:
    unbuilt = Unbuilt("relu", "no CUDA")
    with pytest.raises(CourseError, match=r"^relu did not build: fix and run its %%cuda cell, then call forward"):
        trace(unbuilt.forward, torch.randn(3))
    with pytest.raises(
        CourseError, match=r"takes a function of a %%cuda module, .* not a Candidate\. To trace a %%candidate"
    ):
        trace(Candidate("class ModelNew: ..."), torch.randn(3))
