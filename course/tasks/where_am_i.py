"""C[i] = ten times the number of its block plus the number of its thread there, for N threads in blocks of four."""

import torch
from torch import nn

from course.tasks import ONE_THREAD_PER_ELEMENT, Case

N = 10


class Model(nn.Module):
    def forward(self, N: int) -> torch.Tensor:
        i = torch.arange(N, dtype=torch.int32)
        return 10 * (i // 4) + i % 4


def get_inputs() -> list[int]:
    return [N]


CASES = [Case({"N": 1}), Case({"N": 4}), Case({"N": 10}), Case({"N": 1003}, budget=ONE_THREAD_PER_ELEMENT)]


def sum_length() -> int:
    return 1


def mistakes(N: int) -> dict[str, torch.Tensor]:
    i = torch.arange(N, dtype=torch.int32)
    return {
        "C[i] is i, the number of the thread in the whole grid.": i,
        "C[i] is the number of the block alone.": i // 4,
        "C[i] is the number of the thread within its block alone.": i % 4,
        "The number of the block is not multiplied by ten.": i // 4 + i % 4,
        "The number of the thread is multiplied by ten, instead of the number of the block.": i // 4 + i % 4 * 10,
    }
