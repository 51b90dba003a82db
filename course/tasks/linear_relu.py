"""C = relu(X @ W.T + b), with random weights W and b of the model. X is (M, K), W (N, K), b (N,), C (M, N), float32.

KernelBench's level 2 has many problems of this kind. An answer may let PyTorch compute the product, and nothing else.
"""

import torch
from torch import nn

from course.tasks import Case

M = 1024
K = 8192
N = 8192

LIBRARY = ("mm",)


class Model(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(X))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M, K) * 1.25 + 0.25]


def get_init_inputs() -> list[int]:
    return [K, N]


SIZES = {
    "tiny": {"M": 37, "N": 44, "K": 53},
    "small": {"M": 256, "N": 2048, "K": 2048},
    "full": {"M": 1024, "N": 8192, "K": 8192},
}

CASES = [
    Case({"M": 37, "N": 44, "K": 53}),
    Case({"M": 53, "N": 41, "K": 37}),  # rows that do not start on a multiple of 16 bytes
    Case({"M": 0, "N": 8, "K": 8}),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]


def sum_length() -> int:
    return K + 1


def bytes_moved() -> int:
    return 4 * (M * K + N * K + N + M * N)


def operations() -> int:
    return 2 * M * N * K + 2 * M * N
