"""C[i] = A[0] + ... + A[i]: the prefix sums of A. A and C are (N,), float32. KernelBench, level 1, problem 89."""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

M = 1
N = 1 << 26


class Model(nn.Module):
    def forward(self, A: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(A, -1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(N) * 1.5 + 0.25]


SIZES = {"tiny": {"N": 1000}, "small": {"N": 1 << 20}, "full": {"N": 1 << 26}}


def three_passes(N: int) -> Case:
    """A case of three passes, with room for three quarters more, as for a load of `before` by each warp.

    Four passes scan each chunk and then add to each element. A single block makes only two, but each of its 32 warps
    makes N / 512 requests to global memory, and at least one to shared memory for every 1024 elements.
    """
    budget = {"sectors": 15 * (N // 8) // 4, "requests_per_warp": 200}
    return Case({"N": N}, budget=budget, asks="three passes over the array, which many blocks share")


CASES = [
    three_passes(1 << 17),
    *(Case({"N": length}) for length in (0, 1, 31, 257, 1025, 5000, 40_003)),
    Case({"N": 1000}, layout="offset"),
    Case({"N": 60}, values="special"),
    *refusals({"N": 20}, "host:0", "dtype:0", "transposed"),
]
CLUE = "Let the first kernel store only the sum of each chunk, and scan the elements in the last kernel."


def sum_length() -> int:
    return max(N, 1)


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor) -> dict[str, torch.Tensor]:
    right, warps, place = A.cumsum(-1), A.split(32, -1), torch.arange(N, device=A.device)
    of_warps = torch.cat([part.sum(-1, keepdim=True).expand_as(part) for part in warps], -1)
    unguarded = A  # right only for a single warp
    for step in (1, 2, 4, 8, 16):
        unguarded = unguarded + unguarded[..., torch.where(place >= step, place - step, place)]
    return {
        "Each element is the sum of the elements before it, without its own: that is an exclusive scan.": right - A,
        "Lanes without a lane `step` places before them get their own value: add only if lane >= step.": unguarded,
        "Each warp adds the sum of all warps up to its own: it needs the sum of the warps before it.": (
            right + of_warps * (place >= 32)
        ),
        **{
            f"Each {size} elements are scanned on their own: the sum of all elements before them must be added.": (
                torch.cat([part.cumsum(-1) for part in A.split(size, -1)], -1)
            )
            for size in (32, 128, 256, 512, 1024, 2048, 4096)
        },
    }


VARIANTS = {
    "cumsum_rows": {
        "__doc__": "The prefix sums of each row of at most 1024 elements, also judged by barriers and requests.",
        "get_inputs": lambda: [torch.randn(M, N) * 1.5 + 0.25],
        "SIZES": {"tiny": {"M": 7, "N": 100}, "small": {"M": 512, "N": 1024}, "full": {"M": 65536, "N": 1024}},
        "CASES": [
            *cases("M N", (0, 8), (8, 0), (1, 1), (7, 31), (5, 65), (2, 1024), (300, 3)),
            # By shuffles, a block passes one or two barriers, and by Hillis and Steele's steps in shared memory 10 or
            # 20. Each of a block's warps has 32 elements. A warp that scans the row alone makes 64 requests. Each warp
            # stores its sum and, without shuffles, five steps.
            Case(
                {"M": 3, "N": 1000},
                budget={"barriers": 4, "requests_per_warp": 48, "store_wavefronts": 3 * 3 * 32},
                asks="a scan in each of a block's warps, by shuffles, and then the sums of the warps",
            ),
            Case({"M": 9, "N": 41}, layout="offset"),
            Case({"M": 20, "N": 30}, values="special"),
            *refusals({"M": 20, "N": 32}, "host:0", "dtype:0", "transposed"),
        ],
        "CLUE": "The threads of a warp can exchange values by shuffles, without a barrier.",
    },
}
