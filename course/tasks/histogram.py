"""counts[v] = how many elements of X are v: X is (N,), with values from 0 to 255, and counts is (256,); both int64."""

import torch
from torch import nn

from course.tasks import Case, refusals, with_budget

N = 1 << 26
VALUES = 256  # how many values occur, the largest ones
BINS = 256


class Model(nn.Module):
    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return torch.bincount(X, minlength=BINS)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(BINS - VALUES, BINS, (N,))]


SIZES = {"tiny": {"N": 1000}, "small": {"N": 1 << 20}, "full": {"N": 1 << 26}}
FEW = {"N": 10007, "VALUES": 3}
SHAPES = [
    *(Case({"N": length}) for length in (0, 1, 255, 257, 4099)),
    Case(FEW),
    Case({"N": 1000}, layout="offset"),
    *refusals({"N": 20}, "host:0", "dtype:0", "transposed"),
]
# A warp that shares the elements with others makes 2 requests, and one of a single block of 256 threads makes 80.
CASES = with_budget(SHAPES, {"requests_per_warp": 64}, FEW, asks="one thread per element")


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 8 * (N + BINS)


def operations() -> int:
    return N


def mistakes(X: torch.Tensor) -> dict[str, torch.Tensor]:
    counts = torch.bincount(X, minlength=BINS)
    return {"Each value counts once only: += without an atomic operation loses counts.": counts.clamp(max=1)}


def with_private_budgets(cases: list[Case], N: int) -> list[Case]:
    """`cases` and two of N elements: equal ones, which contend for a count, and random ones, whose sectors count.

    A block's shared memory takes N / blocks operations. Reading X takes N / 4 sectors, and adding a block's counts 64.
    An atomic operation in global memory for each element would take 25 sectors for 32 random values, three times as
    many as reading them. The budgets have room for 4 to 128 blocks, whose warps all count.
    """
    asks = "a histogram for each block, in shared memory, that several elements per thread share"
    contention = {"atomics_per_address": N // 4, "requests_per_warp": N // 256}
    equal = Case({"N": N, "VALUES": 1}, budget=contention, asks=asks)
    return [equal, Case({"N": N}, budget={"sectors": 3 * N // 8}, asks=asks), *cases]


VARIANTS = {
    "histogram_private": {
        "__doc__": "The histogram by a private histogram for each block, also judged by contention and sectors.",
        "CASES": with_private_budgets(SHAPES, 1 << 16),
        "CLUE": "Let a thread count several elements, and let a block add each of its counts to global memory once.",
    },
}
