"""The shim for torch's headers: tensors, arguments, results and errors are PyTorch's.

The expectations about arguments were observed with PyTorch 2.13's own headers and pybind11. Those about tensors come
from PyTorch in Python.
"""

from __future__ import annotations

import gc
import math
import re
import resource
import weakref

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course.build import Module, load_inline, load_traced
from course.errors import KernelError
from course.toolchains.native import is_on_host, on_host
from tests.kernels import joined, kernel

SOURCE = joined("shim")


@pytest.fixture(scope="module")
def run() -> Module:
    names = [line.split("(")[0].split()[-1] for line in SOURCE.splitlines() if line[:1].isalpha()]
    return load_inline("shim", cuda_sources=SOURCE, functions=names, toolchain="emulator")


# ----------------------------------------------------------------------------------------------------------------------
# Arguments and results.

ONE, TWO = torch.tensor(2.5), torch.ones(2)
INTEGERS = {True: "1", 3: "3", -1: "-1", np.int64(3): "3", np.float32(2.5): "2", torch.tensor(2): "2"}
NO_INTEGERS = [2.0, None, "3", b"3", TWO, [1], np.ones(2), torch.float32]


@pytest.mark.parametrize(
    ("function", "taken", "refused"),
    [
        (
            "take_bool",
            {True: "1", False: "0", 3: "1", None: "0", ONE: "1", np.bool_(True): "1"},
            ["s", TWO, []],
        ),
        ("take_int", {**INTEGERS, 2**31 - 1: "2147483647"}, [*NO_INTEGERS, 2**31, -(2**31) - 1]),
        ("take_int8", {**INTEGERS, 127: "127", -128: "-128"}, [*NO_INTEGERS, 128, -129]),
        ("take_uint8", {255: "255", 0: "0"}, [*NO_INTEGERS, -1, 256]),
        ("take_int64", {**INTEGERS, 2**63 - 1: str(2**63 - 1)}, [*NO_INTEGERS, 2**63, -(2**63) - 1]),
        ("take_uint64", {0: "0", 2**64 - 1: str(2**64 - 1)}, [*NO_INTEGERS, -1, 2**64]),
        ("take_size", {7: "7", 2**63: str(2**63)}, [*NO_INTEGERS, -1]),
        ("take_float", {2: "2", True: "1", 2.5: "2.5", ONE: "2.5", np.float32(2.5): "2.5"}, [None, "2", TWO, [1.0]]),
        ("take_double", {2: "2", -0.1: "-0.1", ONE: "2.5", math.inf: "inf"}, [None, "2", TWO, [1.0], 1j]),
        ("take_string", {"": "!", "stück": "stück!", b"b": "b!"}, [None, 1, ["s"]]),
        ("take_tensor", {TWO: "tensor", torch.nn.Parameter(TWO): "tensor"}, [None, 1, 2.0, np.ones(2), [TWO]]),
        ("take_optional_tensor", {TWO: "tensor", None: "none"}, [1, "s"]),
        ("take_optional_int", {5: "5", None: "none"}, [2.0, "s"]),
        ("take_dtype", {torch.float16: "Half", torch.int64: "Long"}, [None, 5, "float16", float, []]),
        (
            "take_ints",
            {(): "[]", (1, 2): "[1, 2]", torch.Size([3]): "[3]", range(2): "[0, 1]"},
            [None, 1, "1", TWO, [1.5]],
        ),
        ("take_shape", {(4, 5): "[4, 5]"}, [None, 3, ["4"]]),
        ("take_tensors", {(): "0", (TWO, ONE): "2"}, [None, TWO, [1], [TWO, None]]),
    ],
)
def test_arguments_are_taken_and_refused_as_pybind11_does(
    run: Module, function: str, taken: dict, refused: list
) -> None:
    for argument, expected in taken.items():
        assert getattr(run, function)(argument) == expected, argument
    for argument in refused:
        with pytest.raises(
            TypeError, match=rf"{function}\(\): incompatible function arguments: (it takes \(|\S+ does not fit)"
        ):
            getattr(run, function)(argument)


