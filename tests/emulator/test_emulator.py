"""What the emulator runs: the features of CUDA that the course's kernels use, one kernel per feature, in one module."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
import torch

from course import build
from course.build import Module, bindable_functions, load_inline
from course.errors import KernelError
from course.toolchains.guard.symbols import foreign_symbols, undefined_symbols
from tests.kernels import joined, kernel


@pytest.fixture(scope="module")
def run() -> Module:
    source = joined("features")
    return load_inline("features", cuda_sources=source, functions=bindable_functions(source), toolchain="emulator")


def test_kernels_take_nothing_from_elsewhere_that_would_cost_them_their_marks(run: Module) -> None:
    source = next(iter(run._functions.values())).built_from
    folder = build.Builder().build(build.TOOLCHAINS["emulator"], source)
    assert foreign_symbols(undefined_symbols(folder / "module.so")) == []


# ----------------------------------------------------------------------------------------------------------------------
# Grids, blocks, indices.


def test_every_thread_of_a_three_dimensional_grid_knows_its_place(run: Module) -> None:
    out = run.indices(3, 2, 4, 5, 3, 2)
    gz, gy, gx, bz, by, bx = np.indices((4, 2, 3, 2, 3, 5))
    assert np.array_equal(out.numpy(), np.stack([gx, gy, gz, bx, by, bz], axis=-1))


def test_a_kernel_without_arguments_and_a_device_variable(run: Module) -> None:
    assert run.as_tensor(7, 1024).tolist() == [7 * 1024 + 1]


# ----------------------------------------------------------------------------------------------------------------------
# Vector types.


def test_vector_types_load_and_store_their_elements(run: Module) -> None:
    A, D = torch.randn(8, 4), torch.randn(8, 2, dtype=torch.double)
    C, J, E, U = run.vectors(A, torch.arange(16, dtype=torch.int32).view(8, 2), D)
    assert torch.equal(C, A[:, [1, 0, 3, 2]])
    assert torch.equal(J, torch.arange(16, dtype=torch.int32).view(8, 2).flip(1))
    assert torch.equal(E, D.flip(1))
    assert U.tolist() == [1, 2, 3, 255] * 8


# ----------------------------------------------------------------------------------------------------------------------
# Shared memory.


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.uint8])
def test_static_shared_memory_in_a_template(run: Module, dtype: torch.dtype) -> None:
    A = torch.arange(5 * 64).to(dtype)
    assert torch.equal(run.reversed_static(A), A.view(5, 64).flip(1).flatten())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("threads", [1, 33, 1024])
def test_dynamic_shared_memory_of_bytes_in_a_template(run: Module, dtype: torch.dtype, threads: int) -> None:
    A = torch.randn(3 * threads).to(dtype)
    assert torch.equal(run.reversed_dynamic(A, threads), A.view(3, threads).flip(1).flatten())


def test_dynamic_shared_memory_of_float4_and_of_double(run: Module) -> None:
    A = torch.randn(100, 4)
    assert torch.equal(run.reversed_quads(A), A.flip(0))
    D = torch.randn(300, dtype=torch.double)
    assert torch.equal(run.reversed_doubles(D), D.flip(0))


@pytest.mark.parametrize("function", ["wide_shared", "wide_shared_template"])
def test_more_than_48_kb_of_dynamic_shared_memory_after_opting_in(run: Module, function: str) -> None:
    n = 200 * 1024 // 4
    assert torch.equal(getattr(run, function)(n), torch.arange(n).flip(0).float())


# ----------------------------------------------------------------------------------------------------------------------
# Barriers.


def test_an_asynchronous_copy_arrives_when_its_batch_is_waited_for(run: Module) -> None:
    A = torch.rand(32, 4)
    nothing = torch.full((32, 4), -1.0)
    zeros = torch.stack([A[:, 0], A[:, 1], A[:, 0], torch.zeros(32)], 1)
    expected = [[nothing, nothing, nothing], [A, nothing, nothing], [A, zeros, nothing]]
    assert torch.equal(run.asynchronous(A), torch.stack([torch.cat(row, 1) for row in expected]))


def test_an_asynchronous_copy_of_another_size_or_unaligned_is_refused(run: Module) -> None:
    with pytest.raises(KernelError, match="copies 4, 8 or 16 bytes"):
        run.three_bytes(torch.ones(1))
    with pytest.raises(KernelError, match=r"misaligned: .* not a multiple of 16"):
        run.misaligned_copy(torch.ones(8))


@pytest.mark.parametrize("threads", [1, 64, 1024])
def test_many_blocks_with_barriers(run: Module, threads: int) -> None:
    A = torch.randint(-8, 8, (300, 1500)).float()
    assert torch.equal(run.row_sums(A, threads), A.sum(1))


@pytest.mark.parametrize("size", [1, 32, 77, 1024])
def test_barriers_that_count_and_combine_predicates(run: Module, size: int) -> None:
    some = torch.randint(0, 3, (size,), dtype=torch.int32)
    for values in (some, torch.zeros_like(some), torch.full_like(some, 5)):
        expected = [int((values != 0).sum()), int(bool((values != 0).all())), int(bool((values != 0).any()))]
        assert run.barrier_predicates(values).tolist() == [expected] * size


# ----------------------------------------------------------------------------------------------------------------------
# Warps. The property tests have random masks, widths and values.


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_block_sum_by_shuffles(run: Module, dtype: torch.dtype) -> None:
    for size in (1, 31, 1000, 1024):
        A = torch.randint(-100, 100, (size,)).to(dtype)
        assert run.warp_sums(A).item() == A.sum().item()


@pytest.mark.parametrize("size", [1, 31, 33, 250, 1000])
def test_a_vote_does_not_wait_for_lanes_that_have_returned(run: Module, size: int) -> None:
    A = torch.randint(-1, 9, (size,), dtype=torch.int32)
    warps = [A[at : at + 32] for at in range(0, size, 32)]
    expected = [2 * int((w == 7).any()) + int((w >= 0).all()) for w in warps for _ in w]
    assert run.guarded_votes(A).tolist() == expected


def test_parts_of_a_warp_go_their_own_ways(run: Module) -> None:
    expected = [15 - lane for lane in range(16)] + [lane ^ 1 for lane in range(16, 32)]
    assert run.partial_masks().tolist() == [value + 3200 for value in expected]


def test_activemask_names_the_lanes_that_are_here(run: Module) -> None:
    A = torch.randint(1, 100, (1000,), dtype=torch.int32)
    assert sorted(run.even_ones(A).tolist()) == sorted(A[A % 2 == 0].tolist())


# ----------------------------------------------------------------------------------------------------------------------
# Cooperative groups, and the stand-in for CUB. All values are whole numbers, so no order of additions matters.


def small(*size: int) -> torch.Tensor:
    return torch.randint(-8, 9, size).float()


@pytest.mark.parametrize("size", [4, 32])
def test_collectives_of_tiles(run: Module, size: int) -> None:
    A = small(64)
    tiles, rank = A.view(-1, size), torch.arange(64) % size
    up, down = tiles.roll(1, 1), tiles.roll(-2, 1)
    up[:, 0], down[:, -2:] = tiles[:, 0], tiles[:, -2:]
    votes = ((tiles > 0) * 2 ** torch.arange(size)).sum(1, keepdim=True)
    votes += (tiles > 1).any(1, keepdim=True).long() + (tiles > -1).all(1, keepdim=True)
    expected = [
        tiles.sum(1, keepdim=True),
        tiles.min(1, keepdim=True).values,
        tiles.cumsum(1),
        tiles.cumsum(1) - tiles,
        tiles[:, 1:2] + up + down + tiles.view(-1, size // 2, 2).flip(2).view(-1, size),
        votes,
        (torch.arange(64) // size * 100 + 64 // size * 10 + rank).view(-1, size),
    ]
    C = run.tiles(A, size)
    for row, each in zip(C, expected, strict=True):
        assert torch.equal(row.view(-1, size), each.expand(-1, size).float())


def test_collectives_of_the_lanes_that_are_here(run: Module) -> None:
    A = small(100)
    C, counts = run.coalesced(A)
    for first in range(0, 128, 32):
        here = torch.nonzero(A[first : first + 32] > 0).flatten() + first
        values = A[here]
        assert torch.equal(C[0][here], values.sum().expand(len(here)))
        assert torch.equal(C[1][here], values.cumsum(0) - values)
        last = (torch.arange(len(here)) % 4 == 3) | (torch.arange(len(here)) == len(here) - 1)  # of a tile of 4
        assert torch.equal(C[2][here], torch.where(last, values, values.roll(-1)))
    count = int(counts[0])
    assert sorted(counts[1 : 1 + count].tolist()) == torch.nonzero(A > 0).flatten().tolist()


def test_a_function_takes_a_group_of_any_kind(run: Module) -> None:
    A = torch.randint(-8, 9, (256,), dtype=torch.int32)
    assert run.kinds(A).tolist() == [*A.view(-1, 16).sum(1).tolist(), A.sum().item()]


def test_a_group_copies_and_waits(run: Module) -> None:
    for n in (4, 30, 61):  # in pieces of 16, 8 and 4 bytes
        A = torch.randn(n)
        assert torch.equal(run.reversed_by_group(A), A.flip(0))


def test_the_threads_of_a_grid_are_counted(run: Module) -> None:
    A = torch.randn(101)
    assert torch.equal(run.of_a_grid(A), -A)


@pytest.mark.parametrize("threads", [48, 256])
def test_reductions_and_scans_of_a_block(run: Module, threads: int) -> None:
    A = small(threads)
    C = run.cub_block(A)
    assert C[0][:4].tolist() == [A.sum(), A[:37].sum(), A.max(), A.argmax()]
    assert torch.equal(C[1], A.cumsum(0)) and torch.equal(C[2], A.sum().expand(threads))
    assert torch.equal(C[3], A.cumsum(0) - A)
    # The last number before each that is not zero.
    later = list(itertools.accumulate(A.tolist(), lambda x, y: y or x, initial=-9.0))
    assert C[5].tolist() == later[:-1]
    assert C[4].tolist() == [0.0 if each == -9.0 else each for each in later[1:]]


@pytest.mark.parametrize("width", [8, 32])
def test_reductions_and_scans_of_a_warp(run: Module, width: int) -> None:
    A = small(64)
    C, warps = run.cub_warp(A, width).view(4, -1, width), A.view(-1, width)
    assert torch.equal(C[0][:, 0], warps.sum(1)) and torch.equal(C[1][:, 0], warps[:, :3].min(1).values)
    assert torch.equal(C[2], warps.cumsum(1) + 1000 * warps.sum(1, keepdim=True))
    assert torch.equal(C[3], warps.cumsum(1) - warps)


# ----------------------------------------------------------------------------------------------------------------------
# Warp matrix products.


@pytest.mark.parametrize("layouts", range(8))
@pytest.mark.parametrize(
    ("dtype", "of_sums", "M", "N", "K"),
    [
        (torch.float, torch.float, 16, 16, 8),
        *((torch.half, each, M, N, 16) for each in (torch.half, torch.float) for M, N in ((16, 16), (32, 8), (8, 32))),
    ],
)
def test_fragments_of_every_layout(
    run: Module, dtype: torch.dtype, of_sums: torch.dtype, M: int, N: int, K: int, layouts: int
) -> None:
    A, B, C = (small(40, 40).to(each) for each in (dtype, dtype, of_sums))
    D = run.wmma_product(A, B, C, M, layouts)
    (a, b, c, d) = (x.T if layouts & bit else x for x, bit in ((A, 1), (B, 2), (C, 4), (D, 4)))
    expected = (a[:M, :K].float() @ b[:K, :N].float() + c[:M, :N]) / 2
    assert torch.equal(d[:M, :N].float(), expected)
    assert D.count_nonzero() == expected.count_nonzero()


PRODUCTS = [torch.half, torch.bfloat16, torch.float]


@pytest.mark.parametrize("kind", range(3))
def test_the_course_s_own_mma(run: Module, kind: int) -> None:
    K = 8 if PRODUCTS[kind] == torch.float else 16
    A, B, C = small(16, K).to(PRODUCTS[kind]), small(8, K).to(PRODUCTS[kind]), small(16, 8)
    D = run.mma_product(kind, A.view(torch.int32), B.view(torch.int32), C)
    assert torch.equal(D, A.float() @ B.float().T + C)


# For each kind: a row of A, a column of B, and the bytes of c and of what an H200 (CUDA 13.0) makes of them. The exact
# results end with other bits, and so do sums in float32.
ON_A_GPU = [
    (
        "e2a9402c2bc2bbac332d2c2c3b327445e9c26bacd3b9884650a8e236a83183c1",
        "3fa9a0a781aae1a6842b17347fb929bb58b37db372262e2b0d9d8e3e31b737c4",
        "e41e9a3c94520941",
    ),
    (
        "5bbe663d5f40b23ffcbda8bf923f5dbdb1bd0f3db43e36be78c0c4c0dec0613f",
        "9a397540604039bff73d4640d73d16bfae40c73e163dc740203eac3f13bf78be",
        "06c094be3aa7133f",
    ),
    (
        "00600cbe0020a6bd00e08dbf00e02e3d0060fb3e00c0023d000078c000a0e940",
        "0040ac3d006007bf00a0b1400060acbd00c07bbf000064400000d6bf00e0e43c",
        "3a7bc53dacfa913e",
    ),
]


@pytest.mark.parametrize("kind", range(3))
def test_products_are_added_as_a_gpu_adds_them(run: Module, kind: int) -> None:
    row, column, c_d = (bytearray.fromhex(each) for each in ON_A_GPU[kind])
    A = torch.frombuffer(row, dtype=torch.int32).repeat(16, 1)
    B = torch.frombuffer(column, dtype=torch.int32).repeat(8, 1)
    c, d = torch.frombuffer(c_d, dtype=torch.float)
    assert torch.equal(run.mma_product(kind, A, B, c.repeat(16, 8)), d.repeat(16, 8))
    a, b = A[0].view(PRODUCTS[kind]), B[0].view(PRODUCTS[kind])
    assert (a.double() @ b.double() + c).float() != d


# ----------------------------------------------------------------------------------------------------------------------
# Atomics.


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
def test_atomic_add_of_every_type(run: Module, dtype: torch.dtype) -> None:
    A = torch.randint(-1000, 1000, (5000,)).to(dtype)
    assert run.atomic_sum(A).item() == A.sum().item()


def test_a_compare_and_swap_loop(run: Module) -> None:
    A = torch.randn(3000)
    assert run.cas_maximum(A).item() == A.max().item()


def test_the_other_atomics(run: Module) -> None:
    C = torch.tensor([0, 100, -5, -1, 0, 0, 0, 42, 0, 12, 0, *[0] * 8], dtype=torch.int32)
    C, U = run.atomics(C, torch.zeros(3, dtype=torch.int32))
    xor = 0
    for i in range(64):
        xor ^= i
    low20 = (1 << 20) - 1
    assert C[:11].tolist() == [-sum(range(64)), 50 - 63, 63, ~low20, low20, xor, 42, -1, 13, 13, 64]
    assert C[11:].tolist() == [2 * sum(range(64)), -sum(range(64)), -63, 63, low20, xor, 1, 7]
    # 128 increments modulo 10; 128 decrements from 0, the first of which wraps to 9; as unsigned bits.
    assert U.tolist() == [128 % 10, (-128) % 10, 4000000000 - 2**32]


# ----------------------------------------------------------------------------------------------------------------------
# Floats of 16 bits.

SHORT = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])


def every(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(65536).to(torch.int16).view(dtype)


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether the elements are equal, with NaN at the same places and zeros of the same sign."""
    return bool(((a == b) & (torch.signbit(a) == torch.signbit(b)) | (a.isnan() & b.isnan())).all())


