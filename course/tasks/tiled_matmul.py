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
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (64, 96, 64), (16, 16, 16), (32, 32, 32), (15, 17, 33), (17, 15, 31), (31, 33, 17), (33, 31, 15), (20, 35, 3),
        (5, 7, 100), (1, 1, 1),
    )),
    Case({"M": 1, "N": 170, "K": 48}),  # more than an int8_t counts
    Case({"M": 170, "N": 1, "K": 48}),
    Case({"M": 20, "N": 30, "K": 0}),
    Case({"M": 0, "N": 8, "K": 8}),
    Case({"M": 8, "N": 0, "K": 8}),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]  # fmt: skip

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
    column = i[:, None] // tile * tile + j % tile  # of the tile of A, if it is read at column tx instead of ty
    products_A = torch.where(column < M, (A.T @ B.T).gather(0, column.clamp(max=M - 1)), 0.0)
    found = {}
    if tile >= K > 1:
        of_k = i[:, None] % tile  # a thread loads the element of A at this k and this column
        own = torch.where((column < M) & (of_k < K), A[of_k.clamp(max=K - 1), column.clamp(max=M - 1)], 0.0)
        found[
            "Each thread multiplies by the element of A that it has loaded itself: it needs those of column "
            "i0 + ty of A, which other threads have stored in As."
        ] = own * B.sum(1)
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
        f"In each {tile} x {tile} tile of C, elements are those of other rows: the tile of A is read with tx "
        "instead of ty.": products_A,
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


def few_sectors(M: int, N: int, K: int, tile: int) -> dict[str, int]:
    """A budget for kernels with a tile of A and a tile of B in shared memory: 1.5 times the least number of sectors.

    For each `tile` values of k, a block requests a tile of A and a tile of B, and at the end it stores a tile of C. A
    row of 32 floats is in 4 sectors, and one of 16 in 2. The budget leaves room for rows that begin within a sector and
    so touch one more. Tiles of half the length request each element of A and B twice as often. Without tiles, each warp
    requests each element that it needs, and each element of B takes a sector.
    """
    blocks, steps = -(-M // tile) * -(-N // tile), -(-K // tile)
    return {"sectors": 3 * blocks * (2 * steps + 1) * (tile * tile // 8) // 2}


def few_wavefronts(M: int, N: int, K: int) -> dict[str, int]:
    """A budget for kernels with tiles of 16 x 16 that store B's tile in the same order as B, in padded rows.

    There are K / 16 steps. In each step, a warp makes 34 requests: one store to As, one store to Bs, and a load from
    each of them for every one of the 16 values of k. The store to the padded rows takes 2 wavefronts, because the two
    rows of 16 that a warp stores begin 17 words apart. Every other request takes 1 wavefront, so a step takes 35. With
    an XOR swizzle it takes 34, and with padding in both tiles 36. The budget is 38. In the layout [k][j] without
    padding, the store to Bs takes 8 wavefronts (a step takes 41), and in [j][k], each load takes 8 (a step takes 146).
    """
    blocks, steps, warps = -(-M // 16) * -(-N // 16), -(-K // 16), 8
    return {"wavefronts": blocks * steps * warps * 38}


def few_store_wavefronts(M: int, N: int, K: int) -> dict[str, int]:
    """A budget for kernels with tiles of 16 x 16 whose warps store elements of A and of B as they have loaded them.

    In each step, a warp makes one store to each tile, each of 1 wavefront, or of 2 with padding. In the layout [k][j]
    without padding, the store to Bs takes 8.
    """
    blocks, steps, warps = -(-M // 16) * -(-N // 16), -(-K // 16), 8
    return {"store_wavefronts": blocks * steps * warps * 4}


def one_load_each(M: int, N: int, K: int) -> Case:
    """A case for kernels of one step, whose threads load one element of A each: its budget is 1.1 times their requests.

    A warp makes one request for the tile of A, K requests for elements of B, and one for its part of C. If each thread
    loads all K elements of A that it needs, a warp makes 2 K + 1 requests, or 5 K / 4 + 1 with B by float4.
    """
    blocks, warps = -(-M // 16) * -(-N // 16), 8
    return Case({"M": M, "N": N, "K": K}, budget={"requests": 11 * blocks * warps * (K + 2) // 10})


EDGES = {"M": 37, "N": 41, "K": 85}
WHOLE = {"M": 64, "N": 96, "K": 64}

VARIANTS = {
    "tiled_matmul_both_tiles": {
        "__doc__": "C = A.T @ B.T by tiles of A and of B of 16 x 16, also judged by the sectors that it requests.",
        "CASES": with_budget(CASES, few_sectors(**EDGES, tile=16), EDGES),
    },
    "tiled_matmul_unpadded": {
        "__doc__": "C = A.T @ B.T by tiles of 16 x 16, also judged by its sectors and by its stores to shared memory.",
        "CASES": with_budget(
            with_budget(CASES, few_sectors(**EDGES, tile=16), EDGES),
            few_store_wavefronts(**WHOLE),
            WHOLE,
            asks="Bs[j][k], where neighbouring threads store neighbouring words",
        ),
    },
    "tiled_matmul_padded": {
        "__doc__": "C = A.T @ B.T by tiles of 16 x 16, also judged by its sectors and its wavefronts in shared memory.",
        "CASES": with_budget(CASES, few_sectors(**EDGES, tile=16) | few_wavefronts(**EDGES), EDGES),
    },
    "tiled_matmul_few_sectors": {
        "__doc__": "C = A.T @ B.T by tiles of 32 x 32, also judged by the sectors of global memory that it requests.",
        "CASES": [
            Case(sizes, budget=few_sectors(**sizes, tile=32))
            for sizes in ({"M": 64, "N": 96, "K": 128}, {"M": 94, "N": 63, "K": 90})
        ],
    },
    "tiled_matmul_first_tile": {
        "__doc__": "C = A.T @ B.T for K of at most 16, where each thread loads one element of A for its whole block.",
        "CASES": [
            one_load_each(64, 96, 16),
            Case({"M": 37, "N": 41, "K": 11}),
            Case({"M": 16, "N": 16, "K": 16}),
            Case({"M": 17, "N": 15, "K": 3}),
            Case({"M": 50, "N": 33, "K": 8}),
            Case({"M": 20, "N": 30, "K": 0}),
        ],
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
