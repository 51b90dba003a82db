"""C = X @ W.T by tensor cores: X is (M, K) and W (N, K), in bfloat16, and C is (M, N), in float32."""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

M = 32
N = 24
K = 48
ROWS, DEPTH = 16, 16  # of the left factor of one mma: (16 x 8) += (16 x 16) (16 x 8)


class Model(nn.Module):
    def forward(self, X: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
        return X.float() @ W.float().T


def get_inputs() -> list[torch.Tensor]:
    return [(torch.randn(rows, K) + 0.25).bfloat16() for rows in (M, N)]


def by_tensor_cores(M: int, N: int, K: int) -> Case:
    """A case in which a warp may have 4 tiles. Each step of 16 values of k adds to a tile's 4 elements of a thread.

    For a step, a warp makes 6 requests, and 4 to store its tile. The budget is four times as many: who loads single
    elements makes twice as many, and who adds up products in threads 32 times.
    """
    tiles = (M // ROWS) * (N // 8)
    budget = {"tensor_sums": 4 * 4 * K // DEPTH, "requests": 4 * tiles * (6 * K // DEPTH + 4)}
    asks = "products of tensor cores, and one warp for each tile of C"
    return Case({"M": M, "N": N, "K": K}, budget=budget, asks=asks)


CASES = [
    Case({"M": 16, "N": 8, "K": 16}),  # one product, which shows the places of all elements
    by_tensor_cores(32, 24, 64),
    *cases("M N K", (16, 40, 32), (64, 8, 32), (0, 8, 32), (16, 0, 32), (16, 8, 0)),
    Case({"M": 32, "N": 16, "K": 48}, values="special"),
    *refusals({"M": 16, "N": 16, "K": 16}, "host:0", "dtype:1", "transposed"),
]


def sum_length() -> int:
    return max(K, 1)


def operations() -> int:
    return 2 * M * N * K


def mistakes(X: torch.Tensor, W: torch.Tensor) -> dict[str, torch.Tensor]:
    if not M * N * K:
        return {}
    X, W, k = X.float(), W.float(), torch.arange(K, device=X.device)
    half, step = DEPTH // 2, k // DEPTH * DEPTH
    again, turned, first = step + k % half, step + (k + half) % DEPTH, k % DEPTH
    halves = X.view(M // ROWS, 2, ROWS // 2, K // DEPTH, 2, half)
    right = (X @ W.T).view(M // ROWS, 2, ROWS // 2, N // 8, 4, 2)
    return {
        "a[1] and a[2] are exchanged: a[1] belongs to row g + 8, and a[2] to the columns from 2 h + 8 on.": (
            halves.transpose(1, 4).reshape(M, K) @ W.T
        ),
        "The halves of a step of 16 values of k are exchanged in a or in b: a[0], a[1] and b[0] have the first 8.": (
            X[:, turned] @ W.T
        ),
        "b[1] has the values of k that b[0] has: it begins at 2 h + 8.": X @ W[:, again].T,
        "a[2] and a[3] have the values of k that a[0] and a[1] have: they begin at 2 h + 8.": X[:, again] @ W.T,
        "Rows g and g + 8 of each tile are exchanged: d[0] and d[1] are in row g, and d[2] and d[3] in row g + 8.": (
            right.flip(1).reshape(M, N)
        ),
        "d[0] and d[1] are neighbours, in columns 2 h and 2 h + 1, and so are d[2] and d[3].": (
            right.transpose(4, 5).reshape(M, N)
        ),
        f"C has only the last step of {DEPTH} values of k: each product must be added to the sum of those before it.": (
            X[:, -DEPTH:] @ W[:, -DEPTH:].T
        ),
        f"Each step uses the first {DEPTH} values of k again: the addresses must grow with k0.": (
            X[:, first] @ W[:, first].T
        ),
    }
