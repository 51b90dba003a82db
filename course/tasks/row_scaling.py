"""C = diag(A) @ B: row i of B times A[i]. A is (M,), B and C are (M, N), float32. KernelBench, level 1, problem 12."""

import torch
from torch import nn

from course.tasks import ASKS_FOR_ONE_THREAD, ONE_THREAD_PER_ELEMENT, Case, few_requests, refusals, with_budget

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.diag(A) @ B


def reference(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    # The same product without the zeros of diag(A): zero times infinity or NaN is NaN, which would fill whole columns.
    return A[:, None] * B


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M) * 1.5 + 0.25, torch.randn(M, N) * 0.75 - 0.5]


SIZES = {"tiny": {"M": 37, "N": 53}, "small": {"M": 512, "N": 512}, "full": {"M": 4096, "N": 4096}}

FOURS = {**SIZES, "tiny": {"M": 37, "N": 52}}  # rows of a multiple of 4 elements

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 8), (8, 0), (1, 1), (1, 300), (300, 1), (64, 64), (37, 53), (53, 37), (15, 17), (31, 33), (257, 255),
    )),
    # A block has at most 1024 threads, so it cannot have a thread for each column, or one for each row.
    Case({"M": 3, "N": 1500}),
    Case({"M": 1500, "N": 3}),
    Case({"M": 20, "N": 30}, values="special"),
]  # fmt: skip

