"""A prediction: bytes moved where a matrix is made contiguous before it is multiplied."""

from torch import nn

from course.tasks import Case

M = 65536
N = 16384


class Model(nn.Module):
    def forward(self) -> int:
        return 4 * 4 * M * N


def get_inputs() -> list:
    return []


CASES = [Case()]
