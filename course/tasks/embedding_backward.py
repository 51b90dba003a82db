"""dW[v] = the sum of all rows dC[t] with X[t] = v: the gradient of an embedding W, whose row X[t] is C[t].

dC is (T, D) and dW is (V, D), float32; X is (T,), int64, with values from 0 to V - 1.
"""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

T = 32768
D = 1024
V = 50257


class Model(nn.Module):
    def forward(self, dC: torch.Tensor, X: torch.Tensor, V: int) -> torch.Tensor:
        return dC.new_zeros(V, dC.size(1)).index_add(0, X, dC)


def get_inputs() -> list:
    return [torch.randn(T, D) * 1.25 + 0.25, torch.randint(V, (T,)), V]


SIZES = {
    "tiny": {"T": 50, "D": 20, "V": 30},
    "small": {"T": 2048, "D": 256, "V": 1000},
    "full": {"T": 32768, "D": 1024, "V": 50257},
}
# At the least, each of T D / 8 sectors is loaded and added to once. Of a block for each row, a warp makes about D / 64
# requests, and of a single block T D / 64.
CASES = [
    Case(
        {"T": 200, "D": 256, "V": 100},
        budget={"sectors": 3 * 200 * 256 // 8, "requests_per_warp": 64},
        asks="a block for each row, whose neighbouring threads add neighbouring elements",
    ),
    *cases("T D V", (0, 8, 5), (5, 0, 5), (1, 1, 1), (37, 31, 20), (20, 300, 70), (300, 5, 1)),
    Case({"T": 20, "D": 30, "V": 10}, layout="offset"),
    Case({"T": 20, "D": 30, "V": 10}, values="special"),
    *refusals({"T": 20, "D": 32, "V": 9}, "host:0", "host:1", "dtype:0", "dtype:1", "short:1", "transposed"),
]
CLUE = "Load each element of dC once, and add it by one atomicAdd; neighbouring threads add neighbouring elements."


def sum_length() -> int:
    return max(T, 1)


def bytes_moved() -> int:
    return 4 * (T * D + V * D) + 8 * T


def operations() -> int:
    return T * D