# In the last case only B is not contiguous.
REFUSALS = refusals(
    {"M": 20, "N": 30}, "host:0", "host:1", "dtype:0", "dtype:1", "shape:0", "short:0", "transposed", "pitched"
)


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 4 * (M + 2 * M * N)


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    index = torch.arange(M * N, device=A.device)
    column = _gather(A, index % max(N, 1))
    by_rows = _gather(A, index // max(M, 1))
    flat = _gather(A, index)
    # If rows are stored M elements apart, `last` is the last row that has an element at an index. If another row has an
    # element there too, either of them may be the last to store: row M then stands for any value.
    last = (index // max(M, 1)).clamp(max=M - 1)
    place = index - last * M
    apart = _gather(A, torch.where((place < N) & ((last == 0) | (place + M >= N)), last, M))
    kinds = {24: torch.float32, 53: torch.float64}
    rounded = {bits: index.to(kind) * torch.tensor(1 / max(N, 1), dtype=kind) for bits, kind in kinds.items()}
    return {
        "Each column was scaled by A[column] instead of each row by A[row].": column * B,
        "The row was computed as index / M; a row of B has N elements, so the row is index / N.": by_rows * B,
        "Rows were read as if each had M elements; each row has N, so the index is row * N + column.": apart * B,
        "The result is A[row] + B: added instead of multiplied.": A[:, None] + B,
        "Every row of the result comes from row 0 of B: where does each row of B begin?": A[:, None] * B[:1],
        "A was read at the index of the element instead of at its row.": flat * B,
        **{
            f"Rows begin with the factor of the row before: their number was rounded to {bits} bits.": (
                _gather(A, row.long()) * B
            )
            for bits, row in rounded.items()
        },
    }


def _gather(A: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """A[index] as (M, N), with NaN (any value) where the index is past the end of A."""
    inside = index < M
    return torch.where(inside, A[index.clamp(max=max(M - 1, 0))] if M else 0.0, float("nan")).view(M, N)


def few_sectors(M: int, N: int) -> Case:
    """A case whose budget is 1.5 times the least number of sectors.

    N must be a multiple of 8, so that each row begins at a sector, and large enough that few threads are idle. The
    least is M / 8 sectors for A and M * N / 8 each for B and C, since a sector holds 8 floats. A warp on 32 neighbours
    of a row requests 4 sectors of B, 4 sectors of C and 1 sector of A. The budget leaves room for these 9 sectors, and
    for blocks of another shape. With one thread per row, each element takes a sector, 8 times the least.
    """
    least = M // 8 + 2 * (M * N // 8)
    return Case({"M": M, "N": N}, budget={"sectors": 3 * least // 2})


# Rows of float4s, of lengths at which a loop or a chunk ends early.
IN_FOURS = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 8), (8, 0), (1, 4), (1, 300), (300, 4), (64, 64), (37, 52), (53, 36), (31, 32), (257, 256),
    )),
    Case({"M": 5, "N": 2052}),  # one float4 more than two blocks of 128 threads with two float4 each
    Case({"M": 20, "N": 32}, values="special"),
]  # fmt: skip


def split_rows(N: int) -> Case:
    """A case of two long rows: each needs many blocks, whose threads have two to 16 float4s each.

    If N is 135168, a thread has more than 64 elements even if two blocks of 1024 threads share a row. A kernel with one
    float4 per thread has twice the threads of one with two.
    """
    asks = "several blocks per row, with at least two float4s and at most 16 for each thread"
    return Case({"M": 2, "N": N}, budget={"elements_per_thread": 64, "threads": 3 * 2 * N // 8 // 2}, asks=asks)


# What the cases with a budget ask for.
BLOCK_PER_ROW = "one block per row"
SHARE_THE_ROW = f"{BLOCK_PER_ROW}, whose threads share it"
TWO_DIMENSIONS = "a 2-D grid, in which y counts the rows"

VARIANTS = {
    "row_scaling_by_element": {
        "__doc__": "Row scaling with one thread per element.",
        # In long rows, a thread of one block per row has 20 elements or more, and a thread of an honest kernel has not
        # more than 16.
        "CASES": [
            *with_budget(CASES, ONE_THREAD_PER_ELEMENT, {"M": 257, "N": 255}, asks=ASKS_FOR_ONE_THREAD),
            Case(
                {"M": 3, "N": 20_011},
                budget={"elements_per_thread": 16, "idle_threads": 3 * 20_011 // 4},
                asks=ASKS_FOR_ONE_THREAD,
            ),
        ],
    },
    "row_scaling_by_block": {
        "__doc__": "Row scaling with one block per row, whose threads share the row.",
        # If a loop steps by 1, every thread of a block stores the last element of the row. If each of 256 threads
        # handles a chunk of the row, the elements of neighbouring threads are a chunk of 4 elements apart, and the
        # kernel requests 4 times as many sectors. With one thread per element, or a part of a row for each block, there
        # are more blocks than rows. Fewer blocks may be right, such as blocks of 8 warps with a row for each warp. But
        # the threads of a single block have more elements than ONE_THREAD_PER_ELEMENT allows.
        "CASES": [
            *with_budget(
                CASES,
                ONE_THREAD_PER_ELEMENT,
                {"M": 257, "N": 255},
                asks=SHARE_THE_ROW,
            ),
            Case({"M": 5, "N": 300}),
            few_sectors(16, 1024),
            Case({"M": 6, "N": 4096}, budget={"blocks": 6}, asks=BLOCK_PER_ROW),
        ],
    },
    "row_scaling_by_grid": {
        "__doc__": "Row scaling by a 2-D grid: lanes of a warp read neighbours, and the wrapper refuses wrong inputs.",
        # If y counts no rows, as with one thread per element, there are 32 threads along x for each row, or more. If
        # the grid has one block along y, whose 8 rows of threads loop over all rows, a thread has 263 of 2100 rows.
        "CASES": [
            *with_budget(CASES, {"threads_along_x": 1024}, {"M": 257, "N": 255}, asks=TWO_DIMENSIONS),
            Case({"M": 2100, "N": 31}, budget={"elements_per_thread": 64}, asks=TWO_DIMENSIONS),
            few_sectors(64, 512),
            *REFUSALS,
        ],
    },
    "row_scaling_checked": {
        "__doc__": "Row scaling, with a wrapper that refuses unsuitable inputs.",
        "CASES": [*CASES, *REFUSALS],
    },
    "row_scaling_few_sectors": {
        "__doc__": "Row scaling, also judged by the sectors of global memory that it requests.",
        "CASES": [few_sectors(64, 512), few_sectors(40, 1000)],
    },
    "row_scaling_wide": {
        "__doc__": "Row scaling of rows whose length is a multiple of 4, by float4.",
        "SIZES": FOURS,
        # Rows with a budget of requests are long, so that few warps of a row's last block are idle.
        # One block for all rows has 20 elements per thread or more, and one warp for each row 32.
        "CASES": [
            *IN_FOURS,
            few_requests(4, 4096),
            Case({"M": 20, "N": 1024}, budget={"elements_per_thread": 16}, asks=SHARE_THE_ROW),
        ],
    },
    "row_scaling_rounded": {
        "__doc__": "Row scaling with one thread per element, also at sizes at which e * (1 / N) is rounded down.",
        "CASES": [
            *with_budget(CASES, ONE_THREAD_PER_ELEMENT, {"M": 257, "N": 255}, asks=ASKS_FOR_ONE_THREAD),
            *(Case({"M": 100, "N": N}) for N in (41, 47, 55, 61)),
        ],
    },
    # The next variants are only timed.
    "row_scaling_restrict": {"__doc__": "Row scaling by one loop, compiled with and without `__restrict__`."},
    "row_scaling_sweep": {"__doc__": "Row scaling with other numbers of loads and threads.", "SIZES": FOURS},
    "row_scaling_long": {
        "__doc__": "Row scaling of a few long rows, with one block or several blocks per row.",
        "SIZES": {"tiny": {"M": 3, "N": 5004}, "small": {"M": 8, "N": 65536}, "full": {"M": 8, "N": 8388608}},
    },
    "row_scaling_limit": {
        "__doc__": "Row scaling of rows whose length is a multiple of 4, several blocks per row.",
        "SIZES": FOURS,
        "CASES": [*IN_FOURS, split_rows(32768)],
    },
    "row_scaling_few_requests": {
        "__doc__": "Row scaling of rows whose length is a multiple of 4, also judged by requests to global memory.",
        "CASES": [few_requests(2, 32768), few_requests(3, 16384), split_rows(135168)],
    },
}