def rounded_once(exact: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """From float64 with one rounding; PyTorch converts to float32 first."""
    info = torch.finfo(dtype)
    last = (exact.abs().frexp().exponent.double() - 1).exp2().clamp(min=info.smallest_normal) * info.eps
    return torch.where(exact.isfinite(), (exact / last).round() * last, exact).copysign(exact).float().to(dtype)


@SHORT
def test_every_short_float_becomes_its_float_and_itself_again(run: Module, dtype: torch.dtype) -> None:
    floats = run.widened(every(dtype))
    assert same(floats, every(dtype).float())
    assert same(run.narrowed(floats, every(dtype)), every(dtype))


@SHORT
def test_floats_between_two_short_ones_round_to_the_nearest_and_ties_to_even(run: Module, dtype: torch.dtype) -> None:
    finite = every(dtype)[every(dtype).isfinite()].float().sort().values
    middle = (finite[1:].double() + finite[:-1].double()) / 2
    around = torch.cat([middle.float(), middle.float().nextafter(finite[1:]), middle.float().nextafter(finite[:-1])])
    extremes = torch.tensor([65519.996, 65520.0, 1e30, -65520.0, 2.0**-25, 2.0**-25 * 1.001, -1e-30, 3.4e38, math.nan])
    floats = torch.cat([around, extremes])
    assert same(run.narrowed(floats, every(dtype)), floats.to(dtype))


@SHORT
def test_short_arithmetic_rounds_once(run: Module, dtype: torch.dtype) -> None:
    torch.manual_seed(1)
    A, B = every(dtype), every(dtype)[torch.randperm(65536)]
    C, tests = run.halves(A, B)
    a, b, n = A.double(), B.double(), torch.arange(65536)
    for row, exact in enumerate((a + b, a - b, a * b, a / b)):
        assert same(C[row], rounded_once(exact, dtype)), row
    # Here float64 holds a product and a sum exactly.
    near = ((a.abs() / 2**9).log2().abs() < 9) & ((b.abs() / 2**9).log2().abs() < 9)
    assert same(C[4][near], rounded_once(a * b + a, dtype)[near])
    assert torch.allclose(
        C[5].float(), torch.exp(-A.float().abs()).to(dtype).float(), rtol=1e-2, atol=1e-7, equal_nan=True
    )
    assert torch.equal(tests, (a < b) * 1 + (a >= b) * 2 + (a == a) * 4 + a.isnan() * 8)
    assert same(C[6], rounded_once(a + a, dtype))
    upper = rounded_once(b + a, dtype).double()
    near = (upper.abs() < 100) & (upper.abs() > 2.0**-9)
    assert same(C[7][near], rounded_once(upper * upper + 1, dtype)[near])
    assert same(C[8], rounded_once(1 / (1 + n.double()), dtype))
    assert same(C[9], rounded_once((n / 4).to(dtype).double().trunc(), dtype))
    pairs = torch.stack([n.float(), torch.full((65536,), 9.0)]).to(dtype).float().clamp(min=4).sqrt().to(dtype).float()
    assert same(C[10], pairs.sum(0).to(dtype).view(-1, 2).flip(1).flatten())


def test_a_fused_sum_is_rounded_from_all_its_bits(run: Module) -> None:
    """The product is half-way between two numbers, and what is added is too small for float64."""
    A, B = torch.ones(32).bfloat16(), torch.ones(32).bfloat16()
    A[1], B[1] = -1.5 * 2.0**-100, -(1 + 2.0**-7) * 2.0**99
    A[2], B[2] = 2.0**-70, -(2.0**-80)  # no float is as small as the product
    C = run.halves(A, B)[0]
    assert C[4, 1] == 193 / 128 / 2 and C[2, 2] == 0 and torch.signbit(C[2, 2])


def test_operators_of_bfloat16(run: Module) -> None:
    A, B = torch.tensor([2.0, -0.5, 0.0]).bfloat16(), torch.randn(3, 2).bfloat16()
    assert torch.equal(run.operated(A, B), torch.stack([B[0] * -3, B[1] * -0.5, B[2]]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dispatch_runs_the_kernel_of_the_tensors_type(run: Module, dtype: torch.dtype) -> None:
    A = torch.randint(-50, 50, (700,)).to(dtype)
    assert torch.equal(run.scaled(A, 0.5), A * 2.5)


def test_dispatch_refuses_other_types_as_pytorch_does(run: Module) -> None:
    with pytest.raises(NotImplementedError, match="\"scaled\" not implemented for 'Int'"):
        run.scaled(torch.ones(3, dtype=torch.int32), 1.0)


# ----------------------------------------------------------------------------------------------------------------------
# Mathematics.

UNARY = {  # CUDA's function of a float: PyTorch's, and the relative error allowed
    "expf": torch.exp, "logf": torch.log, "sqrtf": torch.sqrt, "rsqrtf": torch.rsqrt, "tanhf": torch.tanh,
    "sinf": torch.sin, "cosf": torch.cos, "erff": torch.erf, "log1pf": torch.log1p, "fabsf": torch.abs,
    "floorf": torch.floor, "ceilf": torch.ceil, "exp2f": torch.exp2, "log2f": torch.log2, "expm1f": torch.expm1,
    "__expf": torch.exp, "__logf": torch.log, "__sinf": torch.sin, "__cosf": torch.cos, "__frsqrt_rn": torch.rsqrt,
    "__frcp_rn": torch.reciprocal, "__log2f": torch.log2, "__log10f": torch.log10,
    "__saturatef": lambda x: x.clamp(0, 1),
    # CUDA overloads these for float; C's versions would take an int or a double.
    "abs": torch.abs, "exp": torch.exp, "sqrt": torch.sqrt, "tanh": torch.tanh, "fabs": torch.abs, "rsqrt": torch.rsqrt,
    "normcdff": torch.special.ndtr, "rcbrtf": lambda x: x.pow(-1 / 3),
    "erfinvf": lambda x: torch.erfinv(x / 4), "erfcinvf": lambda x: torch.erfinv(1 - x.double() / 2).float(),
    "normcdfinvf": lambda x: torch.special.ndtri(x / 4),
}  # fmt: skip
BINARY = {
    "fmaxf": torch.maximum, "fminf": torch.minimum, "powf": torch.pow, "__powf": torch.pow, "fmodf": torch.fmod,
    "__fdividef": torch.divide, "max": torch.maximum, "min": torch.minimum, "atan2f": torch.atan2,
    "hypotf": torch.hypot,
    "__fadd_rn": torch.add, "__fmul_rn": torch.mul, "fdividef": torch.divide, "pow": torch.pow, "fmax": torch.maximum,
    "copysignf": torch.copysign, "rhypotf": lambda x, y: 1 / torch.hypot(x, y),
    "norm3df": lambda x, y: (2 * x * x + y * y).sqrt(), "rnorm3df": lambda x, y: (2 * x * x + y * y).rsqrt(),
}  # fmt: skip

CALLED = re.findall(r"STORE\((\w+)\(x", joined("features"))  # in the order of the rows of the result


def test_maths_functions_and_fast_intrinsics(run: Module) -> None:
    A, B = torch.rand(500) * 3 + 0.1, torch.rand(500) * 3 + 0.1
    out = run.maths(A, B, len(CALLED))
    expected = {name: f(A) for name, f in UNARY.items()} | {name: f(A, B) for name, f in BINARY.items()}
    assert sorted(CALLED) == sorted(expected)
    for name, got in zip(CALLED, out, strict=True):
        assert torch.allclose(got, expected[name], rtol=3e-6, atol=1e-7), name


def test_functions_of_negative_floats_are_not_those_of_integers(run: Module) -> None:
    A = -torch.rand(100)
    out = dict(zip(CALLED, run.maths(A, A, len(CALLED)), strict=True))
    assert torch.equal(out["abs"], A.abs()) and torch.equal(out["fabs"], A.abs())
    assert torch.equal(out["floorf"], A.floor()) and out["sqrt"].isnan().all()


def test_integer_and_bit_functions(run: Module) -> None:
    highest, lowest = 2**31 - 1, -(2**31)
    expected = [
        8, 31, 32, 4, 0, 64, 63, lowest, -15, 2, 3, -3, 7, 9, 9, 2, -2, 0x3F800000, 3, 1, 1, 40, 1,
        0x00442266, 0x80112280 - 2**32,
        148, 660, -2, 15, 2, 1, -2, -1, highest - 1, lowest, lowest + 1,
        0x02018284, 0xFFFF0001 - 2**32, 0x01FF0100, 0xFF00FF00 - 2**32, 0x01017F01, 0xFF00FF00 - 2**32,
        1, 0x40080000, -1, -1_000_000_000, 2, highest, lowest, 0, 0, lowest, -2, 1, 1, 11, 1, 1, 1,
    ]  # fmt: skip
    assert run.integer_maths()[: len(expected)].tolist() == expected


def test_special_registers(run: Module) -> None:
    threads = torch.arange(66).repeat(3)
    lanes = threads % 32
    expected = torch.stack([lanes, lanes, torch.ones_like(lanes), torch.ones_like(lanes)], 1)
    assert torch.equal(run.special_registers(3), expected.int())


# ----------------------------------------------------------------------------------------------------------------------
# Functions, templates, constants.


def test_functors_templates_and_helpers_of_both_sides(run: Module) -> None:
    A = torch.randint(-5, 5, (300,)).float()
    assert torch.equal(run.mapped(A, 10.0), A + 10 + A**3 + 2)


def test_constant_memory(run: Module) -> None:
    A = torch.randint(-5, 5, (300,)).float()
    assert torch.equal(run.evaluated(A, [1, 2, 3, 4]), 1 + 2 * A + 3 * A**2 + 4 * A**3)


# ----------------------------------------------------------------------------------------------------------------------
# The host's side: streams, events, memory, several kernels in a row, attributes.


def test_streams_events_and_device_memory(run: Module) -> None:
    A = torch.arange(50, dtype=torch.int32)
    C = run.host_side(A)
    assert C[0] == 101 and torch.equal(C[1:], A[1:] + 1)


def test_attributes_and_error_texts(run: Module) -> None:
    some = torch.zeros(1)
    assert [run.limit(some, name) for name in ("threads", "warp", "shared")] == [1024, 32, 227 * 1024]
    assert run.error_text(some, 0) == "cudaSuccess: no error"
    assert run.error_text(some, 9) == "cudaErrorInvalidConfiguration: invalid configuration argument"
    assert run.error_text(some, 719) == "cudaErrorLaunchFailure: unspecified launch failure"


def test_what_else_kernels_and_wrappers_use(run: Module) -> None:
    assert run.more_of_the_host(torch.zeros(64, dtype=torch.int32)).tolist() == [3] * 64


def test_a_template_built_again_with_a_larger_shared_array_uses_its_own() -> None:
    template = kernel("emulator/sized_template")
    modules = []
    for size in (8, 1024):
        source = template.replace("kSize = 8", f"kSize = {size}")
        modules.append((size, load_inline("twice", cuda_sources=source, functions="reversed", toolchain="emulator")))
    for size, module in modules + modules:
        A = torch.randn(size)
        assert torch.equal(module.reversed(A), A.flip(0))
