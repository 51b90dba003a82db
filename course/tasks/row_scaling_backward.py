"""The gradients of C = diag(A) @ B: dA[i] = sum over j of dC[i][j] * B[i][j], and dB = A[:, None] * dC.

A and dA are (M,); B, dB and dC are (M, N); all are float32.
"""

import torch
from torch import nn

from course.tasks import Case, with_budget

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor, dC: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return (dC * B).sum(1), A[:, None] * dC


class Registered(nn.Module):
    """Calls the operator that a script has registered as notebook06::scale_rows, in place of the script's ModelNew."""

    def forward(self, A: torch.Tensor, B: torch.Tensor, dC: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        real = called_operator(A, B, dC)
        try:
            fakes = called_operator(*(torch.empty_like(x, device="meta") for x in (A, B, dC)))
        except Exception as error:
            error.args = (f"with fake tensors, as in torch.compile: {error}",)
            raise
        said, made = ([(tuple(x.shape), x.dtype) for x in results] for results in (fakes, real))
        if said != made:
            raise ValueError(f"C, dA and dB are {made}, but the fakes say {said}")
        return real[1:]


def called_operator(
    A: torch.Tensor, B: torch.Tensor, dC: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """C, dA and dB by the operator and its own backward pass."""
    A, B = A.detach().requires_grad_(), B.detach().requires_grad_()
    if not hasattr(torch.ops.notebook06, "scale_rows"):
        raise ValueError("the script registers no operator notebook06::scale_rows")
    with torch.enable_grad():
        C = torch.ops.notebook06.scale_rows(A, B)
    dA, dB = torch.autograd.grad(C, (A, B), dC)
    return C, dA, dB


class Dots(nn.Module):
    def forward(self, B: torch.Tensor, dC: torch.Tensor) -> torch.Tensor:
        return (dC * B).sum(1)


class RowSums(nn.Module):
    def forward(self, B: torch.Tensor) -> torch.Tensor:
        return B.sum(1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M) * 1.5 + 0.25, *get_matrices()]


def get_matrices() -> list[torch.Tensor]:
    return [torch.randn(M, N) * 0.75 - 0.5, torch.randn(M, N) * 1.25 + 0.25]


def get_matrix() -> list[torch.Tensor]:
    return get_matrices()[:1]


SIZES = {"tiny": {"M": 37, "N": 300}, "small": {"M": 512, "N": 512}, "full": {"M": 4096, "N": 4096}}

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 8), (8, 0), (1, 1), (300, 1), (37, 31))),
    Case({"M": 31, "N": 35}),  # three elements past a warp: a sum without the last element has a sentence of its own
    Case({"M": 20, "N": 256}),
    Case({"M": 5, "N": 259}),  # three elements past a block of 256 threads
    Case({"M": 3, "N": 5000}),
    Case({"M": 9, "N": 41}, layout="offset"),
    Case({"M": 20, "N": 30}, values="special"),
]

WARP = 32
BLOCKS = (256, 64, 128, 512, 1024)  # likely numbers of threads in a block of several warps; the notebook has the first


def sum_length() -> int:
    return max(N, 1)


def bytes_moved() -> int:
    return 4 * (2 * M + 3 * M * N)


def operations() -> int:
    return 3 * M * N


def mistakes(A: torch.Tensor, B: torch.Tensor, dC: torch.Tensor) -> dict[str, torch.Tensor]:
    if not B.numel():
        return {}
    return {
        "dB is A[row] * B: dC is not used. The gradient of A * B for B is A times dC.": A[:, None] * B,
        "dB is dC itself: A[row] is not used.": dC,
        "dA is multiplied by A[row]: the gradient of A is computed from B and dC, without A.": A * (dC * B).sum(1),
        **dot_mistakes(B, dC),
    }


def dot_mistakes(B: torch.Tensor, dC: torch.Tensor) -> dict[str, torch.Tensor]:
    if not B.numel():
        return {}
    terms = dC * B
    found = {
        "dA is the sum of each row of dC alone: first multiply each element by B's element there.": dC.sum(1),
    }
    if M > 1:
        found["The sums of all rows are in dA[0]: atomicAdd needs the address of the row's own element, &dA[row]."] = (
            torch.cat([terms.sum()[None], terms.new_zeros(M - 1)])
        )
    return found | sum_mistakes(terms)


