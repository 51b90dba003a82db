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

SHAPES = [
    Case({"N": 0}),
    Case({"N": 1}),
    Case({"N": 255}),
    Case({"N": 257}),
    Case({"N": 4099}),
    Case({"N": 10007, "VALUES": 3}),
    Case({"N": 1000}, layout="offset"),
    *refusals({"N": 20}, "host:0", "dtype:0", "transposed"),
]

# A warp that shares the elements with others makes 2 requests, and one of a single block of 256 threads makes 80.
CASES = with_budget(SHAPES, {"requests_per_warp": 64}, {"N": 10007, "VALUES": 3}, asks="one thread per element")


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 8 * (N + BINS)


def operations() -> int:
    return N


def mistakes(X: torch.Tensor) -> dict[str, torch.Tensor]:
    counts = torch.bincount(X, minlength=BINS)
    return {
        "Each value is counted once only, however often it occurs: += without an atomic operation loses counts.": (
            counts.clamp(max=1)
        ),
        "The values themselves are added up: each element must add 1 to the count of its value.": (
            counts * torch.arange(BINS, device=X.device)
        ),
        "The count of value v is at index v + 1.": counts.roll(1),
    }


# A histogram for each block: shared memory takes the operations of N / blocks elements, and global memory those of the
# blocks. The budgets have room for 4 to 128 blocks, whose warps all count.
PRIVATE = "a histogram for each block, in shared memory, that several elements per thread share"


def with_private_budgets(cases: list[Case], N: int) -> list[Case]:
    """`cases` and two of N elements: equal ones, which contend for a count, and random ones, whose sectors count.

    Reading X takes N / 4 sectors, and adding the histogram of a block to the result takes 64. An atomic operation in
    global memory for each element takes 25 sectors for each 32 random values, three times as many as reading them.
    """
    equal, random = {"N": N, "VALUES": 1}, {"N": N}
    contention = {"atomics_per_address": N // 4, "requests_per_warp": N // 256}
    cases = with_budget([Case(equal), Case(random), *cases], contention, equal, asks=PRIVATE)
    return with_budget(cases, {"sectors": 3 * N // 8}, random, asks=PRIVATE)


VARIANTS = {
    "histogram_private": {
        "__doc__": "The histogram by a private histogram for each block, also judged by contention and sectors.",
        "CASES": with_private_budgets(SHAPES, 1 << 16),
        "CLUE": "Let a thread count several elements, and let a block add each of its counts to global memory once.",
    },
}
