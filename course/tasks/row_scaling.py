"""C = diag(A) @ B: row i of B times A[i]. A is (M,), B and C are (M, N), float32. KernelBench, level 1, problem 12."""

import torch
from torch import nn

from course.tasks import ONE_THREAD_PER_ELEMENT, STORED_ONCE, Case, with_budget

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.diag(A) @ B


def reference(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    # The same product without the zeros of diag(A): zero times infinity or NaN would spread over whole columns.
    return A[:, None] * B


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M) * 1.5 + 0.25, torch.randn(M, N) * 0.75 - 0.5]


def get_init_inputs() -> list:
    return []


SIZES = {"tiny": {"M": 37, "N": 53}, "small": {"M": 512, "N": 512}, "full": {"M": 4096, "N": 4096}}

CASES = [
    Case({"M": 0, "N": 8}),
    Case({"M": 8, "N": 0}),
    Case({"M": 1, "N": 1}),
    Case({"M": 1, "N": 300}),
    Case({"M": 300, "N": 1}),
    Case({"M": 64, "N": 64}),
    Case({"M": 37, "N": 53}),
    Case({"M": 53, "N": 37}),
    Case({"M": 15, "N": 17}),
    Case({"M": 31, "N": 33}),
    Case({"M": 257, "N": 255}),
    Case({"M": 20, "N": 30}, values="special"),
]

REFUSALS = [
    Case({"M": 20, "N": 30}, change="host:0", expect="error"),
    Case({"M": 20, "N": 30}, change="host:1", expect="error"),
    Case({"M": 20, "N": 30}, change="dtype:0", expect="error"),
    Case({"M": 20, "N": 30}, change="dtype:1", expect="error"),
    Case({"M": 20, "N": 30}, change="shape:0", expect="error"),
    Case({"M": 20, "N": 30}, change="short:0", expect="error"),
    Case({"M": 20, "N": 30}, layout="transposed", expect="error"),
    Case({"M": 20, "N": 30}, layout="pitched", expect="error"),  # only B is not contiguous
]


def bytes_moved() -> int:
    return 4 * (M + 2 * M * N)


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    index = torch.arange(M * N, device=A.device)
    column = _gather(A, index % max(N, 1))
    by_rows = _gather(A, index // max(M, 1))
    flat = _gather(A, index)
    # With rows M apart, the last row with an element at an index. Where another row has one too, either may be the last
    # to write: row M stands for any value.
    last = (index // max(M, 1)).clamp(max=M - 1)
    place = index - last * M
    apart = _gather(A, torch.where((place < N) & ((last == 0) | (place + M >= N)), last, M))
    return {
        "Each column was scaled by A[column] instead of each row by A[row].": column * B,
        "The row was computed as index / M; a row of B has N elements, so the row is index / N.": by_rows * B,
        "Rows were read as if each had M elements; each row has N, so the index is row * N + column.": apart * B,
        "The result is A[row] + B: added instead of multiplied.": A[:, None] + B,
        "Every row was scaled by A[0].": A[:1].expand(M)[:, None] * B if M else B,
        "Every row of the result comes from row 0 of B: where does each row of B begin?": A[:, None] * B[:1],
        "A was read at the index of the element instead of at its row.": flat * B,
    }


def _gather(A: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """A[index] as (M, N), with NaN (any value) where the index is past the end of A."""
    inside = index < M
    return torch.where(inside, A[index.clamp(max=max(M - 1, 0))] if M else 0.0, float("nan")).view(M, N)


def few_sectors(M: int, N: int) -> Case:
    """A case with rows that begin on a sector: N is a multiple of 8, and long enough that few threads are idle.

    The least is each element once: A has M / 8 sectors of 8 floats, B and C have M * N / 8 each. A warp on 32
    neighbours of a row requests 4 sectors of B, 4 of C and 1 of A: 9, where the least is 8. The budget is 1.5 times the
    least, which leaves room for blocks of another shape. With one thread per row, each element takes a sector, 8 times
    the least.
    """
    least = M // 8 + 2 * (M * N // 8)
    return Case({"M": M, "N": N}, budget={"sectors": 3 * least // 2})


def few_requests(M: int, N: int) -> Case:
    """A case with rows of whole blocks' float4: N is a multiple of 1024.

    The least is a request to load and one to store for each 128 elements, 32 lanes with 16 bytes each. The row's
    element of A takes one more request per warp, for which a budget of 1.5 times the least leaves room. One float per
    lane needs four times the least, a float2 twice.
    """
    return Case({"M": M, "N": N}, budget={"requests": 3 * (2 * M * N // 128) // 2})


VARIANTS = {
    "row_scaling_by_element": {
        "__doc__": "Row scaling with one thread per element.",
        "CASES": with_budget(CASES, ONE_THREAD_PER_ELEMENT, {"M": 257, "N": 255}),
    },
    "row_scaling_by_block": {
        "__doc__": "Row scaling with one block per row, whose threads share the row.",
        # In a loop that steps by 1, every thread of a block stores the last element of the row. If each thread takes a
        # chunk of the row, neighbours are a chunk apart: 4 elements with 256 threads, and 4 times the sectors.
        "CASES": [
            *with_budget(CASES, STORED_ONCE, {"M": 257, "N": 255}),
            Case({"M": 5, "N": 300}),
            few_sectors(16, 1024),
        ],
    },
    "row_scaling_by_grid": {
        "__doc__": "Row scaling by a 2-D grid whose warps read neighbours, with a wrapper that refuses wrong inputs.",
        "CASES": [*CASES, few_sectors(64, 512), *REFUSALS],
    },
    "row_scaling_checked": {
        "__doc__": "Row scaling, with a wrapper that refuses unsuitable inputs.",
        "CASES": [*CASES, *REFUSALS],
    },
    "row_scaling_few_sectors": {
        "__doc__": "Row scaling, judged by its sectors of global memory as well.",
        "CASES": [few_sectors(64, 512), few_sectors(40, 1000)],
    },
    "row_scaling_limit": {
        "__doc__": "Row scaling of rows of a multiple of 4 elements.",
        "SIZES": {**SIZES, "tiny": {"M": 37, "N": 52}},
        "CASES": [
            Case({"M": 0, "N": 8}),
            Case({"M": 8, "N": 0}),
            Case({"M": 1, "N": 4}),
            Case({"M": 1, "N": 300}),
            Case({"M": 300, "N": 4}),
            Case({"M": 64, "N": 64}),
            Case({"M": 37, "N": 52}),
            Case({"M": 53, "N": 36}),
            Case({"M": 31, "N": 32}),
            Case({"M": 257, "N": 256}),
            Case({"M": 5, "N": 2052}),  # one float4 more than two blocks of 128 threads with two each
            Case({"M": 20, "N": 32}, values="special"),
        ],
    },
    "row_scaling_few_requests": {
        "__doc__": "Row scaling of rows of a multiple of 4 elements, judged by its requests to global memory as well.",
        "CASES": [few_requests(16, 1024), few_requests(5, 3072)],
    },
}
