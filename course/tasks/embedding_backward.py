"""dW[v] = the sum of all rows dC[t] with X[t] = v: the gradient of an embedding W, whose row X[t] is C[t].

dC is (T, D) and dW is (V, D), float32; X is (T,), int64, with values from 0 to V - 1.
"""

import torch
from torch import nn

from course.tasks import Case, refusals

T = 32768
D = 1024
V = 50257
VALUES = 0  # how many rows of W occur in X; 0 for all


class Model(nn.Module):
    def forward(self, dC: torch.Tensor, X: torch.Tensor, V: int) -> torch.Tensor:
        return dC.new_zeros(V, dC.size(1)).index_add(0, X, dC)


def get_inputs() -> list:
    return [torch.randn(T, D) * 1.25 + 0.25, torch.randint(V - VALUES if VALUES else 0, V, (T,)), V]


SIZES = {
    "tiny": {"T": 50, "D": 20, "V": 30},
    "small": {"T": 2048, "D": 256, "V": 1000},
    "full": {"T": 32768, "D": 1024, "V": 50257},
}


def few_sectors(T: int, D: int, V: int) -> Case:
    """A case whose budget is 1.5 times the least sectors: dC is read once, and each element is added once.

    Of a block for each row, a warp makes about D / 64 requests, and a warp that does all the work makes T * D / 16.
    """
    asks = "a block for each row, whose neighbouring threads add neighbouring elements"
    budget = {"sectors": 3 * (2 * T * D // 8) // 2, "requests_per_warp": D // 4}
    return Case({"T": T, "D": D, "V": V}, budget=budget, asks=asks)


CASES = [
    few_sectors(200, 256, 100),
    Case({"T": 0, "D": 8, "V": 5}),
    Case({"T": 5, "D": 0, "V": 5}),
    Case({"T": 1, "D": 1, "V": 1}),
    Case({"T": 37, "D": 31, "V": 20}),
    Case({"T": 20, "D": 300, "V": 70}),
    Case({"T": 300, "D": 5, "V": 9, "VALUES": 1}),
    Case({"T": 20, "D": 30, "V": 10}, layout="offset"),
    Case({"T": 20, "D": 30, "V": 10}, values="special"),
    *refusals({"T": 20, "D": 32, "V": 9}, "host:0", "host:1", "dtype:0", "dtype:1", "short:1", "transposed"),
]


def sum_length() -> int:
    return max(T, 1)


def bytes_moved() -> int:
    return 4 * (T * D + V * D) + 8 * T


def operations() -> int:
    return T * D


def mistakes(dC: torch.Tensor, X: torch.Tensor, V: int) -> dict[str, torch.Tensor]:
    if not dC.numel():
        return {}
    last = dC.new_zeros(V, dC.size(1))
    for value, row in zip(X.tolist(), dC, strict=True):
        last[value] = row
    return {"Each row of dW has only the last of its rows of dC: rows of the same value must be added up.": last}
