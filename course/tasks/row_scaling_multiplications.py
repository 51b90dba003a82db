"""A prediction: multiplications that the matrix product torch.diag(A) @ B does; B is (M, N)."""

from torch import nn

from course.tasks import Case

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self) -> int:
        return M * M * N


def get_inputs() -> list:
    return []


CASES = [Case()]
