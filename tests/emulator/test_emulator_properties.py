"""The emulator against NumPy and PyTorch on random shapes, masks, widths and values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, bindable_functions, load_inline
from tests.kernels import joined

SOURCE = joined("properties")

# A module's build time is no part of an example's.
examples = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SIDES = st.tuples(*3 * [st.integers(1, 4)])
BLOCKS = st.tuples(st.integers(1, 40), st.integers(1, 10), st.integers(1, 6)).filter(lambda b: np.prod(b) <= 1024)
MASKS = st.integers(1, 2**32 - 1) | st.sampled_from([2**32 - 1, 1, 0x80000000, 0xFFFF, 0x55555555])
NUMBERS = [torch.int32, torch.int64, torch.float32, torch.float64]


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("properties", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def lanes_of(mask: int, threads: int) -> np.ndarray:
    return np.array([bool(mask >> (thread % 32) & 1) for thread in range(threads)])


@examples
@given(grid=SIDES, block=BLOCKS)
def test_a_grid_covers_every_index_exactly_once(run: Module, grid: tuple, block: tuple) -> None:
    visits, x, y, z = run.visits(grid, block)
    assert (visits == 1).all()
    zz, yy, xx = np.indices(visits.shape)
    assert (x.numpy() == xx).all() and (y.numpy() == yy).all() and (z.numpy() == zz).all()


@examples
@given(data=st.data(), mask=MASKS, width=st.sampled_from([2, 4, 8, 16, 32]), threads=st.integers(1, 130))
def test_shuffles(run: Module, data: st.DataObject, mask: int, width: int, threads: int) -> None:
    dtype = data.draw(st.sampled_from([*NUMBERS, torch.int16, torch.uint8]))
    values = torch.from_numpy(np.random.default_rng(mask).integers(0, 200, threads)).to(dtype)
    wanted = data.draw(st.lists(st.integers(-40, 70), min_size=threads, max_size=threads))
    delta = data.draw(st.integers(0, 31))
    out = run.shuffled(values, torch.tensor([*wanted, delta], dtype=torch.int32), mask, width).numpy()

    thread = np.arange(threads)
    lane, warp = thread % 32, thread // 32 * 32
    segment = lane - lane % width
    up, down, other = lane - delta, lane + delta, lane ^ delta
    sources = [
        segment + np.array(wanted) % width,
        np.where(up < segment, lane, up),
        np.where(down >= segment + width, lane, down),
        np.where(other >= segment + width, lane, other),
        other if width == 32 else lane,
    ]
    here = lanes_of(mask, threads)
    for row, source in enumerate(sources):
        defined = here & (warp + source < threads)  # a lane that does not take part has no value to give
        defined[defined] &= here[(warp + source)[defined]]
        assert (out[row][defined] == values.numpy()[(warp + source)[defined]]).all(), row
    assert (out[:, ~here] == 0).all()


@examples
@given(data=st.data(), mask=MASKS, threads=st.integers(1, 130))
def test_votes_and_warp_reductions(run: Module, data: st.DataObject, mask: int, threads: int) -> None:
    small = st.integers(-8, 8) | st.integers(-(2**31), 2**31 - 1)
    values = np.array(data.draw(st.lists(small, min_size=threads, max_size=threads)), dtype=np.int32)
    out = run.voted(torch.from_numpy(values), mask).numpy()
    here = lanes_of(mask, threads)
    for first in range(0, threads, 32):
        lanes = [t for t in range(first, min(first + 32, threads)) if here[t]]
        if not lanes:
            continue
        mine = values[lanes]
        unsigned = mine.view(np.uint32)
        bits = [1 << (t - first) for t in lanes]
        wrapped = int(mine.astype(np.int64).sum()) + 2**31
        expected = {
            0: sum(bit for bit, value in zip(bits, mine, strict=True) if value > 0),
            1: int((mine > 5).any()), 2: int((mine > -5).all()),
            4: wrapped % 2**32 - 2**31, 5: int(mine.min()), 6: int(mine.max()),
            7: int(np.bitwise_and.reduce(unsigned)), 8: int(np.bitwise_or.reduce(unsigned)),
            9: int(np.bitwise_xor.reduce(unsigned)), 10: int(unsigned.min()), 11: int(unsigned.max()),
        }  # fmt: skip
        for row, value in expected.items():
            assert (out[row][lanes] == value).all(), row
        for t in lanes:
            assert out[3][t] == sum(bit for bit, value in zip(bits, mine, strict=True) if value == values[t])
    assert (out[:, ~here] == 0).all()


@examples
@given(data=st.data(), threads=st.integers(1, 1024))
def test_scans(run: Module, data: st.DataObject, threads: int) -> None:
    n = data.draw(st.integers(0, threads))
    A = torch.from_numpy(np.random.default_rng(n).integers(-1000, 1000, n)).to(torch.int32)
    assert torch.equal(run.scanned(A, threads), A.cumsum(0).int())


@examples
@given(st.lists(st.floats(width=32) | st.floats(-70000, 70000, width=32), min_size=1, max_size=128))
def test_conversions_to_half_and_back(run: Module, values: list[float]) -> None:
    A = torch.tensor(values, dtype=torch.float32)
    halves, back = run.halves(A)
    with np.errstate(over="ignore"):
        expected = A.numpy().astype(np.float16)
    number = ~np.isnan(expected)
    assert (halves.numpy().view(np.uint16)[number] == expected.view(np.uint16)[number]).all()
    assert np.array_equal(back.numpy(), expected.astype(np.float32), equal_nan=True)
