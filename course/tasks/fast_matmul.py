"""C = A.T @ B.T for any sizes, by kernels that keep tiles of C in registers."""

from dataclasses import replace

import torch

from course.tasks import Case, cases
from course.tasks.tiled_matmul import mistakes as mistakes_of_any_tiles
from course.tasks.transposed_matmul import NAMED_OPERATIONS, Model, operands

__all__ = ["Model"]  # KernelBench's form requires it in this file

M = 2048
K = 8192
N = 4096


def get_inputs() -> list[torch.Tensor]:
    return operands(M, N, K)


SIZES = {
    "tiny": {"M": 128, "N": 128, "K": 16},
    "small": {"M": 1024, "N": 1024, "K": 1024},
    "full": {"M": 2048, "N": 4096, "K": 8192},
}

CASES = [
    # The first has several tiles of 64 and of 128, and the last tiles are partial.
    *cases("M N K", (130, 140, 37), (128, 128, 16), (192, 256, 40), (127, 129, 9), (129, 63, 33), (65, 300, 24)),
    *cases("M N K", (20, 35, 3), (5, 7, 100), (4, 6, 8), (1, 1, 1), (1, 70, 48), (70, 1, 48)),
    *cases("M N K", (20, 30, 0), (0, 8, 8), (8, 0, 8)),
    Case({"M": 36, "N": 28, "K": 44}, layout="offset"),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]

TILE, DEPTH, MINE, VECTOR = 128, 8, 8, 4  # as in the notebook's kernels


def sum_length() -> int:
    return K


def bytes_moved() -> int:
    return 4 * (K * M + N * K + M * N)


def operations() -> int:
    return 2 * M * N * K


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    if not 0 < operations() <= NAMED_OPERATIONS:
        return {}
    k = torch.arange(K, device=A.device)
    last = K // DEPTH * DEPTH

    def of(kept: torch.Tensor) -> torch.Tensor:
        """The product with these terms only."""
        return A[kept].T @ B[:, kept].T

    found = {
        f"The last K % {DEPTH} terms of each sum are missing: the steps take {DEPTH} values of k each, and the "
        "values left over need a loop of their own.": of(k < last),
        f"The last step's {DEPTH} terms are missing: the loop ends one step too early, or the last tiles "
        "were overwritten before they were used.": of(k < last - DEPTH),
        f"The terms of the last two steps of {DEPTH} are missing: the loop ends with the last copy, and the tiles that "
        "are still being copied are never multiplied.": of(k < last - 2 * DEPTH),
        f"Each step of {DEPTH} uses the first tile of A again: the index must grow with each step.": (
            A[k % DEPTH].T @ B.T
        ),
        f"Each step of {DEPTH} uses the first tile of B again: the index must grow with each step.": (
            A.T @ B[:, k % DEPTH].T
        ),
    }
    if last == K:
        turned = k // VECTOR * VECTOR + (VECTOR - 1 - k % VECTOR)
        found["The four elements of a float4 of B go to the wrong k: x belongs to the first k, and w to the last."] = (
            A.T @ B[:, turned].T
        )
    if M % TILE == N % TILE == 0:
        found |= _of_wrong_places(A.T @ B.T)
    return found | mistakes_of_any_tiles(A, B)


