"""The traffic that the tracer counts, compared with counts made by hand and by a model in NumPy.

The counts made by hand are in the heads of `tests/kernels/traffic`, beside `launch` (`tests/kernels`):

    why: TEXT                 how the counts come about
    elements: NUMBER of the tensor with which it is called
    SPACE OPERATION BYTES: N requests, N sectors or wavefronts, ideal N, N cycles (which may be left out)
"""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, bindable_functions, load_inline
from course.notebook.trace import trace
from tests.heads import Headed
from tests.kernels import joined, kernels

# What one access is: the space, the operation and the bytes per lane.
Access = tuple[str, str, int]
SHARED_LOAD = ("shared", "load", 4)


def expected_counts(file: Headed) -> dict[Access, tuple[int, ...]]:
    """Requests, units, ideal and perhaps cycles that the head states, by access."""
    counts = {}
    for key, value in file.lines:
        if match := re.fullmatch(r"(global|shared) (load|store|atomic) (\d+)", key):
            space, op, size = match.groups()
            counts[space, op, int(size)] = tuple(int(number) for number in re.findall(r"\d+", value))
    return counts


BY_HAND = {file.name: file for file in kernels("traffic")}
SOURCE = joined("traffic", "zeros_like") + joined("traffic_calls")


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("traffic", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def counted(function, *arguments) -> dict[Access, np.ndarray]:
    """Requests, units, ideal and cycles of the kernel, by access."""
    found = trace(function, *arguments)
    assert found.hazards == ()
    totals: dict = {}
    for line in found.traffic:
        key = line.space, line.op, line.bytes_each
        totals[key] = totals.get(key, 0) + np.array([line.requests, line.units, line.ideal, line.cycles])
    return totals


@pytest.mark.parametrize("name", BY_HAND)
def test_counts_made_by_hand(run: Module, name: str) -> None:
    A = torch.rand(int(BY_HAND[name].fields["elements"])) + 1
    expected, counts = expected_counts(BY_HAND[name]), counted(getattr(run, name), A)
    assert {access: tuple(count)[: len(expected.get(access, ()))] for access, count in counts.items()} == expected


def test_each_kernel_of_a_call_has_its_own_counts(run: Module) -> None:
    found = trace(run.one_after_the_other, torch.ones(64)).traffic
    # 64 floats are 2 warps with 4 sectors each. One warp that loads every other float of 64 touches all 8 sectors.
    assert [(t.kernel, t.line, t.op, t.requests, t.units) for t in found] == [
        ("fold_kernel", line_with("// folded"), "load", 2, 16), ("fold_kernel", line_with("// folded"), "store", 1, 4),
        ("plus_kernel", line_with("// added"), "load", 2, 8), ("plus_kernel", line_with("// added"), "store", 2, 8),
    ]  # fmt: skip


def test_a_count_has_its_line(run: Module) -> None:
    lines = SOURCE.split("\n")
    first = next(number for number, line in enumerate(lines, 1) if "sum += As[threadIdx.y][l]" in line)
    found = [line for line in trace(run.product, torch.randn(1024)).traffic if (line.space, line.op) == SHARED_LOAD[:2]]
    assert [(line.kernel, line.line, line.requests) for line in found] == [
        ("product_kernel", first, 1024), ("product_kernel", first + 1, 1024)
    ]  # fmt: skip


def test_both_accesses_of_one_call_have_its_line(run: Module) -> None:
    found = trace(run.asynchronous, torch.ones(int(BY_HAND["asynchronous"].fields["elements"]))).traffic
    of_copies = {(each.space, each.op) for each in found if "memcpy_async" in SOURCE.split("\n")[each.line - 1]}
    assert of_copies == {("global", "load"), ("shared", "store")}


def test_counts_do_not_add_up_over_calls(run: Module) -> None:
    A = torch.randn(1000)
    assert trace(run.copy, A).traffic == trace(run.copy, A).traffic


def test_what_is_too_much_to_count(run: Module) -> None:
    found = trace(run.lengthy, torch.randn(256))
    assert found.traffic == () and found.remarks == (
        "the kernel does too much between two barriers to count its traffic: trace smaller inputs",
    )


# ----------------------------------------------------------------------------------------------------------------------
# A model.


def line_with(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


def sectors(addresses: np.ndarray, size: int) -> int:
    return len(np.unique(np.concatenate([addresses // 32, (addresses + size - 1) // 32])))


def wavefronts(addresses: dict[int, int], size: int) -> int:
    """The wavefronts of one request to shared memory, from the addresses of the lanes that take part.

    The rules and their sources are in runtime/traffic.cpp.
    """
    at_once = min(32, 128 // size)
    pairs = (all(addresses.get(lane ^ far, at) == at for lane, at in addresses.items()) for far in (1, 2))
    if size > 4 and any(pairs):
        at_once *= 2
    total = 0
    for first in range(0, 32, at_once):
        asked = [addresses[lane] for lane in range(first, first + at_once) if lane in addresses]
        words = np.unique([at // 4 + k for at in asked for k in range(max(1, size // 4))])
        total += int(np.bincount(words.astype(int) % 32).max()) if asked else 0
    return total


examples = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@examples
@given(st.integers(1, 100), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 40, 256]))
def test_loads_from_anywhere_in_a_loop_that_lanes_leave_when_they_like(
    run: Module, threads: int, rounds: int, seed: int, spread: int
) -> None:
    random = np.random.default_rng(seed)
    ends = random.integers(0, rounds + 1, threads)
    start = random.integers(0, 256 - spread + 1)
    places = random.integers(start, start + spread, (rounds, threads))
    places[random.random(places.shape) < 0.2] = -1  # the lane skips this round
    arguments = (torch.from_numpy(places).int(), torch.from_numpy(ends).int())
    found = [line for line in trace(run.gathered, torch.randn(256), *arguments).traffic]
    expected = np.zeros(3, dtype=int)
    for warp in range(0, threads, 32):
        for j in range(rounds):
            lanes = np.arange(warp, min(warp + 32, threads))
            taken = places[j, lanes[ends[lanes] > j]]
            taken = taken[taken >= 0]
            if len(taken):
                expected += [1, sectors(4 * taken, 4), -(-4 * len(np.unique(taken)) // 32)]
    line = line_with("// gathered")
    got = [[t.requests, t.units, t.ideal] for t in found if t.line == line]
    assert np.array_equal(np.sum(got, axis=0) if got else np.zeros(3), expected)


@examples
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=4), st.integers(1, 100), st.integers(0, 100))
def test_branches_within_branches_and_loops(run: Module, masks: list[int], threads: int, seed: int) -> None:
    places = np.random.default_rng(seed).integers(0, 256, threads)
    A = torch.randn(1280 * len(masks))
    found = trace(run.branched, A, torch.from_numpy(places).int(), torch.tensor(masks)).traffic
    expected = dict.fromkeys(("all", "if", "else", "inner", "after"), np.zeros(3, dtype=int))
    for warp in range(0, threads, 32):
        lanes = np.arange(min(32, threads - warp))
        of_lanes = places[warp : warp + 32]
        for round_, mask in enumerate(masks):
            taken = (mask >> lanes) & 1 == 1
            inner = taken & (of_lanes % (round_ + 2) == 0)
            groups = {"all": taken | True, "if": taken, "else": ~taken, "inner": inner, "after": taken | True}
            for name, group in groups.items():
                at = of_lanes[group]
                if len(at):
                    counts = [1, sectors(4 * at, 4), -(-4 * len(np.unique(at)) // 32)]
                    expected[name] = expected[name] + counts
    for name, counts in expected.items():
        got = [[t.requests, t.units, t.ideal] for t in found if t.line == line_with(f"// branch: {name}")]
        assert np.array_equal(np.sum(got, axis=0) if got else np.zeros(3), counts), name


@st.composite
def patterns(draw: st.DrawFn) -> np.ndarray:
    """The element that each lane of a block accesses: any, by pairs, all the same, in strides; or none (-1)."""
    threads = draw(st.integers(1, 100))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    i = np.arange(threads)
    anywhere = random.integers(0, draw(st.sampled_from([1, 4, 64, 256])), 128)
    stride = draw(st.sampled_from([1, 2, 3, 4, 8, 9, 16, 32, 33]))
    places = draw(st.sampled_from([anywhere[i], anywhere[i | 1], anywhere[i & ~2], i * stride, i // 2 * stride, i ^ 5]))
    return np.where(random.random(threads) < draw(st.sampled_from([0, 0, 0.3])), -1, places % 256)


@examples
@given(patterns(), st.sampled_from([1, 4, 8, 16]))
def test_anywhere_in_shared_memory(run: Module, places: np.ndarray, size: int) -> None:
    found = trace(run.gathered_shared, torch.from_numpy(places).int(), size).traffic
    expected = [0, 0, 0]
    for first in range(0, len(places), 32):
        of_warp = {lane: int(at) * size for lane, at in enumerate(places[first : first + 32]) if at >= 0}
        if of_warp:
            ideal = -(-size * len(set(of_warp.values())) // 128)
            expected = [expected[0] + 1, expected[1] + wavefronts(of_warp, size), expected[2] + ideal]
    for text in ("// gathered from", "// scattered to"):
        at_line = [t for t in found if t.line == line_with(text) and t.space == "shared"]
        assert [[t.bytes_each, t.requests, t.units, t.ideal] for t in at_line] == (
            [[size, *expected]] if expected[0] else []
        )
