"""C = A.T @ B.T by tiles in shared memory: transposed_matmul, with cases on both sides of the tiles' edges."""

import torch

from course.tasks import Case, with_budget
from course.tasks.transposed_matmul import NAMED_OPERATIONS, Model, operands, product_operations
from course.tasks.transposed_matmul import mistakes as mistakes_of_any_kernel

__all__ = ["Model"]  # KernelBench's form requires it in this file

M = 2048
K = 8192
N = 4096


def get_inputs() -> list[torch.Tensor]:
    return operands(M, N, K)


SIZES = {
    "tiny": {"M": 37, "N": 41, "K": 85},
    "small": {"M": 1024, "N": 1024, "K": 1024},
    "full": {"M": 2048, "N": 4096, "K": 8192},
}

CASES = [
    Case(
        {"M": 37, "N": 41, "K": 85}
    ),  # several tiles of 16 and of 32 in each direction, and the last tiles are partial
    Case({"M": 64, "N": 96, "K": 64}),
    Case({"M": 16, "N": 16, "K": 16}),
    Case({"M": 32, "N": 32, "K": 32}),
    Case({"M": 15, "N": 17, "K": 33}),
    Case({"M": 17, "N": 15, "K": 31}),
    Case({"M": 31, "N": 33, "K": 17}),
    Case({"M": 33, "N": 31, "K": 15}),
    Case({"M": 20, "N": 35, "K": 3}),
    Case({"M": 5, "N": 7, "K": 100}),
    Case({"M": 1, "N": 1, "K": 1}),
    Case({"M": 1, "N": 170, "K": 48}),  # more than an int8_t counts
    Case({"M": 170, "N": 1, "K": 48}),
    Case({"M": 20, "N": 30, "K": 0}),
    Case({"M": 0, "N": 8, "K": 8}),
    Case({"M": 8, "N": 0, "K": 8}),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]

TILES = (16, 32)


def sum_length() -> int:
    return K


def bytes_moved() -> int:
    return 4 * (K * M + N * K + M * N)


def operations() -> int:
    return 2 * M * N * K


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    if not 0 < product_operations(A, B) <= NAMED_OPERATIONS:
        return {}
    found: dict[str, torch.Tensor] = {}
    for tile in TILES:
        found |= _of_tiles(A, B, tile)
    return found | mistakes_of_any_kernel(A, B)


