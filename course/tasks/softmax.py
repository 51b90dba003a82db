"""C[i][j] = exp(A[i][j]) / sum over k of exp(A[i][k]): each row's softmax. A and C are (M, N), float32.

KernelBench, level 1, problem 23.
"""

import torch
from torch import nn

from course.tasks import Case, refusals

M = 4096
N = 8192
LOW = 120  # every second row is that far below 0
SLOPE = 0  # the step from each element to the next, upwards in every second row and downwards in the other rows
MASKED = 0  # the elements at the start of each row that are -infinity


class Model(nn.Module):
    def forward(self, A: torch.Tensor) -> torch.Tensor:
        return torch.softmax(A, dim=1)


def get_inputs() -> list[torch.Tensor]:
    # exp(A) overflows in every second row, and becomes 0 in the others.
    offset = torch.where(torch.arange(M) % 2 == 0, 100.0, -float(LOW))
    A = torch.randn(M, N) * 2.5 + offset[:, None]
    A[:, :MASKED] = -torch.inf
    return [A + offset.sign()[:, None] * torch.arange(N) * SLOPE if SLOPE else A]


SIZES = {"tiny": {"M": 7, "N": 1056}, "small": {"M": 256, "N": 4096}, "full": {"M": 4096, "N": 8192}}

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 8), (8, 0), (1, 1), (3, 2), (5, 31), (4, 33), (6, 64), (300, 3), (3, 1000), (3, 1025), (2, 5000),
        (2, 100003),
    )),
    # If the maximum misses the last or the first element of a row, an exponential overflows.
    Case({"M": 2, "N": 33, "SLOPE": 100}),
    Case({"M": 4, "N": 1500, "SLOPE": 100}),
    Case({"M": 3, "N": 64}, layout="offset"),
    Case({"M": 20, "N": 30}, values="special"),
    Case({"M": 40, "N": 1}, values="special"),  # some rows have only -infinity
    *refusals({"M": 20, "N": 32}, "host:0", "dtype:0", "transposed", "pitched"),
]  # fmt: skip

# Rows that start on a multiple of 128 bytes and fit into the registers of a block.
LINES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in ((8, 0), (6, 64), (3, 1056), (2, 5024), (2, 16384))),
    Case({"M": 2, "N": 32, "SLOPE": 100}),
    Case({"M": 4, "N": 1504, "SLOPE": 100}),
    Case({"M": 3, "N": 4128, "MASKED": 4100}),
    Case({"M": 20, "N": 32}, values="special"),
    *refusals({"M": 20, "N": 32}, "host:0", "dtype:0", "transposed", "pitched"),
]

BLOCKS = (32, 64, 128, 256, 512, 1024)  # likely numbers of threads in a block
WARP = 32
TILE = 1024  # the places of a warp's tile in `softmax_by_warp`
LOWEST = torch.finfo(torch.float32).min  # the maximum of no elements, which -infinity would make NaN


def sum_length() -> int:
    return N + 16  # a partial sum is rounded again each time it is rescaled, which happens when the maximum grows


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return 5 * M * N  # the maximum, the difference, the exponential, the sum, the quotient


