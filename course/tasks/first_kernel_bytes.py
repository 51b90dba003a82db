"""A prediction: bytes that s * A + B moves in PyTorch, as two kernels over five float32 arrays of N elements."""

from torch import nn

from course.tasks import Case

N = 1 << 26


class Model(nn.Module):
    def forward(self) -> int:
        return 5 * 4 * N


def get_inputs() -> list:
    return []


CASES = [Case()]