def test_the_number_of_arguments(run: Module) -> None:
    assert run.take_several(TWO, 1, 2, True, "x") == "2 1 2 1 x"
    assert run.take_none() == "nothing"
    message = r"it takes \(Tensor, int, float, bool, str\), but was called with "
    with pytest.raises(TypeError, match=message + r"\(Tensor, int\)"):
        run.take_several(TWO, 1)
    with pytest.raises(TypeError, match=message + r"\(Tensor, int, int, bool, str, int\)"):
        run.take_several(TWO, 1, 2, True, "x", 5)
    with pytest.raises(TypeError, match=r"it takes \(list of Tensor\), but was called with \(int\)"):
        run.take_tensors(1)
    with pytest.raises(TypeError):
        run.take_int(x=1)


def test_results_of_every_type(run: Module) -> None:
    A = torch.randn(2, 3)
    assert run.give_nothing(A) is None
    tensor, integer, number = run.give_tuple(A)
    assert tensor is A and integer == 3 and number == 2.5
    assert run.give_pair() == (True, "p") and run.give_pair()[0] is True
    assert run.give_nested() == [[1.0, 2.0], [], [3.0]]
    first, second, third = run.give_tensors(A)
    assert first is A and torch.equal(second, torch.zeros(2, 3)) and torch.equal(third, A.t())
    assert run.give_undefined() is None and run.give_optional(False) is None
    assert torch.equal(run.give_optional(True), torch.ones(2))


# ----------------------------------------------------------------------------------------------------------------------
# Tensors.

PYTHON = {
    "double": lambda A: A.double(), "half": lambda A: A.half(), "int": lambda A: A.int(),
    "row": lambda A, i: A.select(0, i),
    "zeros_like": torch.zeros_like, "ones_like": torch.ones_like, "size": lambda A, d: torch.tensor([A.size(d)]),
    "slice": lambda A, d, start, end, step: torch.ops.aten.slice.Tensor(A, d, start, end, step),
    "view": lambda A, *n: A.view(n), "reshape": lambda A, *n: A.reshape(n), "new_zeros": lambda A, *n: A.new_zeros(n),
    "item": lambda A: torch.tensor([A.item()], dtype=torch.double),
}  # fmt: skip
POSITIONS = st.integers(-4, 4)
STEPS = st.one_of(
    st.tuples(
        st.sampled_from(["t", "flatten", "contiguous", "clone", "double", "half", "int", "zeros_like", "ones_like"])
    ),
    st.tuples(st.sampled_from(["unsqueeze", "squeeze", "row", "size"]), POSITIONS),
    st.tuples(st.sampled_from(["transpose", "select"]), POSITIONS, POSITIONS),
    st.tuples(st.just("narrow"), POSITIONS, st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.just("slice"), POSITIONS, st.integers(-5, 5), st.integers(-5, 9), st.integers(1, 3)),
    st.lists(st.sampled_from([-1, 0, 1, 2, 3, 4, 6, 12]), max_size=3).map(lambda n: ("view", *n)),
    st.lists(st.sampled_from([-1, 0, 1, 2, 3, 4, 6, 12]), max_size=3).map(lambda n: ("reshape", *n)),
    st.lists(st.integers(0, 3), max_size=3).map(lambda n: ("new_zeros", *n)),
)
TENSORS = {
    "matrix": torch.arange(12.0).view(3, 4),
    "transposed": torch.arange(12.0).view(3, 4).t(),
    "part": torch.arange(24.0).view(4, 6)[1:, 2:],
    "vector": torch.arange(5, dtype=torch.int16),
    "scalar": torch.tensor(3.5),
    "empty": torch.empty(0, 3),
    "permuted": torch.arange(24.0, dtype=torch.double).view(2, 3, 4).permute(2, 0, 1),
    "expanded": torch.arange(3.0).expand(2, 3),
    "flags": torch.tensor([[True], [False]]),
}