def sum_mistakes(terms: torch.Tensor) -> dict[str, torch.Tensor]:
    """The results of mistakes in the sum of each row: wrong steps of threads, missing warps, missing lanes."""
    if not terms.numel():
        return {}
    column = torch.arange(N, device=terms.device)
    lane = column % WARP

    def of(kept: torch.Tensor) -> torch.Tensor:
        """The sums of these terms only."""
        return (terms * kept).sum(1)

    found = {
        "The last element of each row is missing from the sum: the loop must go on while j < N.": of(column < N - 1),
        "Every lane adds its value after the shuffles, but only lane 0 has the warp's sum.": (
            terms @ _weights_of_lanes().to(terms)[lane]
        ),
        "Half of the lanes are missing from the sum: the last step of the shuffles, or of the tree, must be 1.": of(
            lane % 2 == 0
        ),
        "Only the first 16 lanes of each warp are in the sum: the steps of the shuffles must begin at 16, half of a "
        "warp.": of(lane < WARP // 2),
    }
    if M != N and M > 1 and N > 1:
        found[
            "The matrix was read as if it were stored column by column. Element (i, j) of a matrix with N columns is "
            "at index i * N + j."
        ] = terms.reshape(N, M).sum(0)
    for threads in BLOCKS:
        found[
            "Several threads added the same terms: each thread must step by the number of threads (j += blockDim.x), "
            "not by 1."
        ] = (terms * (column + 1).clamp(max=threads)).sum(1)
        warp = column % threads // WARP
        if N > WARP:
            found[
                f"Only the first of the block's {threads // WARP} warps is in the sum: each warp's sum must be put "
                "into shared memory, and added there, or be added to dA by atomicAdd."
            ] = of(warp == 0)
        found[
            f"Half of the lanes and half of the block's {threads // WARP} warps are missing from the sum: the last "
            "step of the shuffles, or of the tree, must be 1."
        ] = of((lane % 2 == 0) & (warp % 2 == 0))
        if threads < N:
            block, blocks = column // threads, -(-N // threads)
            found[
                f"Several blocks of {threads} threads added the same terms: if a row has gridDim.y blocks, each "
                "thread must step by the number of threads in all of them, gridDim.y * blockDim.x."
            ] = (terms * (block + 1)).sum(1)
            found[
                f"Every block of {threads} threads of a row added the same terms: each block must begin after the "
                "terms of the blocks before it, at blockIdx.y * blockDim.x."
            ] = (terms * (block == 0)).sum(1) * blocks
            found[
                f"Each row's sum ends after {threads} elements: each thread of a block of {threads} adds only one "
                "element. Each thread needs a loop whose step is the number of threads of the block, or of all blocks "
                "of the row."
            ] = of(column < threads)
    return found


def _weights_of_lanes() -> torch.Tensor:
    """How often each lane's number is in the sum of the values of all lanes after the shuffles."""
    lane, held = torch.arange(WARP), torch.eye(WARP)  # held[i][j]: how often lane i has the number of lane j
    for step in (16, 8, 4, 2, 1):
        held = held + held[torch.where(lane + step < WARP, lane + step, lane)]
    return held.sum(0)


def few_sectors(M: int, N: int) -> Case:
    """A case for dA alone, whose budget is 1.25 times the least number of sectors.

    At the least, each element of B and of dC is requested once, and a sector holds 8 elements. The budget leaves room
    for dA and for rows that begin within a sector.
    """
    return Case({"M": M, "N": N}, budget={"sectors": 5 * (2 * M * N // 8) // 4})


def few_sectors_for_both(M: int, N: int) -> Case:
    """A case for both gradients, whose budget is three and a half passes over a matrix.

    Three passes are needed: B and dC are read once, and dB is written once. Half a pass leaves room for dA, and for A,
    which each warp loads. Two kernels, or two loops, one for each gradient, need four passes because both read dC. nvcc
    loads an element once if the source loads it twice without a store in between. So wavefronts of the L1 cache count,
    and the budget of sectors has room for another pass. Only in a long row do they show a second loop.
    """
    budget = {"sectors": 9 * (M * N // 8) // 2, "l1_wavefronts": 7 * (M * N // 32) // 2}
    return Case({"M": M, "N": N}, budget=budget, asks="three passes, which load each element of B and of dC once")


def split_row(N: int) -> Case:
    """A case of one row for several blocks, where a single block of 1024 threads loads N / 1024 pairs of elements.

    Two thirds of these loads are enough for two such blocks, and for a thread that adds up the partial sums of 1056.
    """
    asks = "several blocks that share each row"
    return Case({"M": 1, "N": N}, budget={"requests_per_warp": N // 768}, asks=asks)


# For 3 rows: half of the threads of blocks of 256 may be idle. A block needs one barrier, and a tree needs eight.
SHUFFLES = {"idle_threads": 3 * 128, "barriers": 2}
BY_SHUFFLES = "a sum for each of a block's warps, by shuffles, and one barrier"

_DOTS = {
    "Model": Dots,
    "get_inputs": get_matrices,
    "bytes_moved": lambda: 4 * (M + 2 * M * N),
    "operations": lambda: 2 * M * N,
    "mistakes": dot_mistakes,
}

VARIANTS = {
    "row_scaling_backward_few_sectors": {
        "__doc__": "Both gradients of row scaling, also judged by the sectors of global memory that are requested.",
        "CASES": [few_sectors_for_both(2, 16384), few_sectors_for_both(5, 2000)],
    },
    "row_scaling_operator": {
        "__doc__": "Both gradients of row scaling, by the operator that a script has registered.",
        "Caller": Registered,
    },
    "row_scaling_dots": {
        "__doc__": "dA alone: the dot product of each row of dC with the same row of B.",
        **_DOTS,
        "CASES": with_budget(CASES, SHUFFLES, {"M": 3, "N": 5000}, asks=BY_SHUFFLES),
    },
    "row_scaling_dots_few_sectors": {
        "__doc__": "dA alone, also judged by the sectors of global memory that are requested.",
        **_DOTS,
        "CASES": [few_sectors(8, 1024), few_sectors(5, 2000)],
    },
    "row_scaling_dots_long": {
        "__doc__": "dA alone, for few and long rows, the same bits in each run.",
        **_DOTS,
        "REPRODUCIBLE": True,
        "SIZES": {"tiny": {"M": 3, "N": 5000}, "small": {"M": 8, "N": 65536}, "full": {"M": 8, "N": 8388608}},
        "CASES": [
            *CASES,
            Case({"M": 24, "N": 3001}),  # enough sums for another order to show in the bits
            Case({"M": 2, "N": 100003}),
            split_row(1 << 20),
        ],
    },
    "row_scaling_row_sums": {
        "__doc__": "The sum of each row of a matrix.",
        "Model": RowSums,
        "get_inputs": get_matrix,
        "bytes_moved": lambda: 4 * (M + M * N),
        "operations": lambda: M * N,
        "mistakes": sum_mistakes,
    },
}