def mistakes(A: torch.Tensor) -> dict[str, torch.Tensor]:
    if not A.numel():
        return {}
    highest = A.max(1, keepdim=True).values
    e = torch.exp(A - highest)
    column = torch.arange(N, device=A.device)
    found = {
        "Rows of only -infinity became 0: PyTorch gives NaN there, and so does exp(A - maximum).": torch.where(
            highest == -torch.inf, 0.0, torch.softmax(A, dim=1)
        ),
    }
    for threads in BLOCKS:
        found[
            "The sum is not rescaled when the maximum grows: before the new exponential is added, the sum must be "
            f"multiplied by exp(old maximum - new maximum). The values are those of a block of {threads} threads."
        ] = e / _not_rescaled(A, threads)
        if threads > WARP and N > WARP:
            first = column % threads < WARP
            found[
                f"Only the first of the block's {threads // WARP} warps is in the sum: their sums must be put into "
                "shared memory, and added there."
            ] = e / e[:, first].sum(1, keepdim=True)
    # The threads of a block in the notebook's kernels, and the neighbouring elements that a thread takes.
    by_fours = min(-(-N // (16 * WARP)) * WARP, 1024 if N <= 16384 else 512)
    for threads, width in [*((min(-(-N // WARP) * WARP, most), 1) for most in (1024, 512)), (by_fours, 4), (512, 4)]:
        blocks = f"The values are those of a block of {threads} threads{' with float4' * (width == 4)}."
        found[
            "Every lane of a warp needs the result, but only lane 0 has it: with __shfl_down_sync, other lanes join "
            f"fewer parts, or a part twice. Use __shfl_xor_sync. {blocks}"
        ] = _joined_downwards(A, threads, width)
        own = _in_threads(A, threads, width).amax(1).clamp(min=LOWEST)[:, column // width % threads]
        found[
            "A factor is missing: the exponentials of a thread are relative to the thread's maximum, so multiply them "
            f"by exp(thread's maximum - row's maximum). {blocks}"
        ] = torch.exp(A - own) / e.sum(1, keepdim=True)
    if N <= TILE:
        follows = torch.cat([A.flatten(), A.new_full((TILE,), torch.nan)]).unfold(0, TILE, N)[:M]
        for held, tile in {"0": torch.nn.functional.pad(A, (0, TILE - N)), "what follows the row": follows}.items():
            found[
                "Past the end of its row, the tile must have -INFINITY, whose exponential is 0. "
                f"These are the values if it has {held} there."
            ] = torch.softmax(tile, 1)[:, :N]
        found["Each lane divides by the sum of its own places: a shuffle must add the sums of all 32 lanes."] = (
            e / torch.exp(_in_threads(A, WARP, 1) - highest[..., None]).sum(1)[:, column % WARP]
        )
    return found


def _in_threads(A: torch.Tensor, threads: int, width: int) -> torch.Tensor:
    """The elements of each row as (row, step, thread, place), if each thread of a block takes `width` in each step."""
    steps = -(-N // (threads * width))
    own = A.new_full((M, steps * threads * width), -torch.inf)
    own[:, :N] = A
    return own.view(M, steps, threads, width).transpose(2, 3).flatten(1, 2)


def _joined_downwards(A: torch.Tensor, threads: int, width: int) -> torch.Tensor:
    """The result if each lane of a warp joins its part with that of a later lane; NaN where exponentials overflow."""
    of_warps = _in_threads(A, threads, width).unflatten(2, (-1, WARP)).transpose(1, 2).flatten(2)
    highest = A.new_full((M, WARP), LOWEST)
    highest[:, : threads // WARP] = of_warps.amax(2).clamp(min=LOWEST)  # lane 0 of each warp has the warp's part
    sums = torch.zeros_like(highest)
    sums[:, : threads // WARP] = torch.exp(of_warps - highest[:, : threads // WARP, None]).sum(2)
    for step in (16, 8, 4, 2, 1):
        other = torch.arange(WARP) + step
        other = torch.where(other < WARP, other, other - step)
        joined = torch.maximum(highest, highest[:, other])
        sums = sums * torch.exp(highest - joined) + sums[:, other] * torch.exp(highest[:, other] - joined)
        highest = joined
    lane = torch.arange(N) // width % WARP
    exponent = A - highest[:, lane]
    return torch.where(exponent > 88, torch.nan, torch.exp(exponent) / sums[:, lane])


def _not_rescaled(A: torch.Tensor, threads: int) -> torch.Tensor:
    """The sums of rows if each thread of a block adds every `threads`-th element and never rescales its partial sum."""
    own = _in_threads(A, threads, 1)
    highest = own.cummax(1).values
    sums = torch.exp(own - highest).nan_to_num(0.0).sum(1)
    return (sums * torch.exp(highest[:, -1] - A.max(1, keepdim=True).values)).sum(1, keepdim=True)


def few_sectors(M: int, N: int) -> Case:
    """A case whose budget is 1.25 times the least number of sectors.

    Rows must begin on a multiple of 16 bytes. At the least, each element of A and of C is requested once, and a sector
    holds 8 elements. A kernel that reads each row a second time needs 1.5 times the least.
    """
    least = 2 * (M * N // 8)
    return Case({"M": M, "N": N}, budget={"sectors": 5 * least // 4})


def two_loops(M: int, N: int) -> Case:
    """A case for two loops over each row, three passes, whose budget is three and a half. Three loops make four passes.

    nvcc loads an element once if the source loads it twice without a store in between. Wavefronts of the L1 cache count
    such loads once, and in shorter rows also those of a second loop.
    """
    asks = "two loops over a row, so that each element is loaded twice and stored once"
    return Case({"M": M, "N": N}, budget={"l1_wavefronts": 7 * (M * N // 32) // 2}, asks=asks)


def warp_each(M: int) -> Case:
    """A case of M rows of 1000 elements, with a warp for each row. The budget allows a block of 32 warps more.

    Shuffles need no shared memory. Three loops over the row in memory request twice the least number of sectors, but
    nvcc may remove two of the loops. If the lanes of a warp have elements that are far apart, it is eight times the
    least.
    """
    asks = "one warp for each row, whose lanes share neighbouring elements and use shuffles"
    sectors = 9 * 2 * (M * 1000 // 8) // 4
    budget = {"threads": WARP * (M + 32), "store_wavefronts": 0, "sectors": sectors}
    return Case({"M": M, "N": 1000}, budget=budget, asks=asks)


def few_requests(M: int, N: int) -> Case:
    """A case whose budget is four thirds of the requests of two loops by float4, and the passes of `two_loops`.

    Each of the three passes makes one request for 128 elements if each lane has 16 bytes. One float per lane needs
    three times the budget.
    """
    budget = {"requests": M * N // 32, **two_loops(M, N).budget}
    return Case({"M": M, "N": N}, budget=budget, asks="two loops over a row, with a third of the requests")


VARIANTS = {
    "softmax_two_loops": {
        "__doc__": "The softmax of rows, also judged by the passes over the rows in memory.",
        "CASES": [*CASES, two_loops(1, 32768)],
    },
    "softmax_repaired": {
        "__doc__": "The softmax of rows of whole cache lines, also judged by its passes and requests.",
        "CASES": [*LINES, Case({"M": 2, "N": 100000}), few_requests(2, 16384)],
        "CLUE": "How many elements has a thread in hand when it calls joined, and how often does it load each of them?",
    },
    "softmax_lines": {
        "__doc__": "The softmax of rows of whole cache lines that fit into the registers of a block.",
        "CASES": LINES,
    },
    "softmax_few_sectors": {
        "__doc__": "The softmax of rows, also judged by the sectors of global memory that it requests.",
        "CASES": [few_sectors(4, 1024), few_sectors(3, 4096)],
    },
    "softmax_by_warp": {
        "__doc__": "The softmax of rows of at most 1024 numbers, with one warp for each row.",
        "SIZES": {"tiny": {"M": 260, "N": 250}, "small": {"M": 1024, "N": 1024}, "full": {"M": 65536, "N": 1024}},
        "CASES": [*(case for case in CASES if case.sizes["N"] <= TILE), Case({"M": 5, "N": 1023}), warp_each(32)],
    },
    "softmax_long": {
        "__doc__": "The softmax of rows that no block can keep in registers.",
        "SIZES": {"tiny": {"M": 2, "N": 20000}, "small": {"M": 64, "N": 98304}, "full": {"M": 2048, "N": 98304}},
    },
}
