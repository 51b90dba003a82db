"""C[i] = A[0] + ... + A[i]: the prefix sums of A. A and C are (N,), float32. KernelBench, level 1, problem 89.

Variants have rows of at most 1024 elements, each with sums of its own.
"""

import torch
from torch import nn

from course.tasks import Case, refusals

M = 1
N = 1 << 26


class Model(nn.Module):
    def forward(self, A: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(A, -1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(N) * 1.5 + 0.25]


def get_rows() -> list[torch.Tensor]:
    return [torch.randn(M, N) * 1.5 + 0.25]


SIZES = {"tiny": {"N": 1000}, "small": {"N": 1 << 20}, "full": {"N": 1 << 26}}

SHAPES = [
    Case({"N": 0}),
    Case({"N": 1}),
    Case({"N": 31}),
    Case({"N": 257}),
    Case({"N": 1025}),
    Case({"N": 5000}),
    Case({"N": 40_003}),
    Case({"N": 1000}, layout="offset"),
    Case({"N": 60}, values="special"),
    *refusals({"N": 20}, "host:0", "dtype:0", "transposed"),
]


def three_passes(N: int) -> Case:
    """A case of three passes over the array, whose budget is three and a half: block sums, then a scan of each block.

    Four passes scan each block and then add to each element. A single block makes only two, but each of its 32 warps
    makes N / 512 requests to global memory, and at least one to shared memory for every 1024 elements.
    """
    budget = {"sectors": 7 * (N // 8) // 2, "requests_per_warp": 200}
    return Case({"N": N}, budget=budget, asks="three passes over the array, which many blocks share")


CASES = [three_passes(1 << 17), *SHAPES]
CLUE = "Let the first kernel store only the sum of each chunk, and scan the elements in the last kernel."

WARP = 32
CHUNKS = (1024, 128, 256, 512, 2048, 4096)  # likely numbers of elements that a block scans at a time


def sum_length() -> int:
    return max(N, 1)


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor) -> dict[str, torch.Tensor]:
    if not A.numel():
        return {}
    right = A.cumsum(-1)
    found = {
        "Each element is the sum of the elements before it, without its own: that is an exclusive scan.": right - A,
        "Only each warp of 32 elements is scanned: the sums of the warps before it are missing.": _in_chunks(A, WARP),
    }
    for chunk in CHUNKS:
        found[f"Each {chunk} elements are scanned on their own: the sum of all elements before them must be added."] = (
            _in_chunks(A, chunk)
        )
    if N <= WARP * WARP:
        unguarded, sums = _scans_of_warps(A, guarded=False), _scans_of_warps(A)[..., -1:]
        before = _scans_of_warps(unguarded[..., -1], guarded=False).flatten(-2)[..., : sums.size(-2) - 1, None]
        unguarded[..., 1:, :] += before
        found[
            "The first lanes of a warp have no lane so many places before them, and get their own value: add only if "
            "lane >= step."
        ] = unguarded.flatten(-2)[..., :N]
        sums[..., 0, :] = 0
        found[
            "Each warp adds the sum of all warps up to its own, in which its elements are already: it needs the sum "
            "of the warps before it."
        ] = right + sums.expand(unguarded.shape).flatten(-2)[..., :N]
    return found


def _in_chunks(A: torch.Tensor, size: int) -> torch.Tensor:
    """The prefix sums of each `size` neighbouring elements."""
    return torch.cat([part.cumsum(-1) for part in A.split(size, -1)], -1)


def _scans_of_warps(A: torch.Tensor, guarded: bool = True) -> torch.Tensor:
    """The scan of each 32 elements (…, warp, lane). If not `guarded`, a lane without an earlier lane adds its own."""
    x = nn.functional.pad(A, (0, -A.size(-1) % WARP)).unflatten(-1, (-1, WARP))
    lane = torch.arange(WARP, device=A.device)
    for step in (1, 2, 4, 8, 16):
        earlier = x[..., torch.where(lane >= step, lane - step, lane)]
        x = x + torch.where((lane >= step) | (not guarded), earlier, 0.0)
    return x


# A scan by shuffles passes one or two barriers, and the steps in shared memory of Hillis and Steele 10 or 20. Of a
# block's 32 warps, each has 32 of a row's 1000 elements. A warp that scans the row alone makes 64 requests.
SHUFFLES = {"barriers": 4, "requests_per_warp": 48}
BY_SHUFFLES = "a scan in each of a block's warps, by shuffles, and then the sums of the warps"

ROWS = [
    Case({"M": 3, "N": 1000}, budget=SHUFFLES, asks=BY_SHUFFLES),
    Case({"M": 0, "N": 8}),
    Case({"M": 8, "N": 0}),
    Case({"M": 1, "N": 1}),
    Case({"M": 7, "N": 31}),
    Case({"M": 5, "N": 65}),
    Case({"M": 2, "N": 1024}),
    Case({"M": 300, "N": 3}),
    Case({"M": 9, "N": 41}, layout="offset"),
    Case({"M": 20, "N": 30}, values="special"),
    *refusals({"M": 20, "N": 32}, "host:0", "dtype:0", "transposed"),
]

_ROWS = {
    "get_inputs": get_rows,
    "CLUE": "",
    "SIZES": {"tiny": {"M": 7, "N": 100}, "small": {"M": 512, "N": 1024}, "full": {"M": 65536, "N": 1024}},
}

VARIANTS = {
    "cumsum_rows": {"__doc__": "The prefix sums of each row of at most 1024 elements.", **_ROWS, "CASES": ROWS[1:]},
    "cumsum_rows_by_shuffles": {
        "__doc__": "The prefix sums of each row of at most 1024 elements, also judged by barriers and requests.",
        **_ROWS,
        "CASES": ROWS,
    },
}
