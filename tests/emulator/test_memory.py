"""The memory of tensors in the emulator: shared, aligned and returned as on a GPU, at the cost of what a call uses."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import numpy
import pytest
import torch

from course.build import Module, bindable_functions, load_inline
from course.errors import KernelError
from course.notebook.trace import trace
from tests.kernels import joined

SOURCE = joined("memory")


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("memory", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


def hazard(function: Callable, *arguments: object) -> str:
    """The only hazard of a call that must fail: its kind and its text."""
    with pytest.raises(KernelError) as caught:
        function(*arguments)
    (found,) = caught.value.hazards
    return f"{found.kind}: {found.detail}"


# ----------------------------------------------------------------------------------------------------------------------
# Results.


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize("offset", [0, 3])
def test_a_blob_of_an_argument_is_its_memory(run: Module, size: int, offset: int) -> None:
    x = torch.arange(float(size))
    blob = run.blob_of(x[offset:], 4, 5, torch.float32)
    assert blob.data_ptr() == x.data_ptr() + 4 * (offset + 1) and torch.equal(blob, x[offset + 1 : offset + 6])
    blob[0] = -1
    assert x[offset + 1] == -1
    as_bytes = run.blob_of(x, 2, 4, torch.uint8)
    assert torch.equal(as_bytes, x.view(torch.uint8)[2:6]) and as_bytes.data_ptr() == x.data_ptr() + 2
    assert torch.equal(run.blob_of(x.view(torch.int32), 8, 2, torch.float64), x.view(torch.float64)[1:3])
    assert run.offset_of_blob(x[offset:]) == 0


def test_results_in_the_same_memory_share_it(run: Module) -> None:
    x = torch.arange(10.0)
    everything, part, same = run.twice(x)
    assert same is x and everything.data_ptr() == x.data_ptr() and part.data_ptr() == x.data_ptr() + 8
    part[0] = -1
    assert x[2] == everything[2] == -1
    assert run.blob_of(x, 0, 10, torch.float32) is x  # the same elements


@pytest.mark.parametrize("both", [False, True])
def test_a_blob_of_a_new_tensor_outlives_the_call(run: Module, both: bool) -> None:
    part, *made = run.of_new(torch.zeros(200), both)
    gc.collect()
    others = [run.of_new(torch.zeros(200), both) for _ in range(20)]
    assert torch.equal(part, torch.arange(1.0, 200)) and len(others) == 20
    part[0] = -1
    assert not both or made[0][1] == -1


def test_a_blob_of_cudamalloc_and_a_copy_of_a_local_array(run: Module) -> None:
    blob = run.of_allocated(torch.zeros(100))
    run.of_allocated(torch.zeros(100))
    assert torch.equal(blob, torch.arange(100.0))
    assert torch.equal(run.of_local(True), torch.arange(4.0))
    assert "out-of-bounds: the result is in a local variable of the wrapper" in hazard(run.of_local, False)


@pytest.mark.parametrize(
    ("first", "count", "dtype", "text"),
    [
        (4, 10, torch.float32, "out-of-bounds: the result reaches out of the memory of input tensor 1 of shape (10,)"),
        (-4, 5, torch.float32, "out-of-bounds: the result reaches out of the memory of input tensor 1"),
        (4, 1, torch.int64, "misaligned: the result begins in the middle of an element"),
    ],
)
def test_a_blob_that_does_not_fit_is_a_hazard(
    run: Module, first: int, count: int, dtype: torch.dtype, text: str
) -> None:
    x = torch.arange(10.0)
    assert text in hazard(run.blob_of, x, first, count, dtype)
    assert torch.equal(x, torch.arange(10.0))


# ----------------------------------------------------------------------------------------------------------------------
# Arguments that share memory.


def overlapping() -> tuple[torch.Tensor, torch.Tensor]:
    array = numpy.zeros(12, dtype=numpy.float32)
    return torch.from_numpy(array[:8]), torch.from_numpy(array[4:])


def views() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.zeros(12)
    return x[:8], x[4:]


def far_views() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.zeros(1_000_000)
    return x[500_000:500_008], x[500_004:500_012]


def strided() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.zeros(12)
    return x.as_strided((8,), (1,)), x.as_strided((2, 4), (4, 1), 4)


@pytest.mark.parametrize("make", [overlapping, views, far_views, strided])
@pytest.mark.parametrize("traced", [False, True])
def test_what_kernels_write_reaches_all_arguments_in_this_memory(run: Module, make: Callable, traced: bool) -> None:
    for first in (0, 1):
        arguments = make()
        a, b = arguments[first], arguments[1 - first]
        if traced:
            assert trace(run.increment_both, a, b).hazards == ()
        else:
            run.increment_both(a, b)
        assert torch.equal(arguments[0], torch.tensor([1.0] * 4 + [2.0] * 4))
        assert torch.equal(arguments[1].flatten(), torch.tensor([2.0] * 4 + [1.0] * 4))


def test_the_same_tensor_twice_and_a_part_of_the_other(run: Module) -> None:
    x, y = torch.zeros(5), torch.zeros(6)
    run.increment_both(x, x)
    run.increment_both(y[2:4], y)
    assert x.tolist() == [2.0] * 5 and y.tolist() == [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]


@pytest.mark.parametrize("size", [8, 100_000])
def test_arguments_of_two_types_in_the_same_memory(run: Module, size: int) -> None:
    x = torch.zeros(size)
    run.increment_and_negate(x, x.view(torch.int32))
    expected = (-torch.ones(size).view(torch.int32)).view(torch.float32)
    assert torch.equal(x, expected)
    a, b = x[:4].zero_(), x[2:6].zero_().view(torch.int32)
    run.increment_and_negate(a, b)
    assert x[1] == 1 and torch.equal(x[2:4], expected[2:4]) and torch.equal(b, (-x[2:6].view(torch.int32)).neg())


@pytest.mark.parametrize("size", [100, 1_000_000])
def test_a_hazard_names_the_argument_that_is_nearest(run: Module, size: int) -> None:
    x = torch.zeros(size)
    a, b = x[: size // 2], x[size // 2 :]
    for function in (run.fill_second, lambda *args: _raise(trace(run.fill_second, *args).hazards)):
        text = hazard(function, a, b, 0, size // 2 + 1)
        assert text.startswith("out-of-bounds") and f"element {size} of {size}" in text
        assert ("input tensor 2" in text or " b of shape" in text) and f"of shape ({size // 2},)" in text
        text = hazard(function, b, a, -1, 1)
        assert f"element -1 of {size}" in text and ("input tensor 2" in text or " b of shape" in text)


def _raise(hazards: tuple) -> None:
    raise KernelError("", hazards)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested", "ignore:Sparse CSR")
def test_a_tensor_without_memory_is_refused(run: Module) -> None:
    nested = [torch.zeros(2), torch.zeros(3)]
    tensors = {
        "nested": [torch.nested.nested_tensor(nested), torch.nested.nested_tensor(nested, layout=torch.jagged)],
        "meta": [torch.empty(3, device="meta")],
        "sparse": [torch.eye(3).to_sparse(), torch.eye(3).to_sparse_csr()],
    }
    for kind, examples in tensors.items():
        for tensor in examples:
            for call in (lambda x=tensor: run.increment_both(x, x), lambda x=tensor: run.increment_all([x])):
                with pytest.raises(
                    TypeError, match=rf"^increment_\w+\(\): a {kind} tensor has no single block of memory"
                ):
                    call()


# ----------------------------------------------------------------------------------------------------------------------
# Views of a larger storage, and the red zones.


@pytest.mark.parametrize("size", [100, 1_000_000])
def test_a_view_is_in_its_storage(run: Module, size: int) -> None:
    x = torch.arange(float(size))
    half = size // 2
    for first, last in ((10, 20), (half, half + 10), (size - 20, size - 10)):
        before, after = x[first - 1].item(), x[last].item()
        assert run.around(x[first:last]).tolist() == [before, after]
        assert x[last] == 7 and torch.equal(x[last + 1 :], torch.arange(float(size))[last + 1 :])
    for view in (x[half:], x[half : half + 1], x[:5]):
        assert torch.equal(run.whole_storage(view, size), x)
        assert run.places(view)[0] == view.storage_offset()


@pytest.mark.parametrize("index", [-1, 100, 16_000, -16_000, 100_000, 250_000, -250_000])
def test_an_access_near_a_tensor_is_out_of_bounds(run: Module, index: int) -> None:
    text = hazard(run.fill_second, torch.zeros(1), torch.zeros(100), index, index + 1)
    assert text.startswith("out-of-bounds") and f"element {index} of 100" in text and "input tensor 2" in text
    if abs(index) > 10_000:  # further away, a read is noticed as well
        assert f"element {index} of 100" in hazard(run.element, torch.zeros(100), index)


def test_memory_is_aligned_as_on_a_gpu(run: Module) -> None:
    odd = torch.frombuffer(bytearray(4 * 64 + 4), dtype=torch.float32, offset=4)
    for x in (torch.zeros(7), odd, torch.zeros(1_000_000), torch.zeros(3, dtype=torch.uint8)):
        assert run.places(x) == [0, 0, 0, 0, 0]
    assert run.places(odd[3:]) == [3, 12, 0, 0, 0]
    run.in_quads(odd)
    for function in (run.in_quads, lambda x: _raise(trace(run.in_quads, x).hazards)):
        assert hazard(function, odd[1:]).startswith("misaligned")
    assert trace(run.in_quads, odd[4:]).hazards == ()


def processor_time(call: Callable[[], object]) -> float:
    """The least processor time of some calls, in seconds."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def test_a_call_costs_what_its_own_elements_cost(run: Module) -> None:
    own, large = torch.zeros(8), torch.zeros(100_000_000)  # 400 MB, of which nothing but the views is touched
    small = [torch.zeros(10) for _ in range(20)]
    one = processor_time(lambda: run.increment_all([own]))
    assert processor_time(lambda: run.increment_all([large[50_000_000:50_000_008]])) < 10 * one + 1e-3
    assert processor_time(lambda: run.increment_all(small)) < 20 * one + 1e-3
    assert processor_time(lambda: trace(run.increment_both, own, large[-8:])) < (
        10 * processor_time(lambda: trace(run.increment_both, own, own)) + 1e-3
    )
    assert large[50_000_000:50_000_009].tolist() == [5.0] * 8 + [0.0]