def _of_wrong_places(right: torch.Tensor) -> dict[str, torch.Tensor]:
    """The mistakes of kernels whose threads load other rows or columns than they store, for whole tiles of `right`."""
    i, j = (torch.arange(length, device=right.device) for length in right.shape)
    row, column = (i % TILE)[:, None], j % TILE  # in a tile
    side = TILE // MINE
    (r, ty), (c, tx) = ((place // side, place % side) for place in (row, column))

    def read(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """For each place of a tile of C, the element of `right` in this row and column of the tile."""
        return right[i[:, None] - row + rows, j - column + columns]

    found = {
        "Rows of C are exchanged with other rows, and columns with other columns: a thread does not store the elements "
        "that it computes.": read(row // MINE + row % MINE * side, column // MINE + column % MINE * side),
        "r and c are exchanged: a belongs to a row of sum[r][c] and b to its column, so the product is a[r] * b[c].": (
            read(ty + c * side, tx + r * side)
        ),
        "tx and ty are exchanged: a thread's rows, in As, follow from ty, and its columns, in Bs, from tx.": (
            read(tx + r * side, ty + c * side)
        ),
        "As is read with tx, but a thread's rows follow from ty.": read(tx + r * side, column),
        "Bs is read with ty, but a thread's columns follow from tx.": read(row, ty + c * side),
    }
    if right.shape != (TILE, TILE):  # otherwise it is the transpose, which has other causes, too
        found["As and Bs are exchanged: a comes from As, at the thread's rows, and b from Bs, at its columns."] = read(
            column, row
        )
    for how, step, distance in (
        (f"{MINE} successive ones, as with an index like ty * kMine + n", MINE, 1),
        (f"{MINE} successive ones, as with an index like ty + n, which lacks the factor kSide", 1, 1),
        (f"{MINE} apart, as with the factor kMine in place of kSide", 1, MINE),
    ):
        rows, columns = step * ty + distance * r, step * tx + distance * c
        loaded = {"rows and columns": (rows, columns), "rows": (rows, column), "columns": (row, columns)}
        for which, places in loaded.items():
            found[f"A thread stores {which} that are {side} apart, but those that it loads are {how}."] = read(*places)
    return found


def whole_tiles(M: int, N: int, K: int, columns: int = TILE) -> Case:
    """A case for kernels with tiles of 128 x `columns`: 1.5 times the sectors that such a kernel requests.

    For each k, a block loads 128 elements of A and `columns` elements of B, in sectors of 8 elements. It stores its
    tile of C once. Tiles with sides of half the length request twice as many sectors of A and B, more than the budget
    from K = 64 on.
    """
    sectors = M // TILE * (N // columns) * (K * (TILE + columns) + TILE * columns) // 8
    return Case({"M": M, "N": N, "K": K}, budget={"sectors": 3 * sectors // 2})


_WHOLE_TILES = [
    # The first two cases are always traced because they have a budget. The second has more than one block.
    whole_tiles(128, 128, 136),
    whole_tiles(128, 256, 24),
    *cases("M N K", (128, 128, 40), (256, 128, 24), (128, 128, 8), (128, 128, 0), (0, 128, 8), (128, 0, 8)),
]


def overlapping(case: Case) -> Case:
    """`case`, of 9 steps, with a budget of batches that overlap nothing.

    Those before the loop do: one in the notebook, and up to four with more stages.
    """
    budget = {"unoverlapped_copies": 4, **case.budget}
    return replace(case, budget=budget, asks="copies of later steps that are on their way while the thread multiplies")


VARIANTS = {
    "fast_matmul_odd": {
        "__doc__": "C = A.T @ B.T at odd sizes, which are multiples of no tile and of no vector length.",
        "M": 2047,
        "N": 4093,
        "K": 8191,
        "SIZES": {
            "tiny": {"M": 127, "N": 129, "K": 17},
            "small": {"M": 1023, "N": 1021, "K": 1019},
            "full": {"M": 2047, "N": 4093, "K": 8191},
        },
    },
    "fast_matmul_whole_tiles": {
        "__doc__": "C = A.T @ B.T where M and N are multiples of 128 and K is a multiple of 8: kernels without guards.",
        "CASES": _WHOLE_TILES,
    },
    "fast_matmul_pipelined": {
        "__doc__": "C = A.T @ B.T where M, N and K are multiples of the tile, by copies that overlap the products.",
        "CASES": [overlapping(whole_tiles(128, 128, 72)), *_WHOLE_TILES],
    },
    "fast_matmul_tall": {
        "__doc__": "C = A.T @ B.T by tiles of 128 x 64 and copies that overlap the products.",
        "CASES": [
            overlapping(whole_tiles(128, 64, 72, 64)),
            # 64 threads with 16 x 8 elements each; with 8 x 8 there are 128
            Case({"M": 128, "N": 64, "K": 40}, budget={"threads": 96}, asks="16 x 8 elements for each thread"),
            whole_tiles(128, 64, 136, 64),
            *cases("M N K", (256, 64, 24), (128, 64, 8), (128, 64, 0), (0, 64, 8)),
            Case({"M": 128, "N": 192, "K": 16}),
        ],
    },
}
