"""C = A.T @ B.T for any sizes, by kernels that keep tiles of C in registers."""

from course.tasks.tiled_matmul import *  # noqa: F403
from course.tasks.tiled_matmul import Case, torch

SIZES = {
    "tiny": {"M": 128, "N": 128, "K": 16},
    "small": {"M": 1024, "N": 1024, "K": 1024},
    "full": {"M": 2048, "N": 4096, "K": 8192},
}

CASES = [
    Case({"M": 130, "N": 140, "K": 37}),  # several tiles of 64 and of 128, none of them full at the end
    Case({"M": 128, "N": 128, "K": 16}),
    Case({"M": 192, "N": 256, "K": 40}),
    Case({"M": 127, "N": 129, "K": 9}),
    Case({"M": 129, "N": 63, "K": 33}),
    Case({"M": 65, "N": 300, "K": 24}),
    Case({"M": 20, "N": 35, "K": 3}),
    Case({"M": 5, "N": 7, "K": 100}),
    Case({"M": 4, "N": 6, "K": 8}),
    Case({"M": 1, "N": 1, "K": 1}),
    Case({"M": 1, "N": 70, "K": 48}),
    Case({"M": 70, "N": 1, "K": 48}),
    Case({"M": 20, "N": 30, "K": 0}),
    Case({"M": 0, "N": 8, "K": 8}),
    Case({"M": 8, "N": 0, "K": 8}),
    Case({"M": 36, "N": 28, "K": 44}, layout="offset"),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]

TILE, DEPTH, MINE, VECTOR = 128, 8, 8, 4  # of the notebook's kernels

_of_any_tiles = mistakes  # noqa: F405


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    if not 0 < operations() <= NAMED_OPERATIONS:  # noqa: F405
        return {}
    k = torch.arange(K, device=A.device)  # noqa: F405
    right, last = A.T @ B.T, K // DEPTH * DEPTH  # noqa: F405

    def of(kept: torch.Tensor) -> torch.Tensor:
        """The product with no terms but those."""
        return A[kept].T @ B[:, kept].T

    found = {
        f"The last K % {DEPTH} terms of each sum are missing: the steps take {DEPTH} values of k each, and what is "
        "left over needs a loop of its own.": of(k < last),
        f"The last step's {DEPTH} terms are missing: the loop over the steps ends one too early.": of(k < last - DEPTH),
        f"The terms of the last two steps of {DEPTH} are missing: the loop ends with the copies, and the tiles still "
        "on their way are never multiplied.": of(k < last - 2 * DEPTH),
        f"Only the terms of the first step of {DEPTH} were added.": of(k < DEPTH),
    }
    if last == K:  # noqa: F405
        turned = k // VECTOR * VECTOR + (VECTOR - 1 - k % VECTOR)
        found["The four elements of a float4 of B go to the wrong k: x is the first, w the last."] = (
            A.T @ B[:, turned].T
        )
    rows, columns = _places(M, A.device), _places(N, A.device)  # noqa: F405
    if len(rows) == M:  # noqa: F405
        found["Rows of C are exchanged: a thread's rows when it multiplies are not those to which it stores."] = right[
            rows
        ]
        if len(columns) == N:  # noqa: F405
            found[
                "Columns of C are exchanged: a thread's columns when it multiplies are not those to which it stores."
            ] = right[:, columns]
            found[
                "Rows and columns of C are exchanged among themselves: a thread multiplies for others than it stores."
            ] = right[rows][:, columns]
    return found | _of_any_tiles(A, B)


def _places(length: int, device: torch.device) -> torch.Tensor:
    """Of whole tiles: the rows t, t + 16, ..., t + 112 of each, in the places of its rows 8 t, ..., 8 t + 7."""
    place = torch.arange(length // TILE * TILE, device=device)
    threads = TILE // MINE
    return place // TILE * TILE + place % MINE * threads + place % TILE // MINE