def outcome(function, *arguments) -> tuple:
    try:
        result = function(*arguments)
    except (RuntimeError, IndexError) as error:
        return type(error), None if "0-dim" in str(error) or "no dimensions" in str(error) else str(error).split("\n")[
            0
        ]
    storage = result.untyped_storage().data_ptr() if result.numel() else None
    return result.tolist(), result.shape, result.stride() if result.numel() else None, result.dtype, storage


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(sorted(TENSORS)), first=STEPS, then=STEPS)
def test_views_and_copies_are_those_of_pytorch(run: Module, name: str, first: tuple, then: tuple) -> None:
    A = TENSORS[name]

    def python(A: torch.Tensor) -> torch.Tensor:
        for what, *n in (first, then):
            A = PYTHON[what](A, *n) if what in PYTHON else getattr(A, what)(*n)
        return A

    got = outcome(run.twice, A, first[0], list(first[1:]), then[0], list(then[1:]))
    expected = outcome(python, A)
    if expected[0] in (RuntimeError, IndexError):
        assert got[0] in (RuntimeError, IndexError)
        if expected[1] and got[1] and not re.search("start out of range|is ambiguous", expected[1]):
            assert got == expected
        return
    shares = expected[-1] == A.untyped_storage().data_ptr() and A.numel() > 0
    assert got[:-1] == expected[:-1]
    assert (got[-1] == A.untyped_storage().data_ptr()) == shares or not A.numel()


@pytest.mark.parametrize("name", sorted(TENSORS))
def test_what_a_tensor_says_of_itself(run: Module, name: str) -> None:
    A = TENSORS[name]
    number = {torch.float32: "float Float", torch.float64: "double Double", torch.int16: "short int Short",
              torch.bool: "bool Bool"}[A.dtype]  # fmt: skip
    flags = [int(flag) for flag in (A.is_contiguous(), A.is_floating_point(), A.dtype == torch.float32)]
    assert run.facts(A) == (
        f"{A.dim()} {A.numel()} {list(A.shape)} {list(A.stride())} {flags[0]} {A.element_size()} {A.nbytes} {flags[1]}"
        f" {number} {flags[2]} {1 - flags[2]} 1"
    )


def test_values_are_printed_as_streams_print_them(run: Module) -> None:
    assert run.printed() == "2.5 1e-07 1e+08 1.23457e+06 1 c -3 A s Half [] cuda:1 cpu"


def test_item(run: Module) -> None:
    assert run.make(torch.tensor([[2.25]]), "item", []).item() == 2.25
    assert run.make(torch.tensor(7, dtype=torch.int64), "item", []).item() == 7
    with pytest.raises(RuntimeError, match="a Tensor with 3 elements cannot be converted to Scalar"):
        run.make(torch.ones(3), "item", [])


# ----------------------------------------------------------------------------------------------------------------------
# Host and device.


def test_a_tensor_is_on_the_device_unless_it_is_marked(run: Module) -> None:
    A = torch.randn(3)
    assert run.place(A) == "cuda:0 1 0 cuda cuda:0"
    assert run.place(on_host(A)) == "cpu 0 1 cpu cpu"
    assert not is_on_host(A) and is_on_host(on_host(A))
    assert torch.equal(on_host(A), A)


def test_a_wrapper_can_ask_for_a_cuda_tensor(run: Module) -> None:
    assert run.only_cuda(torch.ones(2)).shape == (2,)
    with pytest.raises(RuntimeError, match=r"^A must be a CUDA tensor, but is on cpu$"):
        run.only_cuda(on_host(torch.ones(2)))


def test_tensors_made_and_moved_keep_their_place(run: Module) -> None:
    A = torch.ones(2)
    assert not is_on_host(run.made(A, True)) and is_on_host(run.made(on_host(A), True))
    assert is_on_host(run.made(A, False))  # without options on the CPU, as in PyTorch
    assert is_on_host(run.moved(A, "cpu")) and not is_on_host(run.moved(on_host(A), "cuda"))
    assert run.moved(A, "cuda:0") is A
    assert torch.equal(run.moved(A, "cpu"), A)


# ----------------------------------------------------------------------------------------------------------------------
# Changes and memory.


def test_changes_in_place_reach_the_caller(run: Module) -> None:
    A = torch.zeros(4, 5)
    assert run.increase_(A) is A and torch.equal(A, torch.ones(4, 5))
    column = A[:, 1:2].t()
    run.copy_into(torch.full((1, 4), 7.0), column)
    assert A[:, 1].tolist() == [7.0] * 4 and A[:, 0].tolist() == [1.0] * 4