def _of_tiles(A: torch.Tensor, B: torch.Tensor, tile: int) -> dict[str, torch.Tensor]:
    """The mistakes of kernels with tiles of `tile` x `tile`."""
    K = len(A)  # not the K of this file, because fast_matmul also calls `mistakes`
    k = torch.arange(K, device=A.device)
    full, rest = K // tile * tile, K % tile

    def of(kept: torch.Tensor) -> torch.Tensor:
        """The product with only those terms."""
        return A[kept].T @ B[:, kept].T

    found = {
        f"The last, partial tile of {tile} values of k is missing: the number of steps was rounded down.": of(k < full),
        f"Only the first {tile} terms of each sum were added: the loop over the tiles of k is missing.": of(k < tile),
        f"Each sum has only the terms of the last tile: it is set to 0 at every tile of {tile}, and must be set to 0 "
        "before the loop over the tiles.": of(k >= (K - 1) // tile * tile),
        f"The tile of B is used without its transpose: within each {tile} x {tile} tile the places of j and k are "
        "exchanged.": A.T @ _tiles_transposed(B, tile).T,
        f"The tile of A is transposed: within each {tile} x {tile} tile the places of i and k are exchanged.": (
            _tiles_transposed(A, tile).T @ B.T
        ),
    }
    found |= _of_wrong_indices(A, B, tile)
    if rest and full:
        left = (k >= full - tile + rest) & (k < full)
        found[
            f"The last {tile} x {tile} tile of k still holds elements of the tile before it: a thread that has nothing "
            "to load must store 0 into the tile."
        ] = of(k < K) + of(left)
    return found


def _of_wrong_indices(A: torch.Tensor, B: torch.Tensor, tile: int) -> dict[str, torch.Tensor]:
    """The mistakes of kernels that load or use wrong places of their tiles."""
    (K, M), N = A.shape, len(B)
    k, i, j = (torch.arange(length, device=A.device) for length in (K, M, N))
    first = k % tile  # for each k, the k at the same place in the first step
    # A guard with tx and ty exchanged tests the element across the diagonal of the tile.
    in_A = (k[:, None] // tile * tile + i % tile < K) & (i // tile * tile + k[:, None] % tile < M)
    in_B = (j[:, None] // tile * tile + k % tile < N) & (k // tile * tile + j[:, None] % tile < K)
    rest = K % tile  # if this is not 0, elements past the end of A or of B's last row are loaded, with any value
    without_A, without_B = torch.where(in_A, A, 0.0).T @ B.T, A.T @ torch.where(in_B, B, 0.0).T
    without_A[(i % tile < rest) & (i // tile * tile + rest < M)] = float("nan")
    if rest:
        without_B[:, N - 1 :] = float("nan")
    row = j // tile * tile + i[:, None] % tile  # of the tile of B, if it is read at row ty instead of tx
    products_B = torch.where(row < N, (A.T @ B.T).gather(1, row.clamp(max=N - 1)), 0.0)
    found = {}
    if tile < K:
        for name, product in (("A", A[first].T @ B.T), ("B", A.T @ B[:, first].T)):
            found[
                f"Each step uses the first tile of {name} again, so the sums are right only if K is at most {tile}: "
                "the index must move on with k0."
            ] = product
    return found | {
        f"The guard of A's load has tx and ty exchanged: elements of A are 0 in its {tile} x {tile} tile.": (without_A),
        f"The guard of B's load has tx and ty exchanged: elements of B are 0 in its {tile} x {tile} tile.": (without_B),
        f"In each {tile} x {tile} tile of C all columns are equal: the tile of B is read with ty "
        "instead of tx.": products_B,
    }


def _padded(x: torch.Tensor, tile: int) -> torch.Tensor:
    """x, filled up with zeros to whole tiles, as (tiles, tile, tiles, tile)."""
    rows, columns = (-(-n // tile) for n in x.shape)
    x = torch.nn.functional.pad(x, (0, columns * tile - x.shape[1], 0, rows * tile - x.shape[0]))
    return x.view(rows, tile, columns, tile)


def _tiles_transposed(x: torch.Tensor, tile: int) -> torch.Tensor:
    """x with each of its tiles transposed in its place."""
    parts = _padded(x, tile).transpose(1, 3)
    return parts.reshape(parts.shape[0] * tile, -1)[: x.shape[0], : x.shape[1]]


def few_sectors(M: int, N: int, K: int) -> Case:
    """A case for kernels with tiles of 32 x 32: its budget is 1.5 times the least number of sectors.

    For each 32 values of k, a block requests a tile of A and a tile of B, and at the end it stores a tile of C. The
    least for a tile is 128 sectors, since it has 32 rows of 4 sectors. The budget leaves room for rows that begin
    within a sector and so touch 5 sectors. With tiles of 16, each element of A and B is requested twice as often.
    Without tiles, each warp requests each element that it needs, and each element of B takes a sector.
    """
    blocks, steps, tile = -(-M // 32) * -(-N // 32), -(-K // 32), 128
    return Case({"M": M, "N": N, "K": K}, budget={"sectors": 3 * blocks * (2 * steps + 1) * tile // 2})


def few_wavefronts(M: int, N: int, K: int) -> dict[str, int]:
    """A budget for kernels with tiles of 16 x 16 that store B's tile in the same order as B, in padded rows.

    There are K / 16 steps. In each step, a warp makes 34 requests: one store to As, one store to Bs, and a load from
    each of them for every one of the 16 values of k. The store to the padded rows takes 2 wavefronts, because the two
    rows of 16 that a warp stores begin 17 words apart. Every other request takes 1 wavefront, so a step takes 35. The
    budget is 1.5 times as large, to allow other paddings. Without padding, each load from Bs takes 8 wavefronts.
    """
    blocks, steps, warps = -(-M // 16) * -(-N // 16), -(-K // 16), 8
    return {"wavefronts": 3 * blocks * steps * warps * 35 // 2}


VARIANTS = {
    "tiled_matmul_padded": {
        "__doc__": "C = A.T @ B.T by tiles of 16 x 16, also judged by its wavefronts in shared memory.",
        "CASES": with_budget(CASES, few_wavefronts(37, 41, 85), {"M": 37, "N": 41, "K": 85}),
    },
    "tiled_matmul_few_sectors": {
        "__doc__": "C = A.T @ B.T by tiles of 32 x 32, also judged by the sectors of global memory that it requests.",
        "CASES": [few_sectors(64, 96, 128), few_sectors(94, 63, 90)],
    },
    "tiled_matmul_one_tile": {
        "__doc__": "The test that the author of notebook 04's first patient ran: sums of 16 terms (one tile) or fewer.",
        "CASES": [
            Case({"M": 64, "N": 64, "K": 16}),
            Case({"M": 37, "N": 41, "K": 11}),
            Case({"M": 100, "N": 50, "K": 16}),
        ],
    },
}
