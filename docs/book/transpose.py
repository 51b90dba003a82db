"""C = A.T, contiguous: A is (M, N), C is (N, M), float32. The task of the book's first page."""

import torch
from torch import nn

from course.tasks import Case

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor) -> torch.Tensor:
        return A.T.contiguous()


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M, N)]


CASES = [Case({"M": 0, "N": 8}), Case({"M": 1, "N": 1}), Case({"M": 64, "N": 64}), Case({"M": 37, "N": 53})]


def sum_length() -> int:
    return 1