def test_a_view_of_an_argument_that_comes_back_shares_its_storage(run: Module) -> None:
    A = torch.arange(24.0).view(4, 6)
    for part in (A, A[1:, 2:], A.t()):
        view = run.make(part, "transpose", [0, 1])
        assert torch.equal(view, part.t()) and view.untyped_storage().data_ptr() == A.untyped_storage().data_ptr()


def test_an_empty_view_of_a_tensor_crosses(run: Module) -> None:
    A = torch.arange(24.0).view(4, 6)
    for part in (A[:0], A[4:], A[:, 6:]):
        assert run.make(part, "transpose", [0, 1]).shape == part.t().shape
    assert torch.equal(A, torch.arange(24.0).view(4, 6))


def test_arguments_that_share_memory_share_it_in_the_wrapper_too(run: Module) -> None:
    A = torch.zeros(10)
    assert run.same_memory(A, A) and run.same_memory(A[2:], A[2:5]) and not run.same_memory(A, A[1:])
    assert not run.same_memory(A, torch.zeros(10))


def test_what_no_kernel_wrote_is_not_a_number(run: Module) -> None:
    assert run.unwritten(torch.ones(1000)).isnan().all()
    assert (run.unwritten(torch.ones(1000, dtype=torch.int32)) == -1).all()


def test_outputs_and_arguments_are_freed(run: Module) -> None:
    A = torch.ones(3)
    held = [weakref.ref(run.megabyte(A, False)) for _ in range(3)]
    result = run.increase_(A)
    held += [weakref.ref(A), weakref.ref(result)]
    del A, result
    gc.collect()
    assert [reference() for reference in held] == [None] * 5


@pytest.mark.parametrize("fail", [False, True])
def test_memory_does_not_grow(run: Module, fail: bool) -> None:
    def call() -> None:
        if fail:
            with pytest.raises(RuntimeError, match="after allocating"):
                run.megabyte(A, True)
        else:
            run.megabyte(A, False)

    A = torch.ones(1 << 18)
    for _ in range(20):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(200):
        call()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50_000, f"{grown} KiB"


# ----------------------------------------------------------------------------------------------------------------------
# Errors.


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        (0, RuntimeError, "Expected A.numel() == 0 to be true, but got false.  (Could this error message be improved?"
         "  If so, please report an enhancement request to PyTorch.)"),
        (1, RuntimeError, "sizes [2, 3], dtype float, number 2.5"),
        (2, IndexError, "index"), (3, ValueError, "value"), (4, TypeError, "type"),
        (5, NotImplementedError, "not implemented"),
        (6, RuntimeError, "runtime"), (7, RuntimeError, "invalid"), (8, RuntimeError, "Caught an unknown exception!"),
        (9, RuntimeError, "at error 3"), (10, RuntimeError, "expected scalar type Double but found Float"),
        (11, RuntimeError, "CUDA error: out of memory"),
    ],
)  # fmt: skip
def test_exceptions_are_pytorchs(run: Module, how: int, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        run.fail(torch.ones(2, 3), how)
    assert type(caught.value) is kind and str(caught.value) == text


@pytest.fixture(scope="module", params=["emulator", "traced"])
def pointers(request: pytest.FixtureRequest) -> tuple:
    source, functions = kernel("toolchains/pointers"), ["through_pointers", "out_of_the_source"]
    module = load_inline("pointers", cuda_sources=source, functions=functions, toolchain="emulator")
    found = [getattr(module, name) for name in functions]
    return tuple(found if request.param == "emulator" else map(load_traced, found))


@pytest.mark.parametrize("way", [0, 1])
def test_calls_through_pointers_reach_the_source_and_the_libraries_of_cpp(pointers: tuple, way: int) -> None:
    x = torch.ones(4)
    assert pointers[0](x, way) == [1024, 66, 1 + way, 9, 1, 5]
    assert x.tolist() == [2] * 4


def test_a_call_through_a_pointer_reaches_nothing_else(pointers: tuple, capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(
        KernelError, match=r"a call through a pointer leads to (puts|_IO_puts) in libc\.so\.6: "
    ) as caught:
        pointers[1]()
    assert [hazard.kind for hazard in caught.value.hazards] == ["crash"]
    assert "never said" not in capfd.readouterr().out
